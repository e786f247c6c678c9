/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm_product.h"

#include <inttypes.h>
#include <string.h>

#include "core/available.h"
#include "tools/common/error.h"
#include "tools/common/kernel_name.h"
#include "tools/common/names.h"
#include "tools/common/progress.h"
#include "tools/common/sums.h"
#include "tools/common/table.h"
#include "tools/common/timing.h"
#include "tulle/advanced.h"

int64_t tool_spgemm_bytes(const tulle_mat_info *info) {
    return info->pattern_bytes + info->value_bytes;
}

static int64_t rows_of(const tool_spgemm_operand *o) {
    return o->op == TULLE_N ? o->info.rows : o->info.cols;
}

static int64_t cols_of(const tool_spgemm_operand *o) {
    return o->op == TULLE_N ? o->info.cols : o->info.rows;
}

static tulle_status check_shapes(const tool_spgemm *p) {
    int64_t inner = cols_of(&p->A), rows = rows_of(&p->B);
    if (inner == rows) return TULLE_OK;
    static const char *const turned[] = {[TULLE_N] = "", [TULLE_T] = " transposed"};
    return tool_record(TULLE_SHAPE_MISMATCH,
                       "A%s (%s) has %" PRId64 " columns, but B%s (%s) has %" PRId64
                       " rows: --transpose-a and --transpose-b turn them",
                       turned[p->A.op], p->A.name, inner, turned[p->B.op], p->B.name, rows);
}

static tulle_status check_index(const tool_spgemm *p) {
    int64_t rows = rows_of(&p->A), cols = cols_of(&p->B);
    bool narrow = p->options.index_given && tulle_index_size(p->options.index) == 4;
    if (!narrow || (rows <= INT32_MAX && cols <= INT32_MAX)) return TULLE_OK;
    return tool_record(TULLE_TOO_LARGE,
                       "--index %s: C is %" PRId64 " x %" PRId64
                       ", and 32-bit indices end at 2147483647; take 64 or auto",
                       tool_index_name(p->options.index), rows, cols);
}

/* What the check needs of an operand: its rows, and its arrays where they are not the host's. */
static int64_t operand_bytes(const tool_spgemm_operand *o) {
    bool compressed = o->info.format == TULLE_DCSR, turned = o->op == TULLE_T;
    int64_t copy = o->info.backend == TULLE_CPU ? 0 : tool_spgemm_bytes(&o->info);
    return tool_plus(copy, tool_verify_operand_bytes(rows_of(o), o->info.nnz, turned, compressed));
}

static tulle_status check_room(const tool_spgemm *p) {
    int64_t need = tool_plus(tool_verify_spgemm_bytes(cols_of(&p->B)),
                             tool_plus(operand_bytes(&p->A), operand_bytes(&p->B)));
    int64_t room = tulle__cpu_available();
    if (!p->check || room <= 0 || need <= room) return TULLE_OK;
    char wanted[TOOL_HUMAN], available[TOOL_HUMAN];
    return tool_record(TULLE_TOO_LARGE,
                       "the check of a product with %" PRId64
                       " columns takes %s, and this machine has %s of memory available: "
                       "--no-check leaves it out",
                       cols_of(&p->B), tool_human_bytes((double)need, wanted),
                       tool_human_bytes((double)room, available));
}

/* A kernel for another operation may be forced and still not run. */
static tulle_status check_kernel(tulle_backend backend, const char *spec) {
    for (int i = 0; i < tulle_kernel_count(backend); i++) {
        tulle_kernel_info info;
        tulle_status status = tulle_kernel_describe(backend, i, &info);
        if (status != TULLE_OK) return status;
        if (tool_kernel_means(spec, info.name) && strcmp(info.operation, "spgemm") == 0) {
            return TULLE_OK;
        }
    }
    return tool_record(TULLE_UNSUPPORTED,
                       "%s takes no part in this product, whose kernels begin with spgemm_ "
                       "(tulle kernels lists them)",
                       spec);
}

