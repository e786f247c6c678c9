/* SPDX-License-Identifier: Apache-2.0 */
/* Systems of nodes on the host, for multigrid in blocks: elastic bodies, and what is done to them.
 */
#ifndef TESTS_NODE_SYSTEMS_H
#define TESTS_NODE_SYSTEMS_H

#include "entries.h"
#include "tulle/tulle.h"

/* An elastic body; the right-hand side is its weight. */
typedef struct {
    entries A; /* sorted */
    int64_t nodes;
    int dim;
    double *at; /* [nodes * dim] coordinates; NULL: none */
    double *b;
} body;

/* A mesh's body of Poisson's ratio 0.3, or of another one; held: its side of least x stays. */
body body_open(tulle_ctx *ctx, const char *spec, bool held);
body body_with(tulle_ctx *ctx, const char *spec, bool held, double poisson);
/* A body of two materials, Young's moduli 1 and `jump`, by turns in boxes of so many hexahedra a
 * side; the mesh is box-hex:SIDE. */
body body_of_two(tulle_ctx *ctx, int side, int box, double jump);
/* A body that is `jump` times as stiff as `soft` layers of hexahedra between it and the wall. */
body body_on_soft(tulle_ctx *ctx, int side, int soft, double jump);
/* A body and `count` copies of another one, which hang on nothing of each other. */
body body_copies(const body *first, const body *other, int count);
void body_free(body *s);

/* Five coupled unknowns in each point of a grid, as of a compressible flow in steps of time: waves
 * that go to the right and up with several speeds, and damping. Not symmetric; without
 * coordinates. */
body flow_of(int64_t side);

/* Numbers the nodes in a random order. */
void body_shuffle(body *s);

/* Takes away entries that are 0: rows of given unknowns then have their diagonal alone. */
void body_drop_zeros(body *s);

/* A body at a place: its matrix, vectors, and rigid motions. */
typedef struct {
    tulle_mat *A;
    tulle_vec *b, *x, *rigid; /* rigid NULL: the body has no coordinates */
} placed_body;

/* The matrix is in CSR, or in BSR of whole blocks; x is 0. */
placed_body place_body(tulle_ctx *ctx, const body *s, tulle_format format, tulle_type type);
void placed_body_free(placed_body *p);

/* The rigid motions of points on the host. */
tulle_vec *rigid_of(tulle_ctx *ctx, const double *at, int64_t nodes, int dim, tulle_type type);

/* Solves by a method of tolerance 1e-8, which converges, with a hierarchy that is made for it;
 * returns the number of iterations. */
int64_t iterations_of(tulle_ctx *ctx, tulle_method method, const placed_body *p,
                      const tulle_amg_options *o);

#endif
