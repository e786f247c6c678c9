/* SPDX-License-Identifier: Apache-2.0 */
/* The shapes of the stand-ins. The papers' numbers are in matrices.c. A stand-in has exactly the
 * pattern of the matrix where the papers' numbers and the origin of the matrix tell it
 * (rows_markov.h, rows_lattice.h; atmosmodd is a 7-point stencil on the one box that has its
 * counts). */
#include <string.h>

#include "lab/papers/like/like.h"
#include "lab/papers/like/rows.h"

typedef struct shape {
    const char *name;
    bool transposed;
    tulle__generator_args args;
} shape;

typedef struct fitted {
    const char *name;
    uint64_t threshold;
    int64_t rays;
} fitted;

#define KIND(kind_name) .kind = PAPER_ROWS_##kind_name

/* A shape of nx x ny x ... nodes of `block` unknowns. Nodes at distance 1 are coupled with
 * probability near0 below node `split` and near1 from node `split` on, nodes at distance 2 to
 * `reach` with probability far0 and far1. */
#define CLOUD(nx, ny, block, reach, omit, split, near0, near1, far0, far1)                         \
    CLOUD_WITH(nx, ny, block, reach, omit, split, near0, near1, far0, far1, 0, 0)

/* A CLOUD of which `used` rows are not empty (0: all rows), and of which one row is longer than the
 * others by `rays` where the papers do not give the longest row. */
#define CLOUD_WITH(nx, ny, block, reach, omit, split, near0, near1, far0, far1, used, rays)        \
    {                                                                                              \
        KIND(cloud), .real = {near0, near1, far0, far1}, .number = {                               \
            [PAPER_CLOUD_NX] = nx,                                                                 \
            [PAPER_CLOUD_NY] = ny,                                                                 \
            [PAPER_CLOUD_BLOCK] = block,                                                           \
            [PAPER_CLOUD_REACH] = reach,                                                           \
            [PAPER_CLOUD_OMIT] = omit,                                                             \
            [PAPER_CLOUD_SPLIT] = split,                                                           \
            [PAPER_CLOUD_USED] = used,                                                             \
            [PAPER_CLOUD_RAYS] = rays                                                              \
        }                                                                                          \
    }

/* A shape of rows whose lengths begin at `low`, with a tail up to the longest row of the matrix.
 * `empty` percent of the rows are empty. Every stride-th run of `run` rows is of hubs, with hub_low
 * and hub_tail for their lengths; hub_share percent of the columns are columns of hubs, `local`
 * percent are within `width` of the diagonal, and the rest is skewed. */
#define PERCENT(share) ((int64_t)((share)*655.36))
#define SCATTER(low, tail, empty, stride, run, hub_low, hub_tail, hub_share, local, width, skew)   \
    {                                                                                              \
        KIND(scatter), .real = {tail, hub_tail}, .number = {                                       \
            [TULLE__SCATTER_LOW] = low,                                                            \
            [TULLE__SCATTER_EMPTY_SHARE] = PERCENT(empty),                                         \
            [TULLE__SCATTER_HUB_STRIDE] = stride,                                                  \
            [TULLE__SCATTER_HUB_RUN] = run,                                                        \
            [TULLE__SCATTER_HUB_LOW] = hub_low,                                                    \
            [TULLE__SCATTER_HUB_SHARE] = PERCENT(hub_share),                                       \
            [TULLE__SCATTER_LOCAL_SHARE] = PERCENT(local),                                         \
            [TULLE__SCATTER_WIDTH] = width,                                                        \
            [TULLE__SCATTER_SKEW] = skew                                                           \
        }                                                                                          \
    }

