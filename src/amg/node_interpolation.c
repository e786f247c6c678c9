/* SPDX-License-Identifier: Apache-2.0 */
/* Interpolation of a level of nodes: strong connections by the sizes of blocks, aggregates of nodes
 * (aggregate.c), T with the orthonormal near null space of each aggregate, and P = S T with
 * S = I - omega D^-1 A (P. Vanek, J. Mandel and M. Brezina, "Algebraic multigrid by smoothed
 * aggregation for second and fourth order elliptic problems", 1996, section 4). */
#include "amg/amg.h"
#include "amg/blocks.h"
#include "amg/functions.h"
#include "amg/part.h"
#include "dense/dense.h"
#include "tulle/spgemm.h"
#include "tulle/vec.h"

/* Factor of smoothing: eigenvalues of D^-1 A are at most 1, about (aggregate.c). */
static const double omega = 4.0 / 3;

/* A column of an aggregate depends on those before it where less than this share of its norm is
 * left: well above the roundings of a near null space, which has some 16 digits, or 7 in f32, and
 * well below what is left of a rotation of an aggregate that is small beside the whole. */
static const double least_left = 1e-7, least_left_in_f32 = 1e-5;

/* Everything that is made on the way. */
typedef struct making {
    tulle_ctx *ctx;
    tulle__amg_blocks A;
    tulle__amg_sizing sizing;
    int columns;
    tulle_mat *T, *lists; /* nodes x aggregates, with ones, and its transpose */
    tulle_mat *Q, *S;     /* T and S in blocks */
    tulle_vec *near;      /* near null space of the next level */
    void *before, *dropped;
} making;

static tulle_status find_aggregates(making *m, const tulle_amg_options *options,
                                    tulle__amg_level *level) {
    tulle__amg_sizing *s = &m->sizing;
    s->A = m->A;
    s->least_others = 1 - options->most_sum;
    TULLE__TRY(tulle__amg_take(m->ctx, m->A.csr.nnz, sizeof *s->sizes, (void *)&s->sizes));
    TULLE__TRY(tulle__amg_take(m->ctx, m->A.csr.rows, sizeof *s->diagonal, (void *)&s->diagonal));
    TULLE__TRY(m->ctx->backend->amg->amg_size_blocks(&m->ctx->place, s));
    return tulle__amg_aggregate_nodes(m->ctx, options, s, &level->kept, &level->info, &m->T);
}

/* Makes the near null space of each aggregate orthonormal, in place, and that of the next level. */
static tulle_status orthonormalise(making *m, tulle_vec *near, int64_t *dropped) {
    tulle_ctx *ctx = m->ctx;
    const tulle__backend *backend = ctx->backend;
    const int64_t aggregates = m->T->pattern->cols;
    int64_t found = 0;
    TULLE__TRY(tulle_mat_transpose(ctx, m->T, &m->lists));
    TULLE__TRY(tulle_vec_create_columns(ctx, TULLE_F64, aggregates * m->columns, m->columns,
                                        TULLE_ROW_MAJOR, 0, &m->near));
    TULLE__TRY(tulle__amg_take(ctx, 1, sizeof found, (void *)&m->dropped));
    TULLE__TRY(backend->set_bytes(&ctx->place, m->dropped, 0, sizeof found));
    const tulle__amg_orthogonal job = {
        .aggregates = aggregates,
        .index = m->lists->pattern->index,
        .offsets = m->lists->pattern->offsets.data,
        .nodes = m->lists->pattern->cols_of.data,
        .tall = m->A.tall,
        .columns = m->columns,
        .least = m->A.type == TULLE_F32 ? least_left_in_f32 : least_left,
        .numbers = near->data,
        .coarse = m->near->data,
        .dropped = m->dropped};
    TULLE__TRY(backend->amg->amg_orthonormalise(&ctx->place, &job, m->A.csr.rows));
    TULLE__TRY(tulle__copy_wait(ctx, &found, m->dropped, sizeof found));
    *dropped += found;
    return TULLE_OK;
}

