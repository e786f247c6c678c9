/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm_product.h"

#include <inttypes.h>
#include <stdio.h>

#include "tools/common/error.h"
#include "tools/common/few.h"
#include "tools/common/kernel_name.h"
#include "tools/common/progress.h"
#include "tools/common/say.h"
#include "tools/common/sums.h"
#include "tools/common/table.h"
#include "tulle/advanced.h"

static int64_t rows_of_c(const tool_spgemm *p) {
    return p->galerkin ? p->sparse.B.info.cols : tool_operand_rows(&p->sparse.A);
}

static tulle_status check_triple(const tool_spgemm *p) {
    const tool_operand *A = &p->sparse.A, *P = &p->sparse.B;
    if (A->info.rows == A->info.cols && A->info.cols == P->info.rows) return TULLE_OK;
    return tool_record(TULLE_SHAPE_MISMATCH,
                       "--galerkin: A (%s) is %" PRId64 " x %" PRId64 ", and P (%s) has %" PRId64
                       " rows: all of these must be equal",
                       A->name, A->info.rows, A->info.cols, P->name, P->info.rows);
}

static tulle_status check_d(const tool_spgemm *p) {
    const tulle_mat_info *d = &p->D.info;
    int64_t rows = rows_of_c(p), cols = tool_operand_cols(&p->sparse.B);
    if (!p->add || (d->rows == rows && d->cols == cols)) return TULLE_OK;
    return tool_record(TULLE_SHAPE_MISMATCH,
                       "--add: D (%s) is %" PRId64 " x %" PRId64 ", and the product %" PRId64
                       " x %" PRId64,
                       p->D.name, d->rows, d->cols, rows, cols);
}

static tulle_status check_mask(const tool_spgemm *p) {
    const tulle_mat_info *m = &p->mask.info;
    int64_t rows = rows_of_c(p), cols = tool_operand_cols(&p->sparse.B);
    if (!p->on || (m->rows == rows && m->cols == cols)) return TULLE_OK;
    return tool_record(TULLE_SHAPE_MISMATCH,
                       "--mask: M (%s) is %" PRId64 " x %" PRId64 ", and the product %" PRId64
                       " x %" PRId64,
                       p->mask.name, m->rows, m->cols, rows, cols);
}

static tulle_status check_shapes(const tool_spgemm *p) {
    const tool_operand *A = &p->sparse.A, *B = &p->sparse.B;
    int64_t inner = tool_operand_cols(A), rows = tool_operand_rows(B);
    if (p->galerkin) return check_triple(p);
    if (inner == rows) return TULLE_OK;
    return tool_record(TULLE_SHAPE_MISMATCH,
                       "A%s (%s) has %" PRId64 " columns, but B%s (%s) has %" PRId64
                       " rows: --transpose-a and --transpose-b turn them",
                       tool_operand_turned(A), A->name, inner, tool_operand_turned(B), B->name,
                       rows);
}

static tulle_status check_room(const tool_spgemm *p) {
    const tool_operand *B = &p->sparse.B;
    const int64_t cols = tool_operand_cols(B);
    const int64_t few = tool_few_of(cols, tool_sparse_entries(&p->sparse));
    int64_t more = tool_plus(tool_sparse_operand_bytes(&p->sparse, &p->D),
                             tool_sparse_operand_bytes(&p->sparse, &p->mask));
    char what[64];
    snprintf(what, sizeof what, "a product with %" PRId64 " columns", cols);
    if (p->galerkin) more = tool_plus(more, tool_rows_of_bytes(few, B->info.nnz, true, false));
    return tool_sparse_check_room(&p->sparse, tool_plus(tool_verify_spgemm_bytes(few), more), what);
}

/* True if the bound is what --memory leaves beside the operands, and not what the product needs. */
static bool is_cut(const tool_spgemm *p) {
    tulle_memory_usage usage;
    return p->cap > 0 && tulle_ctx_memory(p->ctx, &usage) == TULLE_OK &&
           p->bounds.bytes >= p->cap - (int64_t)usage.in_use;
}

static void print_bounds(const tool_spgemm *p) {
    const tulle_spgemm_bounds *bounds = &p->bounds;
    char bytes[TOOL_HUMAN], products[TOOL_HUMAN], nnz[TOOL_HUMAN];
    tool_say("at most   %s will be %s, with C", tool_human_bytes((double)bounds->bytes, bytes),
             is_cut(p) ? "had, as --memory leaves no more" : "needed");
    if (bounds->products >= 0) {
        tool_say(", of at most %s entries, from %s products", tool_human_count(bounds->nnz, nnz),
                 tool_human_count(bounds->products, products));
    }
    tool_say("\n");
    fflush(tool_said());
}

/* Finds what the product may take, before anything of it is computed. */
static tulle_status foresee(tulle_ctx *ctx, tool_spgemm *p) {
    const tool_sparse *s = &p->sparse;
    const tulle_status status =
        p->galerkin ? tulle_spgemm_galerkin_forecast(ctx, s->A.matrix, s->B.matrix,
                                                     &p->options.call, &p->bounds)
                    : tulle_spgemm_forecast(ctx, s->A.op, s->B.op, s->A.matrix, s->B.matrix,
                                            &p->options.call, &p->bounds);
    tool_progress_end();
    if (status == TULLE_OK && p->bounds_first) print_bounds(p);
    return status;
}

tulle_status tool_run_spgemm(tulle_ctx *ctx, tool_spgemm *p, tulle_spgemm_report *report,
                             tool_sparse_result *result) {
    tool_sparse *s = &p->sparse;
    p->ctx = ctx;
    p->options.op_a = s->A.op;
    p->options.op_b = s->B.op;
    p->options.call.D = p->D.matrix;
    p->options.call.mask = p->mask.matrix;
    p->options.call.beta = tulle_num(p->options.beta);
    p->options.call.index_given = s->index_given;
    p->options.call.index = s->index;
    s->operation = p->galerkin ? &trial_operation_galerkin : &trial_operation_spgemm;
    s->options = &p->options;
    s->result = 'C';
    s->unsorted = p->options.call.unsorted;
    tulle_status status = check_shapes(p);
    if (status == TULLE_OK) status = check_d(p);
    if (status == TULLE_OK) status = check_mask(p);
    if (status == TULLE_OK) {
        status = tool_sparse_check_index(s, rows_of_c(p), tool_operand_cols(&s->B));
    }
    if (status == TULLE_OK)
        status = tool_kernel_force(ctx, p->on ? "masked" : "spgemm", "product", p->kernel);
    if (status == TULLE_OK) status = check_room(p);
    if (status == TULLE_OK) status = foresee(ctx, p);
    return status == TULLE_OK ? tool_sparse_run(ctx, s, report, result) : status;
}
