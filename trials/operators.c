/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/operators.h"

#include "tools/common/error.h"

/* Products that are said to follow, wherever that is asked. */
enum { OFTEN = 1000000 };

tulle_status trial_mesh_open(tulle_ctx *ctx, const char *spec, tulle_type type, trial_mesh *m) {
    static const tulle_condition fixed = {.kind = TULLE_DIRICHLET};
    const tulle_diffusion_problem posed = {.condition_count = 1, .conditions = &fixed};
    *m = (trial_mesh){.ctx = ctx};
    tulle_status status = tulle_mesh_generate(ctx, spec, &m->mesh);
    if (status == TULLE_OK) status = tulle_mesh_describe(m->mesh, &m->info);
    if (status == TULLE_OK) status = trial_mesh_problem_open(ctx, m->mesh, &posed, &m->problem);
    if (status == TULLE_OK) status = trial_mesh_problem_pattern(&m->problem);
    if (status == TULLE_OK) status = trial_mesh_retype(m, type);
    if (status != TULLE_OK) trial_mesh_close(m);
    return status;
}

tulle_status trial_mesh_retype(trial_mesh *m, tulle_type type) {
    tulle_mat *A = NULL;
    m->type = type;
    tulle_status status = trial_mesh_problem_matrix(&m->problem, type, &A);
    if (status == TULLE_OK) status = tulle_mat_describe(A, &m->csr);
    tulle_mat_destroy(A);
    return status;
}

void trial_mesh_close(trial_mesh *m) {
    trial_mesh_problem_close(&m->problem);
    tulle_mesh_destroy(m->mesh);
}

static int64_t vector_bytes(const trial_mesh *m) {
    return 2 * m->info.nodes * tulle_type_size(m->type);
}

/* Counts the fewest bytes of a matrix-free operator: for each cell its nodes, as numbers of 16
 * bits, and, in the type of vectors, the metrics that are kept, and 8 bits for the index of its
 * metric if there are fewer metrics than cells; the corners of other cells once. */
static tulle_status count_free(const trial_mesh *m, trial_operator *o) {
    tulle_matrix_free_info info;
    int64_t shorts = 0, numbers = 0;
    for (int b = 0; b < m->problem.blocks; b++) {
        shorts += m->problem.elements[b].count * m->problem.elements[b].nodes;
    }
    const tulle_status status = tulle_linop_matrix_free_describe(o->L, &info);
    if (status != TULLE_OK) return status;
    const int64_t kinds = info.metrics < info.affine ? info.affine : 0;
    numbers += info.metrics * (m->info.dimension == 2 ? 3 : 6);
    if (info.affine < info.cells) numbers += m->info.nodes * m->info.dimension;
    o->bytes = numbers * tulle_type_size(m->type) + shorts * (int64_t)sizeof(uint16_t) + kinds +
               vector_bytes(m);
    return TULLE_OK;
}

static tulle_status open_free(const trial_mesh *m, bool atomic, trial_operator *o) {
    const tulle_matrix_free_options options = {
        .diffusion = 1, .masked = m->problem.masked, .atomic = atomic};
    const tulle_status status = tulle_linop_matrix_free(m->ctx, m->mesh, &options, m->type, &o->L);
    return status == TULLE_OK ? count_free(m, o) : status;
}

static int64_t local_bytes(const trial_mesh *m, bool packed, int64_t number) {
    int64_t bytes = vector_bytes(m);
    for (int b = 0; b < m->problem.blocks; b++) {
        const int64_t rows = m->problem.elements[b].nodes;
        const int64_t cells = packed ? rows * (rows + 1) / 2 : rows * rows;
        bytes += m->problem.elements[b].count * (cells * number + rows * (int64_t)sizeof(int32_t));
    }
    return bytes;
}

/* Makes the operator of whole element matrices by tulle_linop_local, because tulle_diffusion_local,
 * which knows that they are symmetric, does not take whole ones. */
