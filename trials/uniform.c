/* SPDX-License-Identifier: Apache-2.0 */
/* Many small systems of one pattern at once. Each has the matrix's diagonal, which dominates, and
 * its other entries times random numbers of (-1, 1). */
#include "trials/uniform.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/stopwatch.h"
#include "tools/common/block.h"
#include "tools/common/error.h"

tulle_method trial_uniform_method(int detail) {
    return detail == TRIAL_UNIFORM_GMRES ? TULLE_GMRES : TULLE_BICGSTAB;
}

double trial_uniform_tolerance(tulle_type type) {
    return type == TULLE_F32 ? 1e-5 : 1e-8;
}

static tulle_uniform_options options_of(const trial_problem *p) {
    const bool ilu = p->detail == TRIAL_UNIFORM_ILU;
    return (tulle_uniform_options){.method = trial_uniform_method(p->detail),
                                   .preconditioner = ilu ? TULLE_UNIFORM_ILU : TULLE_UNIFORM_JACOBI,
                                   .tolerance = trial_uniform_tolerance(p->info.type),
                                   .restart = TRIAL_UNIFORM_RESTART};
}

static double number(tulle_type type, const void *numbers, int64_t i) {
    return type == TULLE_F32 ? (double)((const float *)numbers)[i] : ((const double *)numbers)[i];
}

static void put(tulle_type type, void *numbers, int64_t i, double value) {
    if (type == TULLE_F32) {
        ((float *)numbers)[i] = (float)value;
    } else {
        ((double *)numbers)[i] = value;
    }
}

static void take_pattern(trial_uniform *u, const tool_csr *A) {
    u->entries = A->nnz;
    u->offsets = tool_alloc((size_t)A->rows + 1, sizeof *u->offsets);
    u->columns = tool_alloc((size_t)A->nnz + 1, sizeof *u->columns);
    for (int64_t i = 0; i <= A->rows; i++) u->offsets[i] = (int32_t)tool_csr_offset(A, i);
    for (int64_t e = 0; e < A->nnz; e++) u->columns[e] = (int32_t)tool_csr_column(A, e);
}

/* Turns random numbers, which the place has made, into those of the matrices: off the diagonal each
 * times A's entry, on the diagonal A's entry itself. */
static void scale_values(const trial_uniform *u, const tool_csr *A, void *values) {
    for (int64_t i = 0; i < A->rows; i++) {
        for (int64_t e = u->offsets[i]; e < u->offsets[i + 1]; e++) {
            const bool diagonal = u->columns[e] == i;
            const double most = tool_csr_value(A, e);
            for (int64_t s = 0; s < u->systems; s++) {
                const int64_t at = s * u->entries + e;
                put(A->type, values, at, diagonal ? most : most * number(A->type, values, at));
            }
        }
    }
}

static tulle_status make_values(const trial_problem *p, trial_uniform *u, const tool_csr *A,
                                uint64_t seed) {
    tulle_status status = tulle_vec_create_columns(p->ctx, p->info.type, u->entries, u->systems,
                                                   p->block.layout, 0, &u->values);
    if (status != TULLE_OK) return status;
    void *values = tool_block_host(u->values);
    status = tulle_vec_random(p->ctx, u->values, seed);
    if (status == TULLE_OK) status = tool_block_read(p->ctx, u->values, values);
    if (status == TULLE_OK) {
        scale_values(u, A, values);
        status = tool_block_write(p->ctx, u->values, values);
    }
    u->host_values = values;
    return status;
}

static tulle_status open_vectors(trial_problem *p, trial_uniform *u, const trial_given *given) {
    tulle_vec **const both[] = {&p->x, &p->y};
    tulle_status status = TULLE_OK;
    for (int i = 0; i < 2 && status == TULLE_OK; i++) {
        status = tulle_vec_create_columns(p->ctx, p->info.type, p->info.rows, u->systems,
                                          p->block.layout, 0, both[i]);
    }
    if (status == TULLE_OK) status = tulle_vec_random(p->ctx, p->x, given->seed + 1);
    if (status != TULLE_OK || !given->check) return status;
    u->host_x = tool_block_host(p->x);
    return tool_block_read(p->ctx, p->x, u->host_x);
}

/* Notes fewest bytes and operations of a call: the pattern is read once, all numbers once, and y is
 * written. */
static void count(trial_problem *p, const trial_uniform *u) {
    const int64_t value = tulle_type_size(p->info.type), n = p->info.rows;
    p->minimal_bytes = u->systems * (u->entries + 2 * n) * value +
                       (u->entries + n + 1) * (int64_t)sizeof *u->columns;
    if (p->detail == TRIAL_UNIFORM_SPMV) p->flops = 2 * (double)u->systems * (double)u->entries;
}

