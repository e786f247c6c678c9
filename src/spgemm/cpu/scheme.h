/* SPDX-License-Identifier: Apache-2.0 */
/* The scheme of spgemm_auto on a CPU: the way in which each row is computed, and the scratch for
 * it. */
#ifndef TULLE_SPGEMM_CPU_SCHEME_H
#define TULLE_SPGEMM_CPU_SCHEME_H

#include "spgemm/cpu/chunks.h"
#include "spgemm/cpu/kept.h"
#include "spgemm/cpu/kin.h"
#include "spgemm/cpu/words.h"

typedef enum tulle__spgemm_way {
    TULLE__SPGEMM_COPY,  /* A's row has at most one entry: a row of B, scaled */
    TULLE__SPGEMM_MARKS, /* few multiplications: a list of columns and the place of each */
    TULLE__SPGEMM_TABLE, /* a hash table */
    TULLE__SPGEMM_DENSE  /* a dense accumulator */
} tulle__spgemm_way;

typedef struct tulle__spgemm_scheme {
    tulle__spgemm_chunks chunks;
    tulle__spgemm_words words;
    uint8_t *kin; /* kind of each row (kin.h); NULL: too few are kin */
    tulle__spgemm_kept kept;
    int64_t window; /* number of columns of a dense accumulator */
    int64_t marks;  /* number of columns of lists: the window's, or 0 where memory is short */
    bool lanes;     /* true when the accumulator has a lane for each of
                       several rows */
    int64_t table_multiplications, table_columns; /* largest numbers of multiplications and columns
                                              of a row in a table */
} tulle__spgemm_scheme;

tulle_status tulle__spgemm_scheme_make(const tulle__spgemm_task *task,
                                       tulle__spgemm_scheme *scheme);
void tulle__spgemm_scheme_free(const tulle__spgemm_task *task, tulle__spgemm_scheme *scheme);

/* Bytes of the scheme without its chunks. */
int64_t tulle__spgemm_scheme_bytes(const tulle__spgemm_task *task,
                                   const tulle__spgemm_scheme *scheme);

/* A window costs time beside the multiplications: one byte is read for every 64 columns, and in
 * a wide window each multiplication may miss the nearest cache. So a row with at most FEW
 * multiplications gets a window only if the range of its columns is at most NARROW times their
 * number, and else a list. */
enum { TULLE__SPGEMM_NARROW = 256, TULLE__SPGEMM_FEW = 256 };

static inline tulle__spgemm_way tulle__spgemm_way_of(const tulle__spgemm_scheme *scheme,
                                                     const tulle__spgemm_row *row) {
    if (row->end - row->begin <= 1) return TULLE__SPGEMM_COPY;
    if (row->span > scheme->window) return TULLE__SPGEMM_TABLE;
    const bool few = row->multiplications <= TULLE__SPGEMM_FEW;
    const bool wide = row->span > row->multiplications * TULLE__SPGEMM_NARROW;
    return few && wide && row->span <= scheme->marks ? TULLE__SPGEMM_MARKS : TULLE__SPGEMM_DENSE;
}

#endif