/* Makes T in blocks of an orthonormal near null space. */
static tulle_status make_Q(making *m, const tulle_vec *near) {
    tulle_ctx *ctx = m->ctx;
    const tulle__backend *backend = ctx->backend;
    const tulle__pattern_view T = tulle__view_of(m->T->pattern);
    const int cells = m->A.tall * m->columns;
    const size_t offsets = (size_t)((T.rows + 1) * tulle_offset_size(T.index));
    const size_t numbers = (size_t)(T.nnz * tulle_index_size(T.index));
    tulle__draft draft;
    TULLE__TRY(tulle__amg_draft_blocks(ctx, &m->A, T.rows * m->A.tall, T.cols * m->columns, T.nnz,
                                       m->A.tall, m->columns, &draft));
    const tulle__amg_spread job = {
        .T = T, .cells = cells, .numbers = near->data, .type = m->A.type, .values = draft.values};
    tulle_status status = backend->copy(&ctx->place, draft.arrays.offsets, T.offsets, offsets);
    if (status == TULLE_OK) {
        status = backend->copy(&ctx->place, draft.arrays.cols_of, T.cols_of, numbers);
    }
    if (status == TULLE_OK) status = backend->amg->amg_spread(&ctx->place, &job);
    return tulle__amg_finish_blocks(status, &draft, &m->Q);
}

static tulle_status make_S(making *m, const tulle_vec *inverses) {
    tulle_ctx *ctx = m->ctx;
    const tulle__amg_functions *functions = ctx->backend->amg;
    const int64_t rows = m->A.csr.rows * m->A.tall;
    int64_t blocks = 0;
    tulle__draft draft;
    TULLE__TRY(tulle__amg_take(ctx, m->A.csr.rows + 1, sizeof(int64_t), (void *)&m->before));
    tulle__amg_block_smoothing job = {.A = m->A,
                                      .omega = omega,
                                      .inverses = inverses->data,
                                      .with = m->T->pattern->offsets.data,
                                      .before = m->before};
    TULLE__TRY(functions->amg_count_block_smoothing(&ctx->place, &job, &blocks));
    TULLE__TRY(
        tulle__amg_draft_blocks(ctx, &m->A, rows, rows, blocks, m->A.tall, m->A.tall, &draft));
    job.offsets = draft.arrays.offsets;
    job.cols_of = draft.arrays.cols_of;
    job.values = draft.values;
    return tulle__amg_finish_blocks(functions->amg_fill_block_smoothing(&ctx->place, &job), &draft,
                                    &m->S);
}

static tulle_status make_P(making *m, tulle_mat **P) {
    tulle_mat *product = NULL;
    TULLE__TRY(
        tulle_spgemm(m->ctx, TULLE_N, TULLE_N, tulle_num(1), m->S, m->Q, NULL, NULL, &product));
    const tulle_status status = tulle__amg_in_blocks(m->ctx, product, m->A.tall, m->columns, P);
    tulle_mat_destroy(product);
    return status;
}

static tulle_status make(making *m, tulle__amg *own, tulle__amg_level *level) {
    TULLE__TRY(find_aggregates(m, &own->options, level));
    if (!m->T) return TULLE_OK;
    TULLE__TRY(orthonormalise(m, own->nodes.near, &own->nodes.dropped));
    TULLE__TRY(make_Q(m, own->nodes.near));
    tulle_vec_destroy(own->nodes.near);
    own->nodes.near = m->near;
    m->near = NULL;
    TULLE__TRY(tulle__amg_need_blocks(m->ctx, own, level));
    TULLE__TRY(make_S(m, level->inverses));
    return make_P(m, &level->P);
}

tulle_status tulle__amg_interpolate_nodes(tulle_ctx *ctx, tulle__amg *own,
                                          tulle__amg_level *level) {
    making m = {.ctx = ctx, .A = tulle__amg_blocks_of(level->A), .columns = own->nodes.columns};
    const tulle_status status = make(&m, own, level);
    void *const arrays[] = {m.sizing.sizes, m.sizing.diagonal, m.before, m.dropped};
    tulle_mat *const matrices[] = {m.T, m.lists, m.Q, m.S};
    for (int k = 0; k < 4; k++) tulle__free(ctx, arrays[k]);
    for (int k = 0; k < 4; k++) tulle_mat_destroy(matrices[k]);
    tulle_vec_destroy(m.near);
    return status;
}
