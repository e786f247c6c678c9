/* SPDX-License-Identifier: Apache-2.0 */
/* Making and giving up a solver. */
#include <math.h>
#include <string.h>

#include "comm/comm.h"
#include "core/options.h"
#include "matrix/build.h"
#include "solver/solver.h"
#include "vector/operands.h"

/* Values that zeros in the options stand for. */
enum { MOST_ITERATIONS = 10000, PATIENCE = 1000, RESTART = 30 };

static void put_defaults(tulle_solver_options *o, tulle_type type) {
    if (o->tolerance == 0) o->tolerance = type == TULLE_F32 ? 1e-5 : 1e-8;
    if (o->max_iterations == 0) o->max_iterations = MOST_ITERATIONS;
    if (o->patience == 0) o->patience = PATIENCE;
    if (o->restart == 0) o->restart = RESTART;
    if (o->single_scale == 0) o->single_scale = 1;
}

#define REFUSE(...)                                                                                \
    tulle__fail(TULLE_INVALID_ARGUMENT, "tulle_solver_create", "options", -1,                      \
                "options: " __VA_ARGS__)

static bool is_size(double x) {
    return x >= 0 && x < INFINITY;
}

static tulle_status check_options(const tulle_solver_options *o) {
    if (!tulle__method_of(o->method)) return REFUSE("there is no method %d", (int)o->method);
    if (o->norm != TULLE_TRUE_NORM && o->norm != TULLE_PRECONDITIONED_NORM) {
        return REFUSE("norm is TULLE_TRUE_NORM or TULLE_PRECONDITIONED_NORM");
    }
    if (o->method == TULLE_FGMRES && o->norm == TULLE_PRECONDITIONED_NORM) {
        return REFUSE("TULLE_FGMRES goes with TULLE_TRUE_NORM, as its preconditioner may change");
    }
    if (!is_size(o->tolerance)) return REFUSE("tolerance is %g", o->tolerance);
    if (!is_size(o->absolute)) return REFUSE("absolute is %g", o->absolute);
    if (!is_size(o->max_seconds)) return REFUSE("max_seconds is %g", o->max_seconds);
    if (o->max_iterations < 0) {
        return REFUSE("max_iterations is %lld", (long long)o->max_iterations);
    }
    if (o->patience < 0) return REFUSE("patience is %lld", (long long)o->patience);
    if (o->restart < 0 || o->restart > TULLE__MOST_RESTART) {
        return REFUSE("restart is %d; it must be 1 to %d", o->restart, (int)TULLE__MOST_RESTART);
    }
    const bool estimated = o->lowest == 0 && o->highest == 0;
    if (!estimated && !(o->lowest > 0 && o->lowest < o->highest && is_size(o->highest))) {
        return REFUSE("0 < lowest < highest, and lowest is %g, highest %g", o->lowest, o->highest);
    }
    if (o->constant_null_space && o->null_space) {
        return REFUSE("constant_null_space and null_space exclude each other");
    }
    if (o->sum && o->comm) return REFUSE("sum and comm exclude each other");
    if (o->single_M && !o->single_A) return REFUSE("single_M goes with single_A");
    if (!is_size(o->single_scale)) return REFUSE("single_scale is %g", o->single_scale);
    if (o->single_scale > 0 && !o->single_A) return REFUSE("single_scale goes with single_A");
    return TULLE_OK;
}

static tulle_status check_operator(const tulle_ctx *ctx, const char *name, const tulle_linop *L,
                                   int64_t n, tulle_type type) {
    static const char *const function = "tulle_solver_create";
    if (!L) return TULLE_OK;
    TULLE__TRY(tulle__linop_check(function, name, ctx, L));
    TULLE__TRY(tulle__linop_check_square(function, name, L));
    if (L->rows != n) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, function, name, -1, "%s has %lld rows, A %lld",
                           name, (long long)L->rows, (long long)n);
    }
    if (L->type == type) return TULLE_OK;
    return tulle__fail(TULLE_TYPE_MISMATCH, function, name, -1, "%s takes %s vectors, not %s", name,
                       L->type == TULLE_F32 ? "f32" : "f64", type == TULLE_F32 ? "f32" : "f64");
}

