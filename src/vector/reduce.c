/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions that compute one number of each column. */
#include <stdatomic.h>
#include <string.h>

#include "core/stopwatch.h"
#include "matrix/operand.h"
#include "vector/functions.h"
#include "vector/operands.h"

/* The arguments of one call. A function without Y or Z has X in their place. */
typedef struct call {
    const char *function;
    tulle_ctx *ctx;
    tulle__operand x, y, z;
    tulle_result result;
} call;

/* Fails if alpha, by address, overlaps the results: a block may store a result before the last
 * block has read alpha. */
static tulle_status check_alpha(const call *a, const tulle__reduction *r) {
    const int64_t size = tulle_type_size(r->type);
    TULLE__TRY(tulle__address_check(a->function, "alpha", r->alpha.address, 1, r->type, a->y));
    if (!tulle__overlap(r->alpha.address, size, a->result.address, r->cols * size)) return TULLE_OK;
    return tulle__fail(TULLE_ALIASED, a->function, "result", -1, "result overlaps alpha");
}

static tulle_status check(const call *a, const tulle__reduction *r) {
    const tulle__operand all[] = {a->x, a->y, a->z};
    if (!a->result.number && !a->result.address && r->cols > 0) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, a->function, "result", -1,
                           "result has neither a number on the host nor an address");
    }
    for (int i = 0; i < 3; i++) {
        TULLE__TRY(tulle__operand_check(a->function, a->ctx, all[i], r->rows, r->cols, r->type));
        TULLE__TRY(tulle__address_check(a->function, "result", a->result.address, r->cols, r->type,
                                        all[i]));
    }
    if (r->what != TULLE__REDUCED_AXPY_DOT) return TULLE_OK;
    TULLE__TRY(tulle__operand_apart(a->function, a->y, a->x));
    TULLE__TRY(tulle__operand_apart(a->function, a->y, a->z));
    return check_alpha(a, r);
}

static size_t result_bytes(const tulle__reduction *r) {
    return (size_t)r->cols * (size_t)tulle_type_size(r->type);
}

/* Byte that fills the place of a result before the result arrives. Each result but the NaN of only
 * ones differs from it in some byte. */
enum { NOT_LANDED = 0xff };

/* Makes room in the workspace for partial results, and behind them for results on the host that are
 * too many for landing. */
static tulle_status make_room(const call *a, tulle__reduction *r) {
    const int64_t partials = tulle__partials_count(r->cols, r->pieces);
    size_t bytes;
    void *room = NULL;
    TULLE__TRY(tulle__size(partials, sizeof *r->partials, 0, &bytes));
    TULLE__TRY(tulle__size(r->cols, sizeof(double), (int64_t)bytes, &bytes));
    TULLE__TRY(tulle__workspace(a->ctx, bytes, &room));
    r->partials = room;
    r->result = a->result.address ? a->result.address : (void *)(r->partials + partials);
    const bool lands = !a->result.address && result_bytes(r) <= TULLE__LANDING_BYTES;
    if (!lands) return TULLE_OK;
    TULLE__TRY(tulle__landing(a->ctx, &r->result));
    memset(r->result, NOT_LANDED, result_bytes(r));
    return TULLE_OK;
}

static bool landed(const tulle__reduction *r) {
    const size_t bytes = (size_t)tulle_type_size(r->type);
    const volatile unsigned char *number = r->result;
    for (int64_t c = 0; c < r->cols; c++, number += bytes) {
        size_t same = 0;
        while (same < bytes && number[same] == NOT_LANDED) same++;
        if (same == bytes) return false;
    }
    return true;
}

/* Waits for results that the kernel stores into host memory, and reads them before the kernel has
 * ended, which takes microseconds more. Results that take longer, a NaN of only ones, and a kernel
 * that fails are left to a wait for the stream. */
static tulle_status await_landing(const call *a, const tulle__reduction *r) {
    const double watched = 50e-6, start = tulle__seconds();
    while (!landed(r)) {
        if (tulle__seconds() - start < watched) continue;
        return a->ctx->backend->stream_wait(a->ctx->place.device, a->ctx->place.stream);
    }
    atomic_thread_fence(memory_order_acquire);
    return TULLE_OK;
}

