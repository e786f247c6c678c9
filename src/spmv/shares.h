/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of the columns of a CSR matrix, for A^T x on a CPU: each thread adds to its own numbers of
 * y alone. So threads can work together where columns are too short for parts of rows, each with a
 * copy of y (cpu/parts.h). A row is cut where the columns of a share begin, and a share walks its
 * pieces of the rows from top to bottom. So numbers are added in the order in which they are added
 * without shares, and y has the same bits. Shares depend on the pattern alone, and values are read
 * where they are: new values need no word. */
#ifndef TULLE_SPMV_SHARES_H
#define TULLE_SPMV_SHARES_H

#include "matrix/derived.h"

enum { TULLE__MOST_SHARES = 8 };

/* Columns that one thread adds to. */
typedef struct tulle__column_share {
    int64_t begin, end;         /* columns begin to end - 1 */
    int64_t row_begin, row_end; /* rows outside of row_begin to row_end - 1 have no entry in these
                                   columns */
} tulle__column_share;

typedef struct tulle__column_shares {
    int count; /* number of shares; 0: there are none */
    tulle__column_share share[TULLE__MOST_SHARES];
    void *cuts; /* [(count - 1) rows] in host memory, of the offset type: number s rows + i is the
                   first entry of row i in the columns of share s + 1 or later ones */
} tulle__column_shares;

/* Work of a product that threads could share by columns. */
typedef struct tulle__shared_work {
    int threads;    /* number of threads of the product */
    int parts;      /* number of parts of rows without shares */
    int64_t copied; /* numbers of the copies of y */
} tulle__shared_work;

/* Returns the shares for a product A^T x of a sorted CSR pattern, which counts as one product of
 * the pattern; NULL: the product goes by parts. Shares are made, and kept with the pattern, with
 * the product by which all products so far would have saved the time of making them. No shares are
 * made where they would not save a fifth of a product's time, or where memory is short. */
const tulle__column_shares *tulle__column_shares_of(tulle_ctx *ctx, tulle__pattern *pattern,
                                                    const tulle__shared_work *work);

/* Number of the product of a pattern that makes shares, if even shares would pay; 0: no product
 * would, or the pattern has shares already. */
int64_t tulle__column_shares_due(const tulle__pattern *pattern, const tulle__shared_work *work);

/* Returns the kept shares that a product would use, without counting it; NULL: there are none. */
const tulle__column_shares *tulle__column_shares_now(const tulle__pattern *pattern,
                                                     const tulle__shared_work *work);

/* Bytes of the cuts of a pattern's shares. */
int64_t tulle__column_shares_bytes(const tulle__pattern *pattern,
                                   const tulle__column_shares *shares);

#endif
