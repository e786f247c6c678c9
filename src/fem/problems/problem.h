/* SPDX-License-Identifier: Apache-2.0 */
/* A problem on a mesh, in the context's memory. Diffusion and elasticity are one object; a row of
 * functions and words says in what they differ. `function` is the public function that fails. */
#ifndef TULLE_FEM_PROBLEMS_PROBLEM_H
#define TULLE_FEM_PROBLEMS_PROBLEM_H

#include "fem/assembly/assembly.h"
#include "fem/functions.h"
#include "fem/problems/draft.h"
#include "tulle/elasticity.h"

typedef struct tulle__problem_kind {
    const char *argument;       /* a problem's name in messages */
    const char *create;         /* the public function that makes one */
    const char *assembly;       /* the public function that makes an assembly of one */
    const char *matrix_numbers; /* the numbers that make the matrix, in words */
    const char *load_numbers;   /* the numbers that make the right-hand side, in words */
    /* Computes the quantities of a block of cells, whose nodes are there. */
    tulle_status (*fill)(const tulle__problem_draft *draft, tulle__body *body);
    /* Returns the caller's condition k. */
    tulle__condition (*condition)(const tulle__problem_draft *draft, int64_t k);
    /* The quantity that is the source or the force along an axis; of facets the flux or traction.
     */
    tulle__cell_quantity *(*load)(tulle__body *body, int axis);
    /* Element matrices of a block, one behind the other, each by rows. */
    tulle_status (*matrices)(const tulle__fem_functions *fem, const tulle__place *place,
                             tulle_type type, const tulle__body *body, void *K);
    /* Element vectors of a block, one behind the other. given: of each unknown of each node. */
    tulle_status (*loads)(const tulle__fem_functions *fem, const tulle__place *place,
                          tulle_type type, const tulle__body *body, const double *given, void *F);
} tulle__problem_kind;

extern const tulle__problem_kind tulle__diffusion_kind, tulle__elasticity_kind;

typedef struct tulle__problem {
    const tulle__problem_kind *kind;
    tulle_ctx *ctx; /* owned */
    int64_t mesh_nodes;
    int64_t nodes; /* number of nodes; nodes that periods make equal count once */
    int unknowns;  /* number of unknowns of a node: there are nodes * unknowns rows */
    int64_t given; /* number of rows that are given */
    int blocks;
    bool affine; /* one block of hexahedra of diffusion, with one Jacobian, k and c each */
    tulle__body body[TULLE__PROBLEM_BLOCKS];
    tulle_elements elements[TULLE__PROBLEM_BLOCKS];
    /* All arrays that the problem owns, in the order made: for each block nodes, rows, a table and
     * quantities. */
    void *arrays[(3 + TULLE__PROBLEM_QUANTITIES) * TULLE__PROBLEM_BLOCKS + 5];
    int array_count;
    double *coordinates;
    double *given_unknowns; /* number given for each unknown of each node of the mesh, or 0 */
    double *given_rows;     /* number given for each row; the same array without periods */
    double *scales;      /* for each row that is masked, its diagonal entry; NULL: none is masked */
    uint8_t *masked;     /* flag of each row */
    int32_t *rows;       /* in host memory: row of each node of the mesh; NULL: its own number */
    tulle__staging room; /* memory of element matrices, or of element vectors */
    /* The largest magnitudes, in units of the mesh (units.h): of the numbers that make the matrix;
     * of those that make the right-hand side, the given ones included; and of the given numbers. */
    double most_matrix, most_load, most_given;
    int64_t bytes;
} tulle__problem;

struct tulle_diffusion {
    tulle__problem own;
};
struct tulle_elasticity {
    tulle__problem own;
};

/* Makes a problem of a draft that has what the caller gave. */
tulle_status tulle__problem_create(tulle__problem_draft *draft, tulle__problem **P);
void tulle__problem_destroy(tulle__problem *P);

/* The public functions of both kinds, whose pointers are not NULL. */
tulle_status tulle__problem_assembly(const char *function, tulle_ctx *ctx, const tulle__problem *P,
                                     tulle_format format, tulle_assembly **S);
tulle_status tulle__problem_matrices(const char *function, tulle_ctx *ctx, const tulle__problem *P,
                                     int block, tulle_type type, void *K);
tulle_status tulle__problem_values(const char *function, tulle_ctx *ctx, tulle__problem *P,
                                   tulle_assembly *S, tulle_mat *A);
tulle_status tulle__problem_load(const char *function, tulle_ctx *ctx, tulle__problem *P,
                                 tulle_assembly *S, tulle_vec *b);
tulle_status tulle__problem_give(const char *function, tulle_ctx *ctx, const tulle__problem *P,
                                 tulle_vec *x);
tulle_status tulle__problem_local(const char *function, tulle_ctx *ctx, tulle__problem *P,
                                  const tulle_local_options *options, tulle_type type,
                                  tulle_linop **L);

/* lambda and mu of a block of cells of a problem of elasticity. */
tulle_status tulle__elastic_constants(const tulle__problem_draft *draft, tulle__body *body);

/* TULLE_SPACE_MISMATCH if P lives elsewhere. */
tulle_status tulle__problem_check_space(const char *function, const tulle_ctx *ctx,
                                        const tulle__problem *P);

/* Fails where f32 cannot hold the numbers of the matrix. */
tulle_status tulle__problem_check_matrix(const char *function, const tulle__problem *P,
                                         tulle_type type);

#endif