static const shape shapes[] = {
    {"mc2depi", .args = {KIND(markov), .number = {513, 1025}}},
    {"conf5_4-8x8-05", .args = {KIND(lattice), .number = {8}}},
    {"atmosmodd", .args = {KIND(grid), .number = {148, 148, 58, 1, true, 6}}},

    {"pwtk", .args = CLOUD(227, 160, 6, 1, 0, 0, 1, 1, 0, 0)},
    {"shipsec1", .args = CLOUD(153, 154, 6, 2, 0, 0, 1, 1, 0.03, 0.03)},
    {"cant", .args = CLOUD(9, 9, 3, 1, 1, 0, 1, 1, 0, 0)},
    {"consph", .args = CLOUD(30, 30, 3, 1, 0, 0, 1, 0.96, 0, 0)},
    {"pdb1HYS", .args = CLOUD(14, 14, 6, 1, 0, 3000, 1, 0.7, 0, 0)},
    {"cop20k_A", .args = CLOUD_WITH(46, 46, 1, 2, 0, 40000, 1, 0.8, 0.15, 0, 99843, 0)},
    {"F1", .args = CLOUD(48, 48, 3, 2, 0, 0, 1, 1, 0.02, 0.02)},
    {"crankseg_2", .args = CLOUD(28, 28, 3, 2, 0, 0, 1, 1, 0.6, 0.6)},
    {"Ga41As41H72", .args = CLOUD_WITH(64, 64, 1, 2, 0, 0, 1, 1, 0.48, 0.48, 0, 600)},
    {"Si41Ge41H72", .args = CLOUD(57, 57, 1, 2, 0, 0, 1, 1, 0.63, 0.63)},
    {"rma10", .args = CLOUD(2, 76, 4, 1, 0, 6440, 1, 0.35, 0, 0)},
    {"torso2", .args = CLOUD(340, 342, 1, 1, 0, 0, 1, 1, 0, 0)},
    {"cage14", .args = CLOUD(100, 100, 1, 2, 0, 0, 0.5, 0.5, 0.06, 0.06)},
    {"cage15", .args = CLOUD(160, 160, 1, 2, 0, 0, 0.5, 0.5, 0.08, 0.08)},

    {"webbase-1M", .args = SCATTER(1, 0.28, 0, 200, 32, 32, 0.45, 8, 60, 24, 2)},
    {"wb-edu", .args = SCATTER(2, 0.16, 0, 40, 64, 45, 0.25, 3, 86, 34, 2)},
    {"cit-Patents", .args = SCATTER(3, 0.27, 37, 0, 0, 0, 0, 0, 40, 100, 1)},
    {"scircuit", .args = SCATTER(3, 0.08, 0, 36, 32, 18, 0.25, 2, 78, 14, 1)},
    {"mac_econ_fwd500", .args = SCATTER(3, 0.25, 0, 0, 0, 0, 0, 0, 60, 40, 1)},
    {"Hamrle3", .args = SCATTER(2, 0.22, 0, 0, 0, 0, 0, 0, 80, 500, 1)},
    {"Freescale1", .args = SCATTER(3, 0.2, 0, 0, 0, 0, 0, 0, 80, 300, 1)},
    {"rail4284", true, SCATTER(10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2)},
};

/* Fitted numbers: X(name, threshold of the random bits, rays of the star). */
static const fitted fits[] = {
#define X(name, threshold, rays) {name, threshold, rays},
#include "lab/papers/like/fitted.h"
#undef X
};

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* Length of the longest row that is assumed where the papers do not give it. */
enum { USUAL_LONGEST = 32 };

static const paper_matrix *matrix_of(const char *name, size_t length) {
    for (int i = 0; i < paper_matrix_count; i++) {
        const char *known = paper_matrices[i].name;
        if (strlen(known) == length && memcmp(known, name, length) == 0) {
            return &paper_matrices[i];
        }
    }
    return NULL;
}

static const shape *shape_of(const char *name) {
    for (int i = 0; i < COUNT(shapes); i++) {
        if (strcmp(shapes[i].name, name) == 0) return &shapes[i];
    }
    return NULL;
}

static fitted fitted_of(const char *name) {
    for (int i = 0; i < COUNT(fits); i++) {
        if (strcmp(fits[i].name, name) == 0) return fits[i];
    }
    return (fitted){name, 0, 0};
}

static void complete_cloud(const paper_matrix *matrix, const fitted *fit, int64_t *number) {
    if (number[PAPER_CLOUD_USED] == 0) number[PAPER_CLOUD_USED] = matrix->rows;
    number[PAPER_CLOUD_STAR] = number[PAPER_CLOUD_USED] / 4 * 3;
    number[PAPER_CLOUD_SYMMETRIC] = matrix->symmetric;
    number[PAPER_CLOUD_KEEP] = (int64_t)fit->threshold;
    if (matrix->max_row >= 0) number[PAPER_CLOUD_RAYS] = fit->rays;
}

static void complete_scatter(const paper_matrix *matrix, const fitted *fit, int64_t *number) {
    number[TULLE__SCATTER_CAP] = matrix->max_row < 0 ? USUAL_LONGEST : matrix->max_row;
    number[TULLE__SCATTER_STAR] = matrix->rows / 2;
    number[TULLE__SCATTER_STAR_LENGTH] = matrix->max_row < 0 ? 0 : matrix->max_row;
    number[TULLE__SCATTER_EXTRA] = (int64_t)fit->threshold;
}

bool paper_like_find(const char *name, size_t length, paper_like *like) {
    const paper_matrix *matrix = matrix_of(name, length);
    const shape *found = matrix ? shape_of(matrix->name) : NULL;
    if (!found) return false;
    fitted fit = fitted_of(matrix->name);
    *like = (paper_like){matrix, found->transposed, found->args};
    tulle__generator_args *args = &like->args;
    args->rows = found->transposed ? matrix->cols : matrix->rows;
    args->cols = found->transposed ? matrix->rows : matrix->cols;
    args->max_row = args->cols;
    args->seed = 1;
    if (args->kind == PAPER_ROWS_cloud) complete_cloud(matrix, &fit, args->number);
    if (args->kind == PAPER_ROWS_scatter) complete_scatter(matrix, &fit, args->number);
    return true;
}