static tulle_status open_whole(const trial_mesh *m, trial_operator *o) {
    tulle_vec *room[TULLE_ELEMENT_BLOCKS] = {NULL};
    tulle_element_data K[TULLE_ELEMENT_BLOCKS];
    tulle_status status = TULLE_OK;
    const tulle_local_options options = {.masked = m->problem.masked, .expected_calls = OFTEN};
    for (int b = 0; b < m->problem.blocks && status == TULLE_OK; b++) {
        const tulle_elements *e = &m->problem.elements[b];
        tulle_vec_info info = {.data = NULL};
        status = tulle_vec_create(m->ctx, m->type, e->count * e->nodes * e->nodes, &room[b]);
        if (status == TULLE_OK) status = tulle_vec_describe(room[b], &info);
        K[b] = (tulle_element_data){.values = info.data};
        if (status == TULLE_OK) {
            status = tulle_diffusion_matrices(m->ctx, m->problem.D, b, m->type, info.data);
        }
    }
    if (status == TULLE_OK) {
        status = tulle_linop_local(m->ctx, m->info.nodes, m->problem.blocks, m->problem.elements,
                                   &options, m->type, K, &o->L);
    }
    for (int b = 0; b < TULLE_ELEMENT_BLOCKS; b++) tulle_vec_destroy(room[b]);
    return status;
}

static tulle_status open_local(const trial_mesh *m, trial_operator_kind kind, trial_operator *o) {
    const bool narrow = kind == TRIAL_OPERATOR_narrow, packed = kind != TRIAL_OPERATOR_local;
    const tulle_local_options options = {.narrow = narrow, .expected_calls = OFTEN};
    if (narrow && m->type == TULLE_F32) {
        return tool_record(TULLE_UNSUPPORTED, "numbers in f32 under vectors in f64 are for f64");
    }
    o->bytes = local_bytes(m, packed, tulle_type_size(narrow ? TULLE_F32 : m->type));
    return packed ? tulle_diffusion_local(m->ctx, m->problem.D, &options, m->type, &o->L)
                  : open_whole(m, o);
}

/* Optimises A; *bytes: the plan's bytes and, where products run on a copy in another format, those
 * of x and y, else the fewest bytes of a product. */
static tulle_status optimise(const trial_mesh *m, tulle_mat *A, int64_t *bytes) {
    const tulle_optimize_options often = {.expected_calls = OFTEN};
    tulle_optimize_report report;
    tulle_choice choice;
    tulle_status status = tulle_mat_optimize_with(m->ctx, TULLE_N, A, &often, &report);
    if (status == TULLE_OK) status = tulle_spmv_describe(m->ctx, TULLE_N, A, true, &choice);
    if (status != TULLE_OK) return status;
    const bool copied = report.planned && report.format != TULLE_CSR;
    *bytes = choice.plan_bytes + (copied ? vector_bytes(m) : choice.minimal_bytes);
    return TULLE_OK;
}

static tulle_status count_bytes(const trial_mesh *m, const tulle_mat *A, int64_t *bytes) {
    tulle_choice choice;
    const tulle_status status = tulle_spmv_describe(m->ctx, TULLE_N, A, true, &choice);
    if (status == TULLE_OK) *bytes = choice.minimal_bytes;
    return status;
}

static tulle_format format_of(trial_operator_kind kind) {
    if (kind == TRIAL_OPERATOR_ell) return TULLE_ELL;
    return kind == TRIAL_OPERATOR_hyb ? TULLE_HYB : TULLE_CSR;
}

/* Makes the operator of the assembled matrix, which is converted even into its own format, so that
 * it has a pattern of its own without plans. */
static tulle_status open_assembled(const trial_mesh *m, trial_operator_kind kind,
                                   trial_operator *o) {
    tulle_mat *assembled = NULL, *A = NULL;
    tulle_status status = trial_mesh_problem_assemble(&m->problem, m->type, &assembled);
    if (status == TULLE_OK) {
        status = tulle_mat_convert(m->ctx, assembled, format_of(kind), m->csr.index, 0, &A);
    }
    if (status == TULLE_OK) {
        status = kind == TRIAL_OPERATOR_optimised ? optimise(m, A, &o->bytes)
                                                  : count_bytes(m, A, &o->bytes);
    }
    if (status == TULLE_OK) status = tulle_linop_from_mat(m->ctx, A, &o->L);
    tulle_mat_destroy(assembled);
    tulle_mat_destroy(A);
    return status;
}

tulle_status trial_operator_open(const trial_mesh *m, trial_operator_kind kind, trial_operator *o) {
    *o = (trial_operator){.L = NULL};
    switch (kind) {
        case TRIAL_OPERATOR_matrix_free:
        case TRIAL_OPERATOR_atomic:
            return open_free(m, kind == TRIAL_OPERATOR_atomic, o);
        case TRIAL_OPERATOR_local:
        case TRIAL_OPERATOR_packed:
        case TRIAL_OPERATOR_narrow:
            return open_local(m, kind, o);
        default:
            return open_assembled(m, kind, o);
    }
}

void trial_operator_close(trial_operator *o) {
    tulle_linop_destroy(o->L);
}
