/* SPDX-License-Identifier: Apache-2.0 */
/* Problems of elasticity on meshes for tests; everything fails the test where the library does. */
#ifndef TESTS_ELASTIC_SYSTEM_H
#define TESTS_ELASTIC_SYSTEM_H

#include "entries.h"
#include "tulle/tulle.h"

/* A problem on a mesh with its matrix and right-hand side. */
typedef struct {
    tulle_mesh *mesh;
    tulle_elasticity *E;
    tulle_assembly *S;
    tulle_mat *A;
    tulle_vec *b;
    int64_t n; /* rows */
    int unknowns;
} elastic_system;

elastic_system elastic_open(tulle_ctx *ctx, const char *spec, const tulle_elasticity_problem *p,
                            tulle_format format, tulle_type type);
void elastic_close(elastic_system *s);

/* What the matrix holds, by row and column, in whichever format it is. */
entries elastic_entries(tulle_ctx *ctx, const tulle_mat *A);

/* The axes, for who hands functions of one component a pointer to its number. */
extern int elastic_axis[3];

/* Three quantities of one function, each with its axis. */
void elastic_along(tulle_quantity q[3],
                   double (*function)(const double x[3], int64_t element, void *axis));

#endif
