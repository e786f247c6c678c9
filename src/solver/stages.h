/* SPDX-License-Identifier: Apache-2.0 */
/* Stages: the work of methods on vectors between applications of operators, in as few passes as
 * their recurrences allow. A stage first makes scalars of the sums of the stage before
 * (state.h), then changes vectors element by element, and adds up inner products of the new
 * vectors. The list is the same for every device: CUDA compiles each stage on its own, a CPU
 * goes through a strip of the vectors, operation by operation. */
#ifndef TULLE_SOLVER_STAGES_H
#define TULLE_SOLVER_STAGES_H

#include "core/place.h"
#include "solver/state.h"

enum {
    TULLE__STAGE_VECTORS = 10,
    TULLE__STAGE_UPDATES = 8,
    TULLE__STAGE_TERMS = 3,
    TULLE__STAGE_SUMS = 4
};

/* A vector, by its number in the stage, times a scalar of the state; a negative number of a
 * scalar: minus it. */
typedef struct tulle__term {
    int vector, scalar;
} tulle__term;

/* to := the sum of terms, times the vector `by` element by element, if there is one (not -1). */
typedef struct tulle__update {
    int to, by, terms;
    tulle__term term[TULLE__STAGE_TERMS];
} tulle__update;

/* The inner product of two vectors. */
typedef struct tulle__pair {
    int a, b;
} tulle__pair;

typedef struct tulle__program {
    int vectors, takes; /* number of vectors; number of sums that it takes from the stage before */
    int updates;
    tulle__update update[TULLE__STAGE_UPDATES]; /* updates in their order */
    int sums;
    tulle__pair sum[TULLE__STAGE_SUMS]; /* inner products of the updated vectors */
} tulle__program;

/* Updates: to := to + s v; to := v + s to; to := d v; to := v + s to + t w; to := to + s v + t
 * w; to := s to + t v; to := s v + t w + u to */
#define TULLE__ADD(to, s, v)                                                                       \
    {                                                                                              \
        to, -1, 2, {                                                                               \
            {to, TULLE__ONE}, {                                                                    \
                v, s                                                                               \
            }                                                                                      \
        }                                                                                          \
    }
#define TULLE__TURN(to, v, s)                                                                      \
    {                                                                                              \
        to, -1, 2, {                                                                               \
            {v, TULLE__ONE}, {                                                                     \
                to, s                                                                              \
            }                                                                                      \
        }                                                                                          \
    }
#define TULLE__TIMES(to, d, v)                                                                     \
    {                                                                                              \
        to, d, 1, {                                                                                \
            { v, TULLE__ONE }                                                                      \
        }                                                                                          \
    }
#define TULLE__TURN_ADD(to, v, s, t, w)                                                            \
    {                                                                                              \
        to, -1, 3, {                                                                               \
            {v, TULLE__ONE}, {to, s}, {                                                            \
                w, t                                                                               \
            }                                                                                      \
        }                                                                                          \
    }
#define TULLE__ADD_TWO(to, s, v, t, w)                                                             \
    {                                                                                              \
        to, -1, 3, {                                                                               \
            {to, TULLE__ONE}, {v, s}, {                                                            \
                w, t                                                                               \
            }                                                                                      \
        }                                                                                          \
    }
#define TULLE__MIX(to, s, t, v)                                                                    \
    {                                                                                              \
        to, -1, 2, {                                                                               \
            {to, s}, {                                                                             \
                v, t                                                                               \
            }                                                                                      \
        }                                                                                          \
    }
#define TULLE__MIX_THREE(to, s, v, t, w, u)                                                        \
    {                                                                                              \
        to, -1, 3, {                                                                               \
            {v, s}, {w, t}, {                                                                      \
                to, u                                                                              \
            }                                                                                      \
        }                                                                                          \
    }
#define TULLE__NO_UPDATE                                                                           \
    {                                                                                              \
        0, -1, 0, {                                                                                \
            { 0, 0 }                                                                               \
        }                                                                                          \
    }

/* S(NAME, rule, vectors, takes, updates, (them), sums, (them)); the comment names the vectors,
 * from 0. */
