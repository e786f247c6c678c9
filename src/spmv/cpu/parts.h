/* SPDX-License-Identifier: Apache-2.0 */
/* Products that scatter, A^T x above all, on the CPU: the entries are cut into a fixed number of
 * parts, so that the result does not depend on the threads, each with a y of its own, a copy.
 * Copies are added in pairs, and then the sums of pairs, as a tree: a thread adds its own parts
 * first, while they are in its cache, and few numbers go from one core to another. Clearing and
 * adding a number of a copy takes a thread about half as long as an entry, so there are as many
 * parts as leave the entries the larger share. by_parts.h has the part that depends on the
 * types. */
#ifndef TULLE_SPMV_CPU_PARTS_H
#define TULLE_SPMV_CPU_PARTS_H

#include "spmv/bytes.h"
#include "spmv/spmv.h"

enum { TULLE__PARTS = 8, TULLE__ENTRIES_A_NUMBER = 2 };

/* The numbers of y that a part, or several in a row, add to are among those from `begin` to
 * `end` - 1. Neither end of a part's window lies before that of the part before, and
 * there is no gap between two windows. */
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

enum { TULLE__SUMMED = 1024 }; /* numbers of a copy that a thread adds at a time */

/* Adds from[i] to to[i] for i from begin to known - 1, and sets to[i] to from[i] from there to
 * end - 1. */
void tulle__add_copy_f32(const float *from, int64_t begin, int64_t known, int64_t end, float *to);
void tulle__add_copy_f64(const double *from, int64_t begin, int64_t known, int64_t end, double *to);

/* Computes y[i] := sums[i] + beta y[i] for i from begin to end - 1. */
void tulle__add_scaled_f32(const float *sums, int64_t begin, int64_t end, float beta, float *y);
void tulle__add_scaled_f64(const double *sums, int64_t begin, int64_t end, double beta, double *y);

#endif