static tulle_status force(tulle_ctx *ctx, const char *kernel) {
    char spec[TOOL_KERNEL_SPEC];
    tulle_device_info device;
    if (!kernel) return TULLE_OK;
    tulle_status status = tulle_ctx_device(ctx, &device);
    if (status != TULLE_OK) return status;
    tool_kernel_spec(device.backend, "spgemm", kernel, spec);
    status = tulle_ctx_force_kernel(ctx, spec);
    return status == TULLE_OK ? check_kernel(device.backend, spec) : status;
}

static tulle_status multiply(tulle_ctx *ctx, const tool_spgemm *p, tulle_spgemm_report *report,
                             tulle_mat **C) {
    return tulle_spgemm(ctx, p->A.op, p->B.op, tulle_num(p->alpha), p->A.matrix, p->B.matrix,
                        &p->options, report, C);
}

static tulle_status check(tulle_ctx *ctx, const tool_spgemm *p, const tulle_mat *C,
                          tool_spgemm_error *error) {
    tool_csr a = {0}, b = {0}, c = {0};
    tulle_status status = tool_csr_open(ctx, p->A.matrix, &a);
    if (status == TULLE_OK) status = tool_csr_open(ctx, p->B.matrix, &b);
    if (status == TULLE_OK) status = tool_csr_open(ctx, C, &c);
    const tool_spgemm_claim claim = {.A = &a,
                                     .B = &b,
                                     .C = &c,
                                     .op_A = p->A.op,
                                     .op_B = p->B.op,
                                     .alpha = p->alpha,
                                     .rising = !p->options.unsorted};
    if (status == TULLE_OK) status = tool_verify_spgemm(&claim, error);
    tool_csr_close(&c);
    tool_csr_close(&b);
    tool_csr_close(&a);
    tool_progress_end();
    return status;
}

/* The first call, and what is made of its C, which goes before calls are timed. */
static tulle_status run_first(tulle_ctx *ctx, const tool_spgemm *p, tool_spgemm_result *result) {
    tulle_mat *C = NULL;
    tulle_status status = multiply(ctx, p, &result->report, &C);
    tool_progress_end();
    result->first_ms = result->report.total_ms;
    if (status == TULLE_OK) status = tulle_mat_describe(C, &result->info);
    if (status == TULLE_OK && p->check) status = check(ctx, p, C, &result->error);
    if (status == TULLE_OK && p->output) {
        const tulle_save_options plain = {.binary = false};
        status = tool_write_matrix(ctx, C, p->output, &plain, &result->written);
    }
    tulle_mat_destroy(C);
    return status;
}

/* The call that is timed, as tool_time wants it. */
typedef struct call {
    tulle_ctx *ctx;
    const tool_spgemm *product;
    tulle_spgemm_report *report;
} call;

static tulle_status run_call(void *user) {
    call *c = user;
    tulle_mat *C = NULL;
    tulle_status status = multiply(c->ctx, c->product, c->report, &C);
    tulle_mat_destroy(C);
    return status;
}

/* A report makes a call wait between its phases: so the phases are those of one more call. */
static tulle_status run_timed(tulle_ctx *ctx, const tool_spgemm *p, tool_spgemm_result *result) {
    tool_timing timing;
    tulle_status status = tool_time(ctx, (int)p->repeat, run_call, &(call){ctx, p, NULL}, &timing);
    if (status == TULLE_OK) status = run_call(&(call){ctx, p, &result->report});
    tool_progress_end();
    result->ms = timing.ms;
    result->ms_q10 = timing.q10;
    result->ms_q90 = timing.q90;
    return status;
}

tulle_status tool_run_spgemm(tulle_ctx *ctx, const tool_spgemm *product,
                             tool_spgemm_result *result) {
    *result = (tool_spgemm_result){0};
    tulle_status status = check_shapes(product);
    if (status == TULLE_OK) status = check_index(product);
    if (status == TULLE_OK) status = force(ctx, product->kernel);
    if (status == TULLE_OK) status = check_room(product);
    if (status == TULLE_OK) status = run_first(ctx, product, result);
    if (status != TULLE_OK || product->repeat == 0) return status;
    return run_timed(ctx, product, result);
}