#define TULLE__STAGES(S)                                                                           \
    /* p, q = A p: (p, q) */                                                                       \
    S(CG_CURVATURE, none, 2, 0, 0, (TULLE__NO_UPDATE), 1, ({0, 1}))                                \
    /* r, q: r := r - alpha q; (r, r) */                                                           \
    S(CG_RESIDUAL, cg_step, 2, 1, 1, (TULLE__ADD(0, -TULLE__ALPHA, 1)), 1, ({0, 0}))               \
    /* r, q, z, d: r := r - alpha q; z := d r; (r, r), (r, z), (z, z) */                           \
    S(CG_RESIDUAL_SCALED, cg_step, 4, 1, 2,                                                        \
      (TULLE__ADD(0, -TULLE__ALPHA, 1), TULLE__TIMES(2, 3, 0)), 3, ({0, 0}, {0, 2}, {2, 2}))       \
    /* r, q: r := r - alpha q, before a preconditioner */                                          \
    S(CG_RESIDUAL_ALONE, cg_step, 2, 1, 1, (TULLE__ADD(0, -TULLE__ALPHA, 1)), 0, ({0, 0}))         \
    /* r, z: (r, r), (r, z), (z, z) */                                                             \
    S(CG_NORMS, none, 2, 0, 0, (TULLE__NO_UPDATE), 3, ({0, 0}, {0, 1}, {1, 1}))                    \
    /* x, p, r: x := x + alpha p; p := r + beta p */                                               \
    S(CG_DIRECTION_PLAIN, cg_turn_plain, 3, 1, 2,                                                  \
      (TULLE__ADD(0, TULLE__ALPHA, 1), TULLE__TURN(1, 2, TULLE__BETA)), 0, ({0, 0}))               \
    /* x, p, z: x := x + alpha p; p := z + beta p */                                               \
    S(CG_DIRECTION, cg_turn, 3, 3, 2,                                                              \
      (TULLE__ADD(0, TULLE__ALPHA, 1), TULLE__TURN(1, 2, TULLE__BETA)), 0, ({0, 0}))               \
    /* r, w: (r, r), (w, r) */                                                                     \
    S(PIPELINED_NORMS, none, 2, 0, 0, (TULLE__NO_UPDATE), 2, ({0, 0}, {1, 0}))                     \
    /* r, u, w: (r, u), (w, u), (r, r), (u, u) */                                                  \
    S(PIPELINED_NORMS_SCALED, none, 3, 0, 0, (TULLE__NO_UPDATE), 4,                                \
      ({0, 1}, {2, 1}, {0, 0}, {1, 1}))                                                            \
    /* x, r, w, p, s, z, n = A w: z := n + beta z; s := w + beta s; p := r + beta p;               \
     * x := x + alpha p; r := r - alpha s; w := w - alpha z; (r, r), (w, r) */                     \
    S(PIPELINED, cg_pipelined_plain, 7, 2, 6,                                                      \
      (TULLE__TURN(5, 6, TULLE__BETA), TULLE__TURN(4, 2, TULLE__BETA),                             \
       TULLE__TURN(3, 1, TULLE__BETA), TULLE__ADD(0, TULLE__ALPHA, 3),                             \
       TULLE__ADD(1, -TULLE__ALPHA, 4), TULLE__ADD(2, -TULLE__ALPHA, 5)),                          \
      2, ({1, 1}, {2, 1}))                                                                         \
    /* x, r, w, p, s, z, n = A m, u, m, d: the updates of the stage before with p := u + beta p;   \
     * then u := d r; m := d w; (r, u), (w, u), (r, r), (u, u) */                                  \
    S(PIPELINED_SCALED, cg_pipelined, 10, 4, 8,                                                    \
      (TULLE__TURN(5, 6, TULLE__BETA), TULLE__TURN(4, 2, TULLE__BETA),                             \
       TULLE__TURN(3, 7, TULLE__BETA), TULLE__ADD(0, TULLE__ALPHA, 3),                             \
       TULLE__ADD(1, -TULLE__ALPHA, 4), TULLE__ADD(2, -TULLE__ALPHA, 5), TULLE__TIMES(7, 9, 1),    \
       TULLE__TIMES(8, 9, 2)),                                                                     \
      4, ({1, 7}, {2, 7}, {1, 1}, {7, 7}))                                                         \
    /* x, r, w, p, s: p := r + beta p; s := w + beta s; x := x + alpha p; r := r - alpha s */      \
    S(ONE_SUM_PLAIN, cg_pipelined_plain, 5, 2, 4,                                                  \
      (TULLE__TURN(3, 1, TULLE__BETA), TULLE__TURN(4, 2, TULLE__BETA),                             \
       TULLE__ADD(0, TULLE__ALPHA, 3), TULLE__ADD(1, -TULLE__ALPHA, 4)),                           \
      0, ({0, 0}))                                                                                 \
    /* x, r, w, p, s, u: the updates of the stage before with p := u + beta p */                   \
    S(ONE_SUM, cg_pipelined, 6, 4, 4,                                                              \
      (TULLE__TURN(3, 5, TULLE__BETA), TULLE__TURN(4, 2, TULLE__BETA),                             \
       TULLE__ADD(0, TULLE__ALPHA, 3), TULLE__ADD(1, -TULLE__ALPHA, 4)),                           \
      0, ({0, 0}))                                                                                 \
    /* x, r, w, p, s, u, d: the updates of the stage before; u := d r */                           \
    S(ONE_SUM_SCALED, cg_pipelined, 7, 4, 5,                                                       \
      (TULLE__TURN(3, 5, TULLE__BETA), TULLE__TURN(4, 2, TULLE__BETA),                             \
       TULLE__ADD(0, TULLE__ALPHA, 3), TULLE__ADD(1, -TULLE__ALPHA, 4), TULLE__TIMES(5, 6, 1)),    \
      0, ({0, 0}))                                                                                 \
    /* r0, v: (r0, v) */                                                                           \
    S(BICGSTAB_STEP, none, 2, 0, 0, (TULLE__NO_UPDATE), 1, ({0, 1}))                               \
    /* r, v: r := r - alpha v, which is s */                                                       \
    S(BICGSTAB_HALF, bicgstab_step, 2, 1, 1, (TULLE__ADD(0, -TULLE__ALPHA, 1)), 0, ({0, 0}))       \
    /* t, s: (t, s), (t, t), (s, s) */                                                             \
    S(BICGSTAB_SMOOTH, none, 2, 0, 0, (TULLE__NO_UPDATE), 3, ({0, 1}, {0, 0}, {1, 1}))             \
    /* x, p', s', s, t, r0: x := x + alpha p' + omega s'; s := s - omega t, which is r; (r, r),    \
     * (r0, r); p' = M p, s' = M s, or p and s */                                                  \
    S(BICGSTAB_RESIDUAL, bicgstab_smooth, 6, 3, 2,                                                 \
      (TULLE__ADD_TWO(0, TULLE__ALPHA, 1, TULLE__OMEGA, 2), TULLE__ADD(3, -TULLE__OMEGA, 4)), 2,   \
      ({3, 3}, {5, 3}))                                                                            \
    /* p, r, v: p := r + beta p - beta omega v */                                                  \
    S(BICGSTAB_DIRECTION, bicgstab_turn, 3, 2, 1,                                                  \
      (TULLE__TURN_ADD(0, 1, TULLE__BETA, -TULLE__BETA_OMEGA, 2)), 0, ({0, 0}))                    \
    /* v, z: (v, z) */                                                                             \
    S(MINRES_LENGTH, none, 2, 0, 0, (TULLE__NO_UPDATE), 1, ({0, 1}))                               \
    /* v', v, q = A z: v' := alpha q + beta v + omega v'; (v', v') */                              \
    S(MINRES_LANCZOS_PLAIN, minres_lanczos, 3, 1, 1,                                               \
      (TULLE__MIX_THREE(0, TULLE__ALPHA, 2, TULLE__BETA, 1, TULLE__OMEGA)), 1, ({0, 0}))           \
    /* v', v, q = A z, d: v' := alpha q + beta v + omega v'; q := d v'; (v', q) */                 \
    S(MINRES_LANCZOS_SCALED, minres_lanczos, 4, 1, 2,                                              \
      (TULLE__MIX_THREE(0, TULLE__ALPHA, 2, TULLE__BETA, 1, TULLE__OMEGA), TULLE__TIMES(2, 3, 0)), \
      1, ({0, 2}))                                                                                 \
    /* v', v, q = A z: v' := alpha q + beta v + omega v', before a preconditioner */               \
    S(MINRES_LANCZOS, minres_lanczos, 3, 1, 1,                                                     \
      (TULLE__MIX_THREE(0, TULLE__ALPHA, 2, TULLE__BETA, 1, TULLE__OMEGA)), 0, ({0, 0}))           \
    /* w', w, z: w' := z, w and w' times their factors; (w', w'), (z, z) */                        \
    S(MINRES_DIRECTION_PLAIN, minres_turn, 3, 1, 1,                                                \
      (TULLE__MIX_THREE(0, TULLE__OF_Z, 2, TULLE__OF_LAST, 1, TULLE__OF_BEFORE)), 2,               \
      ({0, 0}, {2, 2}))                                                                            \
    /* w', w, z, r, v: the update of the stage before; r := alpha r + beta v; (w', w'), (z, z),    \
     * (r, r) */                                                                                   \
    S(MINRES_DIRECTION, minres_turn, 5, 1, 2,                                                      \
      (TULLE__MIX_THREE(0, TULLE__OF_Z, 2, TULLE__OF_LAST, 1, TULLE__OF_BEFORE),                   \
       TULLE__MIX(3, TULLE__ALPHA, TULLE__BETA, 4)),                                               \
      3, ({0, 0}, {2, 2}, {3, 3}))                                                                 \
    /* x, w: x := x + step w */                                                                    \
    S(MINRES_STEP_PLAIN, minres_step_plain, 2, 2, 1, (TULLE__ADD(0, TULLE__STEP, 1)), 0, ({0, 0})) \
    /* x, w: the update of the stage before, with the sum of a residual */                         \
    S(MINRES_STEP, minres_step, 2, 3, 1, (TULLE__ADD(0, TULLE__STEP, 1)), 0, ({0, 0}))             \
    /* x, r, d, q = A d: x := x + d; r := r - q; (r, r) */                                         \
    S(CHEBYSHEV_RESIDUAL, none, 4, 0, 2,                                                           \
      (TULLE__ADD(0, TULLE__ONE, 2), TULLE__ADD(1, -TULLE__ONE, 3)), 1, ({1, 1}))                  \
    /* z = M r: (z, z) */                                                                          \
    S(CHEBYSHEV_NORM, none, 1, 0, 0, (TULLE__NO_UPDATE), 1, ({0, 0}))                              \
    /* d, z: d := beta d + alpha z */                                                              \
    S(CHEBYSHEV_DIRECTION, chebyshev, 2, 1, 1, (TULLE__MIX(0, TULLE__BETA, TULLE__ALPHA, 1)), 0,   \
      ({0, 0}))