static tulle_status fetch(const call *a, const tulle__reduction *r) {
    if (r->result != a->ctx->landing) {
        return tulle__copy_wait(a->ctx, a->result.number, r->result, result_bytes(r));
    }
    TULLE__TRY(await_landing(a, r));
    memcpy(a->result.number, r->result, result_bytes(r));
    return TULLE_OK;
}

/* Converts numbers of the type to the caller's doubles, in place, the last one first. */
static tulle_status to_host(const call *a, const tulle__reduction *r) {
    double *numbers = a->result.number;
    TULLE__TRY(fetch(a, r));
    for (int64_t c = r->cols; r->type == TULLE_F32 && c-- > 0;) {
        float narrow;
        memcpy(&narrow, (const char *)numbers + c * (int64_t)sizeof narrow, sizeof narrow);
        numbers[c] = (double)narrow;
    }
    return TULLE_OK;
}

static tulle_status compute(const call *a, const tulle__reduction *r) {
    const bool lent = a->result.address || r->result == a->ctx->landing;
    TULLE__TRY(tulle__scalar_lend(a->ctx, r->alpha, r->type));
    tulle_status status = lent ? tulle__lend(a->ctx, r->result, result_bytes(r)) : TULLE_OK;
    if (status == TULLE_OK) {
        status = a->ctx->backend->vector->reduce(&a->ctx->place, r);
        if (lent) tulle__give_back(a->ctx, r->result);
    }
    tulle__scalar_give_back(a->ctx, r->alpha);
    return status;
}

static tulle_status run(const call *a, tulle__reduction r) {
    r.rows = a->x.X->rows;
    r.cols = a->x.X->cols;
    r.type = a->x.X->type;
    r.x = tulle__strided_of(a->x.X);
    r.y = tulle__strided_of(a->y.X);
    r.z = tulle__strided_of(a->z.X);
    r.width = tulle__reduction_width(r.cols, r.x.col == 1);
    if (r.what == TULLE__REDUCED_AXPY_DOT) {
        /* the width must be that of the inner product of Z and Y, so that the bits are the same */
        r.width = tulle__reduction_width(r.cols, r.z.col == 1);
        r.z_is_y = tulle__same_numbers(a->y.X, a->z.X);
    }
    r.pieces = tulle__reduction_pieces(r.rows, r.width);
    TULLE__TRY(check(a, &r));
    if (r.cols == 0) return TULLE_OK;
    TULLE__TRY(make_room(a, &r));
    TULLE__TRY(compute(a, &r));
    return a->result.address ? TULLE_OK : to_host(a, &r);
}

tulle_status tulle_vec_dot(tulle_ctx *ctx, const tulle_vec *X, const tulle_vec *Y,
                           tulle_result result) {
    TULLE__NEED(ctx);
    TULLE__NEED(X);
    TULLE__NEED(Y);
    const call a = {__func__, ctx, {"X", X}, {"Y", Y}, {"X", X}, result};
    return run(&a, (tulle__reduction){.what = TULLE__REDUCED_DOT});
}

tulle_status tulle_vec_axpy_dot(tulle_ctx *ctx, tulle_scalar alpha, const tulle_vec *X,
                                tulle_vec *Y, const tulle_vec *Z, tulle_result result) {
    TULLE__NEED(ctx);
    TULLE__NEED(X);
    TULLE__NEED(Y);
    TULLE__NEED(Z);
    const call a = {__func__, ctx, {"X", X}, {"Y", Y}, {"Z", Z}, result};
    return run(&a, (tulle__reduction){.what = TULLE__REDUCED_AXPY_DOT, .alpha = alpha});
}

tulle_status tulle_vec_norm2(tulle_ctx *ctx, const tulle_vec *X, tulle_result result) {
    TULLE__NEED(ctx);
    TULLE__NEED(X);
    const call a = {__func__, ctx, {"X", X}, {"X", X}, {"X", X}, result};
    return run(&a, (tulle__reduction){.what = TULLE__REDUCED_NORM2});
}

tulle_status tulle_vec_norm_max(tulle_ctx *ctx, const tulle_vec *X, tulle_result result) {
    TULLE__NEED(ctx);
    TULLE__NEED(X);
    const call a = {__func__, ctx, {"X", X}, {"X", X}, {"X", X}, result};
    return run(&a, (tulle__reduction){.what = TULLE__REDUCED_NORM_MAX});
}