/* Returns the communicator that adds up: the caller's, or A's where the caller adds up nothing. */
static tulle_comm *comm_of(const tulle_linop *A, const tulle_solver_options *o) {
    if (o->comm) return o->comm;
    return o->sum ? NULL : A->comm;
}

/* Refuses operators that communicate by another communicator than the one of the sums. */
static tulle_status check_comms(const tulle_linop *A, const tulle_linop *M,
                                const tulle_solver_options *o) {
    const tulle_linop *const operators[] = {A, M, o->single_A, o->single_M};
    static const char *const names[] = {"A", "M", "single_A", "single_M"};
    const tulle_comm *comm = comm_of(A, o);
    for (int i = 0; comm && i < 4; i++) {
        if (!operators[i] || !operators[i]->comm || operators[i]->comm == comm) continue;
        return tulle__fail(TULLE_INVALID_ARGUMENT, "tulle_solver_create", names[i], -1,
                           "%s has another communicator than %s", names[i],
                           o->comm ? "options.comm" : "A");
    }
    return TULLE_OK;
}

static tulle_status check(const tulle_ctx *ctx, const tulle_linop *A, const tulle_linop *M,
                          const tulle_solver_options *o, tulle_solver **S) {
    TULLE__NEED_OF("tulle_solver_create", ctx);
    TULLE__NEED_OF("tulle_solver_create", S);
    TULLE__TRY(check_options(o));
    TULLE__TRY(check_comms(A, M, o));
    TULLE__TRY(check_operator(ctx, "A", A, A->rows, A->type));
    TULLE__TRY(check_operator(ctx, "M", M, A->rows, A->type));
    TULLE__TRY(check_operator(ctx, "single_A", o->single_A, A->rows, TULLE_F32));
    TULLE__TRY(check_operator(ctx, "single_M", o->single_M, A->rows, TULLE_F32));
    if (o->single_A && A->type != TULLE_F64) return REFUSE("single_A is for A in f64");
    if (!o->null_space) return TULLE_OK;
    return tulle__operand_check("tulle_solver_create", ctx,
                                (tulle__operand){"null_space", o->null_space}, A->rows,
                                o->null_space->cols, A->type);
}

static tulle_status make_vectors(tulle_solver *S) {
    S->count = TULLE__OWN + S->method->vectors(S);
    S->length = tulle__stage_length(S->n);
    const int64_t each = S->length * tulle_type_size(S->type);
    size_t bytes;
    TULLE__TRY(tulle__size((int64_t)S->count * S->most_columns, each, 0, &bytes));
    TULLE__TRY(tulle__alloc(S->ctx, bytes, &S->numbers));
    TULLE__TRY(S->ctx->backend->set_bytes(&S->ctx->place, S->numbers, 0, bytes));
    for (int v = 0; v < S->count; v++) {
        S->vector[v] = (tulle_vec){.ctx = S->ctx,
                                   .rows = S->n,
                                   .cols = S->most_columns,
                                   .ld = S->length > 0 ? S->length : 1,
                                   .type = S->type,
                                   .layout = TULLE_COLUMN_MAJOR,
                                   .data = (char *)S->numbers + v * S->most_columns * each};
    }
    return S->type == TULLE_F32 ? tulle_vec_create(S->ctx, TULLE_F64, S->n, &S->exact) : TULLE_OK;
}

