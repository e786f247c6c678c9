/* SPDX-License-Identifier: Apache-2.0 */
/* Products that scatter, A^T x above all, on the CPU: the entries are cut into a fixed number of
 * parts, so that the result does not depend on the threads, each with a y of its own, a copy, and
 * these are added in order. Clearing and adding a number of a copy takes a thread about half as
 * long as an entry, so there are as many parts as leave the entries the larger share. by_parts.h
 * has the part that depends on the types. */
#ifndef TULLE_SPMV_CPU_PARTS_H
#define TULLE_SPMV_CPU_PARTS_H

#include "spmv/bytes.h"
#include "spmv/spmv.h"

enum { TULLE__PARTS = 8, TULLE__ENTRIES_A_NUMBER = 2 };

/* The numbers of y that a part adds to are among those from `begin` to `end` - 1. */
typedef struct tulle__window {
    int64_t begin, end;
} tulle__window;

/* Returns the numbers of y that parts of rows have copies of, together, where no entry is farther
 * from the diagonal than `reach`. */
static inline int64_t tulle__parts_copied(int parts, int64_t rows, int64_t length, int64_t reach) {
    const int64_t all = parts * length;
    if (reach >= length) return all;
    const int64_t near = rows + parts * (2 * reach + 1);
    return near < all ? near : all;
}

/* Number of parts for so many entries of rows, one where there are none; the arguments are those of
 * tulle__parts_copied. */
static inline int tulle__parts_near(int64_t entries, int64_t rows, int64_t length, int64_t reach) {
    int parts = TULLE__PARTS;
    while (parts > 1 &&
           tulle__parts_copied(parts, rows, length, reach) * TULLE__ENTRIES_A_NUMBER >= entries) {
        parts /= 2;
    }
    return parts;
}

/* Number of parts for so many entries and numbers of y, each of which a part may add to. */
static inline int tulle__parts(int64_t entries, int64_t length) {
    return tulle__parts_near(entries, length, length, length);
}

static inline size_t tulle__parts_workspace(const tulle__spmv_shape *shape, int parts,
                                            int64_t length) {
    if (parts == 1) return 0;
    return (size_t)parts * (size_t)length * (size_t)tulle_type_size(shape->type);
}

/* Numbers of y that are summed at a time, so that the sums stay in the L1 cache and in vector
 * registers while one copy after another is read. */
enum { TULLE__SUMMED = 512 };

/* Computes y := the sum of the copies + beta y of the numbers begin to end - 1 of y, TULLE__SUMMED
 * at most. Copy p begins at index p * length of `copies`, and counts within its window alone;
 * windows NULL: everywhere. */
void tulle__add_copies_f32(const float *copies, int64_t length, int parts,
                           const tulle__window *windows, int64_t begin, int64_t end, float beta,
                           float *y);
void tulle__add_copies_f64(const double *copies, int64_t length, int parts,
                           const tulle__window *windows, int64_t begin, int64_t end, double beta,
                           double *y);

#endif
