/* SPDX-License-Identifier: Apache-2.0 */
/* Making shares of columns (spmv/shares.h) of a sorted CSR pattern in host memory. */
#ifndef TULLE_SPMV_CPU_CUT_SHARES_H
#define TULLE_SPMV_CPU_CUT_SHARES_H

#include "spmv/shares.h"

/* Estimates of a deal of columns, by a sample. */
typedef struct tulle__deal {
    double largest;       /* part of the entries that the largest share has */
    double row_changes;   /* part of the rows that have another length than the row before */
    double piece_changes; /* the larger part of the rows whose pieces, in one of the shares, have
                             another length than the row before has there */
} tulle__deal;

/* Deals the columns out to shares->count shares with about equal numbers of entries. */
tulle__deal tulle__deal_columns(const tulle__pattern *pattern, tulle__column_shares *shares);

/* Fills the cuts, for which there is memory, and the rows of the shares. */
void tulle__cut_rows(const tulle__pattern *pattern, int threads, tulle__column_shares *shares);

#endif
