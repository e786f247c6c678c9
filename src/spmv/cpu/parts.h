/* SPDX-License-Identifier: Apache-2.0 */
/* Products that scatter, A^T x above all, on the CPU: the entries are cut into a fixed number of
 * parts, so that the result does not depend on the threads, each with a y of its own, and these
 * are added in order. Few parts, because of their copies of y; one where these would outweigh
 * the entries. by_parts.h has the part that depends on the types. */
#ifndef TULLE_SPMV_CPU_PARTS_H
#define TULLE_SPMV_CPU_PARTS_H

#include "spmv/bytes.h"
#include "spmv/spmv.h"

enum { TULLE__PARTS = 8, TULLE__ENTRIES_A_NUMBER = 4 };

/* Number of parts for so many entries and numbers of y. */
static inline int tulle__parts(int64_t entries, int64_t length) {
    return entries / TULLE__ENTRIES_A_NUMBER > length ? TULLE__PARTS : 1;
}

static inline size_t tulle__parts_workspace(const tulle__spmv_shape *shape, int parts,
                                            int64_t length) {
    if (parts == 1) return 0;
    return (size_t)parts * (size_t)length * (size_t)tulle_type_size(shape->type);
}

#endif
