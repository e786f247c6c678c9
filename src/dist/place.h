/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of the whole matrix as columns of a local one. The same lines on every device. */
#ifndef TULLE_DIST_PLACE_H
#define TULLE_DIST_PLACE_H

#include "core/access.h"
#include "core/search.h"

TULLE_BEGIN

/* Own columns, from `begin` to `end` - 1, follow `lower` other ones. Arrays are in the place's
 * memory. */
typedef struct tulle__place_job {
    int64_t count;
    const int64_t *columns; /* [count] columns of the whole matrix */
    int64_t begin, end, lower;
    const int64_t *others; /* [other_count] the other columns, ascending */
    int64_t other_count;
    int64_t index_size; /* bytes of a new number */
    void *to;           /* [count] */
} tulle__place_job;

/* A search for the columns that are not own ones. */
typedef struct tulle__others_job {
    int64_t count;
    const int64_t *columns; /* [count] columns of the whole matrix */
    int64_t begin, end;     /* own columns */
    int64_t all;            /* number of columns of the whole matrix */
    int64_t *others;        /* [count] becomes the list of other columns, ascending, each once */
} tulle__others_job;

TULLE_INLINE void tulle__place_column(const tulle__place_job *p, int64_t k) {
    const int64_t column = p->columns[k];
    int64_t place = 0;
    if (column >= p->begin && column < p->end) {
        place = p->lower + column - p->begin;
    } else {
        TULLE__LOWER_BOUND(place, p->other_count, i, p->others[i] < column);
        if (place >= p->lower) place += p->end - p->begin;
    }
    tulle__put(p->to, p->index_size, k, place);
}

TULLE_END
#endif