static tulle_status make_scalars(tulle_solver *S) {
    const tulle__backend *backend = S->ctx->backend;
    void *scalars = NULL, *sums = NULL, *back = NULL;
    const size_t columns = (size_t)S->most_columns, bytes = columns * sizeof *S->scalars;
    const size_t doubles = columns * (size_t)tulle__solver_sums_step(S);
    TULLE__TRY(tulle__alloc(S->ctx, bytes, &scalars));
    S->scalars = scalars;
    TULLE__TRY(backend->set_bytes(&S->ctx->place, scalars, 0, bytes));
    const size_t own = TULLE__STAGE_SUMS + 1; /* one for the count of blocks */
    TULLE__TRY(tulle__alloc(S->ctx, (doubles + own) * sizeof *S->sums, &sums));
    S->sums = sums;
    S->own_sums = S->sums + doubles;
    TULLE__TRY(backend->set_bytes(&S->ctx->place, S->own_sums, 0, own * sizeof *S->sums));
    TULLE__TRY(backend->host_allocate(S->ctx->place.device, 2 * bytes, &back));
    S->back = back;
    for (int i = 0; i < 2; i++) {
        TULLE__TRY(backend->event_create(S->ctx->place.device, &S->event[i]));
    }
    const int phases = S->method->phases(S);
    S->graphs = tulle__host_alloc(S->ctx, (size_t)(phases > 0 ? phases : 1) * sizeof *S->graphs);
    return S->graphs ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

/* Copies the caller's null vectors in f32 for the inner solver; constant ones are made there
 * again. */
static tulle_status narrow_null_space(tulle_solver *S, tulle_vec **narrow) {
    *narrow = NULL;
    if (!S->null_space || S->options.constant_null_space) return TULLE_OK;
    TULLE__TRY(tulle_vec_create_columns(S->ctx, TULLE_F32, S->n, S->null_space->cols,
                                        TULLE_COLUMN_MAJOR, 0, narrow));
    const tulle_status status = tulle_vec_copy(S->ctx, S->null_space, *narrow);
    if (status == TULLE_OK) return TULLE_OK;
    tulle_vec_destroy(*narrow);
    *narrow = NULL;
    return status;
}

/* Tells all processes how the making of a solver went here so far. Where the communicator has
 * failed, they hear of it by that. */
static tulle_status tell(tulle_comm *comm, tulle_status here) {
    if (!comm || (here != TULLE_OK && comm->failed)) return here;
    return tulle__comm_agree(comm, "tulle_solver_create", here, NULL, 0);
}

static tulle_status make_inner(tulle_solver *S) {
    tulle_solver_options o = S->options;
    tulle_vec *narrow;
    if (!o.single_A) return TULLE_OK;
    TULLE__TRY(tell(S->options.comm, narrow_null_space(S, &narrow)));
    o.single_A = o.single_M = NULL;
    o.null_space = narrow;
    o.guess = false;
    o.tolerance = o.absolute = o.single_scale = 0;
    if (!S->options.single_M) {
        o.lowest *= S->options.single_scale;
        o.highest *= S->options.single_scale;
    }
    const tulle_status status = tulle__solver_make(S->ctx, S->options.single_A, S->options.single_M,
                                                   &o, tulle__method_of(o.method), 1, &S->inner);
    tulle_vec_destroy(narrow);
    return status;
}

/* Compares what all processes must give alike. */
static tulle_status agree(const tulle_ctx *ctx, const tulle_linop *A, const tulle_linop *M,
                          const tulle_solver_options *o, tulle_status here) {
    const double numbers[] = {o->tolerance, o->absolute, o->lowest, o->highest, o->single_scale};
    uint64_t bits[sizeof numbers / sizeof *numbers];
    memcpy(bits, numbers, sizeof bits);
    const tulle__agreement facts[] = {
        {"ctx: a CPU or a GPU", ctx ? (uint64_t)ctx->kind : 0},
        {"type", (uint64_t)A->type},
        {"M", M != NULL},
        {"options.method", (uint64_t)o->method},
        {"options.tolerance", bits[0]},
        {"options.absolute", bits[1]},
        {"options.norm", (uint64_t)o->norm},
        {"options.max_iterations", (uint64_t)o->max_iterations},
        {"options.max_seconds (0 or not)", o->max_seconds != 0},
        {"options.patience", (uint64_t)o->patience},
        {"options.guess", o->guess},
        {"options.restart", (uint64_t)o->restart},
        {"options.lowest", bits[2]},
        {"options.highest", bits[3]},
        {"options.constant_null_space", o->constant_null_space},
        {"options.null_space", o->null_space ? (uint64_t)o->null_space->cols : 0},
        {"options.single_A", o->single_A != NULL},
        {"options.single_M", o->single_M != NULL},
        {"options.single_scale", bits[4]}};
    return tulle__comm_agree(comm_of(A, o), "tulle_solver_create", here, facts,
                             sizeof facts / sizeof *facts);
}

static tulle_status take_memory(tulle_solver *S) {
    const tulle_comm *comm = S->options.comm;
    S->pieces = tulle__stage_pieces(tulle__stage_length(S->n));
    S->places = comm && comm->functions.ranks > S->pieces ? comm->functions.ranks : S->pieces;
    TULLE__TRY(tulle__solver_take_null_space(S));
    TULLE__TRY(make_vectors(S));
    TULLE__TRY(make_scalars(S));
    return S->most_columns > 1 ? tulle__solver_make_members(S) : TULLE_OK;
}

/* All processes find alike that columns are not orthonormal. Any other failure here they do not
 * hear of. */
static tulle_status fill_null_space(tulle_solver *S) {
    const tulle_status status = tulle__solver_fill_null_space(S);
    const bool alike = status == TULLE_INVALID_ARGUMENT;
    return alike ? status : tulle__comm_spoil(S->options.comm, status);
}

/* All processes hear of a failure of one before they go on to what communicates. */
static tulle_status fill(tulle_solver *S) {
    tulle_comm *comm = S->options.comm;
    TULLE__TRY(tell(comm, take_memory(S)));
    TULLE__TRY(fill_null_space(S));
    TULLE__TRY(make_inner(S));
    return S->method->make ? tell(comm, S->method->make(S)) : TULLE_OK;
}

tulle_status tulle__solver_make(tulle_ctx *ctx, tulle_linop *A, tulle_linop *M,
                                const tulle_solver_options *options, const tulle__method *method,
                                int columns, tulle_solver **S) {
    tulle_solver *made = tulle__host_alloc(ctx, sizeof *made);
    *S = NULL;
    if (!made) return tell(comm_of(A, options), TULLE_OUT_OF_MEMORY);
    tulle__ctx_retain(ctx);
    made->ctx = ctx;
    made->A = tulle__linop_retain(A);
    made->M = tulle__linop_retain(M);
    made->options = *options;
    tulle__linop_retain(options->single_A);
    tulle__linop_retain(options->single_M);
    made->options.comm = tulle__comm_retain(comm_of(A, options));
    put_defaults(&made->options, A->type);
    made->first = made->method = method;
    made->type = A->type;
    made->n = A->rows;
    made->columns = made->most_columns = columns;
    const tulle_status status = fill(made);
    if (status != TULLE_OK) {
        tulle_solver_destroy(made);
        return status;
    }
    *S = made;
    return TULLE_OK;
}

/* Largest numbers of rows and of entries for pipelined CG. Its iteration has two launches, not
 * four, but passes over twice as many numbers of vectors, and every 16 iterations it makes three
 * products more: both together should take less time than two launches. */
static const int64_t most_pipelined = 1 << 18, most_entries = 1 << 21;

static bool is_small(const tulle_linop *A) {
    return A->rows <= most_pipelined && A->entries <= most_entries;
}

/* Largest mean numbers of rows of a process for CG with one sum: it passes over a vector or two
 * more than cg.c, which should take less time than a sum does. On H200s a sum takes 12 us. */
static const double most_one_sum = 3e6, most_one_sum_on_cpu = 1 << 14;

/* Finds out whether CG with one sum an iteration pays, for all processes alike. */
static tulle_status look_for_one_sum(const tulle_ctx *ctx, const tulle_linop *A, tulle_comm *comm,
                                     bool *pays) {
    double all[] = {(double)A->rows, ctx->kind == TULLE_CPU};
    *pays = false;
    if (!comm || comm->functions.ranks == 1) return TULLE_OK;
    TULLE__TRY(tulle__comm_sum_host(comm, all, 2));
    const double most = all[1] > 0 ? most_one_sum_on_cpu : most_one_sum;
    *pays = all[0] <= comm->functions.ranks * most;
    return TULLE_OK;
}

static const tulle__method *choose_method(const tulle_ctx *ctx, const tulle_linop *A,
                                          const tulle_linop *M, const tulle_solver_options *o,
                                          bool one_sum_pays) {
    const bool cg = o->method == TULLE_CG && !o->null_space && !o->constant_null_space;
    const tulle_comm *comm = comm_of(A, o);
    const bool pipelined =
        cg && ctx->kind != TULLE_CPU && !o->sum && !comm && (!M || M->scales) && is_small(A);
    if (o->single_A) return &tulle__outer;
    if (cg && one_sum_pays) return &tulle__cg_one_sum;
    return pipelined ? &tulle__pipelined_cg : tulle__method_of(o->method);
}

tulle_status tulle_solver_create_sized(tulle_ctx *ctx, tulle_linop *A, tulle_linop *M,
                                       const tulle_solver_options *options, size_t options_size,
                                       tulle_solver **S) {
    if (S) *S = NULL;
    TULLE__NEED(A);
    tulle_solver_options own = {.method = TULLE_CG};
    tulle_status status = tulle__options_take(__func__, options, options_size, &own, sizeof own);
    options = &own;
    if (status == TULLE_OK) status = check(ctx, A, M, options, S);
    if (comm_of(A, options)) status = agree(ctx, A, M, options, status);
    TULLE__TRY(status);
    bool one_sum;
    TULLE__TRY(look_for_one_sum(ctx, A, comm_of(A, options), &one_sum));
    return tulle__solver_make(ctx, A, M, options, choose_method(ctx, A, M, options, one_sum), 1, S);
}

void tulle__solver_turn_to(tulle_solver *S, const tulle__method *method) {
    if (S->method == method) return;
    tulle__solver_forget_graphs(S);
    S->method = method;
}

static void forget(tulle_solver *S, tulle__graph_of *g) {
    if (g->graph) S->ctx->backend->graph_destroy(S->ctx->place.device, g->graph);
    *g = (tulle__graph_of){NULL, false};
}

void tulle__solver_forget_graphs(tulle_solver *S) {
    const int phases = S->method->phases(S), count = phases > 0 ? phases : 1;
    forget(S, &S->round);
    forget(S, &S->prepared);
    for (int i = 0; S->graphs && i < count; i++) forget(S, S->graphs + i);
}

void tulle_solver_destroy(tulle_solver *S) {
    if (!S) return;
    tulle_ctx *ctx = S->ctx;
    const tulle__backend *backend = ctx->backend;
    backend->stream_wait(ctx->place.device, ctx->place.stream);
    tulle__solver_forget_graphs(S);
    tulle__host_free(ctx, S->graphs);
    for (int i = 0; i < 2; i++) {
        if (S->event[i]) backend->event_destroy(ctx->place.device, S->event[i]);
    }
    if (S->back) backend->host_release(ctx->place.device, S->back);
    tulle__free(ctx, S->numbers);
    tulle__free(ctx, S->scalars);
    tulle__free(ctx, S->sums);
    tulle__free(ctx, S->basis.V);
    tulle__free(ctx, S->basis.Z);
    tulle__free(ctx, S->basis.small);
    tulle_vec_destroy(S->exact);
    tulle_vec_destroy(S->null_space);
    tulle_vec_destroy(S->along);
    tulle_solver_destroy(S->inner);
    tulle_solver_destroy(S->several);
    for (int j = 0; S->members && j < S->most_columns; j++) {
        tulle__free(ctx, S->members[j].basis.small);
        tulle__host_free(ctx, S->members[j].room);
    }
    tulle__host_free(ctx, S->members);
    tulle__host_free(ctx, S->reports);
    tulle__host_free(ctx, S->room);
    tulle_linop_destroy(S->options.single_A);
    tulle_linop_destroy(S->options.single_M);
    tulle_comm_destroy(S->options.comm);
    tulle_linop_destroy(S->A);
    tulle_linop_destroy(S->M);
    tulle__host_free(ctx, S);
    tulle__ctx_release(ctx);
}
