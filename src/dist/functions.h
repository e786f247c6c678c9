/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of every back end for rows of distributed matrices; see core/place.h. */
#ifndef TULLE_DIST_FUNCTIONS_H
#define TULLE_DIST_FUNCTIONS_H

#include "core/place.h"
#include "dist/join.h"
#include "dist/place.h"
#include "dist/sift.h"

TULLE_BEGIN

/* F(name, (arguments)) */
#define TULLE__DIST_FUNCTIONS(F)                                                                   \
    /* join.cu, join_cpu.c: numbers of entries of the rows that are listed; the rows */            \
    F(dist_measure, (const tulle__place *place, const tulle__join_job *job, int64_t *lengths))     \
    F(dist_join, (const tulle__place *place, const tulle__join_job *job))                          \
    /* sift.cu, sift_cpu.c: fills what the second pass reads, and returns the numbers of rows with \
     * entries in other columns and of these entries (waits); fills both matrices */               \
    F(dist_count_others,                                                                           \
      (const tulle__place *place, const tulle__sift_job *job, int64_t counted[2]))                 \
    F(dist_sift, (const tulle__place *place, const tulle__sift_job *job))                          \
    /* place.cu, place_cpu.c: new numbers of columns; a list of other columns, and their number    \
     * (waits) */                                                                                  \
    F(dist_place, (const tulle__place *place, const tulle__place_job *job))                        \
    F(dist_list_others, (const tulle__place *place, const tulle__others_job *job, int64_t *found)) \
    /* pick.cu, pick_cpu.c: to[k] := from[order[k]], items of 1, 4 or 8 bytes; to[k] := first + k  \
     */                                                                                            \
    F(dist_pick, (const tulle__place *place, int64_t count, const int64_t *order, size_t size,     \
                  const void *from, void *to))                                                     \
    F(dist_number, (const tulle__place *place, int64_t count, int64_t first, int64_t *to))

typedef struct tulle__dist_functions {
    TULLE__DIST_FUNCTIONS(TULLE__MEMBER)
} tulle__dist_functions;

TULLE__DIST_FUNCTIONS(TULLE__DECLARE)

TULLE_END
#endif