static tulle_status open_all(trial_problem *p, trial_uniform *u, const trial_given *given,
                             const tool_csr *A) {
    take_pattern(u, A);
    tulle_status status = tulle_uniform_create(p->ctx, p->info.rows, u->offsets, u->columns, &u->P);
    if (status == TULLE_OK) status = make_values(p, u, A, given->seed);
    return status == TULLE_OK ? open_vectors(p, u, given) : status;
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    const bool fits = p->info.format == TULLE_CSR && p->info.rows <= TULLE_UNIFORM_MOST_ROWS &&
                      p->info.nnz <= TULLE_UNIFORM_MOST_ENTRIES;
    if (!fits) {
        return tool_record(TULLE_UNSUPPORTED,
                           "systems of a uniform batch are in CSR, of up to %d "
                           "rows and %d entries",
                           TULLE_UNIFORM_MOST_ROWS, TULLE_UNIFORM_MOST_ENTRIES);
    }
    trial_uniform *u = tool_alloc(1, sizeof *u);
    *u = (trial_uniform){.systems = given->block.vectors};
    p->own = u;
    tool_csr A;
    tulle_status status = tool_csr_open(p->ctx, given->csr, &A);
    if (status != TULLE_OK) return status;
    status = open_all(p, u, given, &A);
    tool_csr_close(&A);
    count(p, u);
    return status;
}

static void close_problem(trial_problem *p) {
    trial_uniform *u = p->own;
    if (!u) return;
    tulle_uniform_destroy(u->P);
    tulle_vec_destroy(u->values);
    free(u->offsets);
    free(u->columns);
    free(u->host_values);
    free(u->host_x);
    free(u);
}

/* Notes as the time of preparing the time to make a pattern, with what that finds out. */
static tulle_status prepare(const trial_problem *p, trial_task *task) {
    const trial_uniform *u = p->own;
    tulle_uniform *again = NULL;
    const double start = tulle__seconds();
    tulle_status status =
        tulle_uniform_create(p->ctx, p->info.rows, u->offsets, u->columns, &again);
    task->prep_ms = 1e3 * (tulle__seconds() - start);
    task->state = (void *)p;
    tulle_uniform_destroy(again);
    return status;
}

static tulle_status run(void *state) {
    const trial_problem *p = state;
    const trial_uniform *u = p->own;
    const tulle_uniform_options options = options_of(p);
    if (p->detail == TRIAL_UNIFORM_SPMV) {
        return tulle_uniform_spmv(p->ctx, u->P, tulle_num(1), u->values, p->x, tulle_num(0), p->y);
    }
    return tulle_uniform_solve(p->ctx, u->P, &options, u->values, p->x, p->y,
                               (tulle_uniform_reports){NULL});
}

static void finish(void *state) {
    (void)state;
}

/* Returns gamma(n) = n u / (1 - n u), u the unit roundoff of f32 or f64. */
static double gamma_of(tulle_type type, double n) {
    const double unit = type == TULLE_F32 ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
    return n * unit / (1 - n * unit);
}

/* Returns the error of one system: |A x - y| row by row in units of the bound of a product; or |b -
 * A x| in units of the bound allowed, x being rounded to its type. */
static double error_of_system(const trial_problem *p, int64_t s, const void *y) {
    const trial_uniform *u = p->own;
    const int64_t n = p->info.rows;
    const tulle_type type = p->info.type;
    const bool product = p->detail == TRIAL_UNIFORM_SPMV;
    const void *of_a = product ? u->host_x : y, *other = product ? y : u->host_x;
    double worst = 0, residual = 0, mass = 0, b = 0;
    for (int64_t i = 0; i < n; i++) {
        const double from = number(type, other, s * n + i);
        long double sum = 0, size = 0;
        for (int64_t e = u->offsets[i]; e < u->offsets[i + 1]; e++) {
            const long double term = (long double)number(type, u->host_values, s * u->entries + e) *
                                     number(type, of_a, s * n + u->columns[e]);
            sum += term;
            size += fabsl(term);
        }
        const double off = (double)fabsl(sum - from);
        const double bound = gamma_of(type, u->offsets[i + 1] - u->offsets[i] + 2) * (double)size;
        worst = fmax(worst, isnan(off) ? (double)INFINITY : off / fmax(bound, FLT_MIN));
        residual += off * off;
        mass += (double)(size * size);
        b += from * from;
    }
    if (product) return worst;
    const double allowed = trial_uniform_tolerance(type) * sqrt(b) + gamma_of(type, 2) * sqrt(mass);
    return isnan(residual) ? (double)INFINITY : sqrt(residual) / allowed;
}

static tulle_status error_of(const trial_problem *p, void *state, double *units) {
    const trial_uniform *u = p->own;
    (void)state;
    *units = (double)NAN;
    if (!u->host_x) return TULLE_OK;
    void *y = tool_block_host(p->y);
    tulle_status status = tool_block_read(p->ctx, p->y, y);
    double worst = 0;
    if (status == TULLE_OK) {
#pragma omp parallel for reduction(max : worst)
        for (int64_t s = 0; s < u->systems; s++) worst = fmax(worst, error_of_system(p, s, y));
        *units = worst;
    }
    free(y);
    return status;
}

const trial_operation trial_operation_uniform = {
    .name = "uniform",
    .function = "tulle_uniform_solve",
    .formula = "A x = b in a uniform batch",
    .blocks = true,
    .detail = TRIAL_UNIFORM_DETAILS,
    .open = open_problem,
    .close = close_problem,
    .prepare = prepare,
    .run = run,
    .finish = finish,
    .reset = trial_problem_poison,
    .error = error_of,
};
