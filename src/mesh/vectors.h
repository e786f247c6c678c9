/* SPDX-License-Identifier: Apache-2.0 */
/* Products of vectors of three numbers. */
#ifndef TULLE_MESH_VECTORS_H
#define TULLE_MESH_VECTORS_H

static inline double tulle__dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Computes the vector product c := a x b. */
static inline void tulle__cross(const double a[3], const double b[3], double c[3]) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

#endif