#define TULLE__OPENED(...) __VA_ARGS__
#define TULLE__PROGRAM(name, rule, vectors, takes, updates, update, sums, sum)                     \
    {vectors, takes, updates, {TULLE__OPENED update}, sums, {TULLE__OPENED sum}},

typedef enum tulle__stage_name {
#define S(name, ...) TULLE__##name,
    TULLE__STAGES(S)
#undef S
        TULLE__STAGE_COUNT
} tulle__stage_name;

/* Unit of the length of vectors, which are whole packs: the numbers beyond n are 0. */
enum { TULLE__STAGE_UNIT = 16 };

/* Rows of a piece, which is the work of one block of a GPU, and the largest number of pieces. A
 * block of 256 threads has a pack or two for each: small systems are to be on as many
 * multiprocessors as there are. */
enum { TULLE__STAGE_PIECE = 512, TULLE__STAGE_MOST_PIECES = 1024 };

typedef struct tulle__stage {
    tulle__stage_name name;
    tulle_type type;
    int64_t n; /* length of vectors, a multiple of TULLE__STAGE_UNIT */
    void *vectors[TULLE__STAGE_VECTORS];
    const tulle__solve_state *from; /* state before the stage */
    tulle__solve_state *to;         /* state after the stage, another one */
    double *history;                /* norms by iteration, [TULLE__HISTORY] */
    const double *sums_from;        /* sums of the stage before: sum s of piece p at s * sum_from +
                                       p * piece_from; pieces_from pieces */
    int64_t pieces_from, sum_from, piece_from;
    double *sums_to; /* sums of this stage */
    double *joined;  /* sums over the pieces, [TULLE__STAGE_SUMS], of one right-hand side; NULL:
                        they are not wanted */
    int *arrived;    /* on a GPU the number of blocks that have put their sums, 0 between stages */
    int64_t pieces;
    /* Number of right-hand sides that the stage serves at once. Each has vectors, states, norms and
     * sums of its own; the pointers above are those of the first one. */
    int columns;
    int64_t vector_step;  /* number of values from a vector to that of the next right-hand side,
                             a multiple of TULLE__STAGE_UNIT */
    int64_t scalars_step; /* number of bytes from its states and norms to the next ones */
    int64_t sums_step;    /* number of sums from its first sum to the next one's first */
} tulle__stage;

static inline int64_t tulle__stage_length(int64_t n) {
    return (n + TULLE__STAGE_UNIT - 1) / TULLE__STAGE_UNIT * TULLE__STAGE_UNIT;
}

static inline int64_t tulle__stage_pieces(int64_t n) {
    const int64_t pieces = n / TULLE__STAGE_PIECE + (n % TULLE__STAGE_PIECE != 0);
    if (pieces < 1) return 1;
    return pieces < TULLE__STAGE_MOST_PIECES ? pieces : (int64_t)TULLE__STAGE_MOST_PIECES;
}

#endif
