/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv/optimize/contest.h"

#include <math.h>

#include "spmv/bytes.h"
#include "spmv/select.h"

/* Factors of the models' cost that a plan on plain CSR may come to. Models know nothing of the
 * places of x that are read, so that another kernel than the rule's is sometimes faster by a
 * seventh (docs/tuning.md); and prepared data save a twentieth (csr_adaptive). */
static const double another_factor = 0.85, prepared_factor = 0.95;

double tulle__contest_us(const tulle__contest *c, double bytes) {
    return bytes / tulle__bytes_a_microsecond(&c->ctx->info);
}

double tulle__contest_total_now(const tulle__contest *c) {
    return (double)c->options.expected_calls * c->now_cost;
}

double tulle__contest_total(const tulle__contest *c, const tulle__candidate *candidate) {
    return (double)c->options.expected_calls * candidate->cost + candidate->prepare;
}

/* Cost of a call that is not planned, times the products that it takes; infinite: no kernel. */
static double unplanned(const tulle__contest *c, const tulle__spmv_call *call, tulle__spec *spec) {
    for (int stage = TULLE__BY_RULE; stage <= TULLE__BY_REFERENCE; stage++) {
        tulle__spmv_selection found;
        tulle_status status = tulle__spmv_select(c->ctx, c->A, call, (tulle__stage)stage, &found);
        if (status != TULLE_OK) continue;
        *spec = found.spec;
        double cost = tulle__spmv_cost(&found.spec, &found.shape);
        tulle__spmv_unselect(&found);
        return cost;
    }
    if (!tulle__spmv_by_columns(c->ctx, call)) return INFINITY;
    tulle__spmv_call column = tulle__one_vector(call->op);
    return (double)call->vectors * unplanned(c, &column, spec);
}

void tulle__contest_start(tulle__contest *c) {
    c->now_cost = unplanned(c, &c->call, &c->now);
    bool repeats = c->now.kernel && (c->now.kernel->flags & TULLE__REPEATABLE_T);
    c->must = c->call.op == TULLE_T ? !repeats : !c->now.kernel;
}

/* A form that candidates may run on. */
typedef struct entry {
    tulle__pattern *csr; /* pattern that it is made from: A's or its transpose */
    tulle__form_key key;
    tulle_trans run_op;
    tulle__values values;
} entry;

static tulle_type type_of(const entry *e) {
    return tulle__stored_type(e->values);
}

static tulle__spmv_shape shape_of(const tulle__contest *c, const entry *e,
                                  const tulle_storage *storage) {
    tulle__spmv_call call = c->call;
    call.op = e->run_op;
    tulle__spmv_shape shape = tulle__spmv_shape_of(c->ctx, e->csr, e->values, &call);
    shape.format = e->key.format;
    shape.storage = storage;
    return shape;
}

static bool is_mixed(const entry *e) {
    return type_of(e) != tulle__computed_type(e->values);
}

static bool is_plain(const entry *e) {
    return e->key.format == TULLE_CSR && !e->key.transposed && !is_mixed(e);
}

/* Returns the cost of a kernel by its model, reduced by a factor where the kernel will be measured
 * and may turn out to be better than its model says. INFINITY for plain CSR with the kernel that
 * runs now, which is no candidate. */
static double hoped_cost(const tulle__contest *c, const entry *e, const tulle__spmv_shape *shape,
                         const tulle__spec *spec) {
    bool prepares = tulle__spmv_of(spec->kernel)->prepare != NULL;
    double cost = tulle__spmv_cost(spec, shape);
    if (prepares) cost *= prepared_factor;
    if (!is_plain(e)) return cost;
    bool as_it_is = spec->kernel == c->now.kernel;
    if (as_it_is) return prepares ? cost : INFINITY;
    return c->ctx->repeatable ? cost : another_factor * cost;
}

/* Finds the cheapest kernel that takes the shape; returns its cost, or infinity. */
static double cheapest(const tulle__contest *c, const entry *e, const tulle__spmv_shape *shape,
                       tulle__spec *spec) {
    tulle__spmv_call call = c->call;
    call.op = e->run_op;
    unsigned need = tulle__spmv_need(&call, true);
    double least = INFINITY;
    const tulle__kernels *kernels =
        tulle__spmv_kernels(c->ctx->backend, tulle__is_multivector(&c->call));
    for (int i = 0; i < kernels->count; i++) {
        tulle__spec found = {.kernel = kernels->item[i]};
        if (tulle__spmv_only_by_name(found.kernel)) continue;
        if (!tulle__spmv_settle(&found, shape, need)) continue;
        double cost = hoped_cost(c, e, shape, &found);
        if (cost >= least) continue;
        least = cost;
        *spec = found;
    }
    return least;
}

/* Makes a candidate. Its request names the kernel only: the parameters follow from the form that
 * is really made. */
static tulle__candidate candidate_of(const tulle__contest *c, const entry *e,
                                     const tulle__spec *spec) {
    return (tulle__candidate){.request = {.function = c->function,
                                          .call = c->call,
                                          .spec = {.kernel = spec->kernel},
                                          .options = e->key.options,
                                          .values = e->values}};
}

static void price(const tulle__contest *c, const entry *e, const tulle__spmv_shape *shape,
                  const tulle__spec *spec, tulle__candidate *made) {
    const tulle__spmv_kernel *kernel = tulle__spmv_of(spec->kernel);
    tulle_type type = type_of(e);
    int64_t prepared = kernel->prepare ? (int64_t)kernel->prepared_bytes(shape, spec->params) : 0;
    made->bytes = prepared;
    made->prepare = tulle__price_of_plan(c->ctx) + 2 * (double)prepared;
    if (e->key.transposed) made->bytes += tulle__bytes_of_transpose(e->csr, type);
    if (is_mixed(e)) made->bytes += e->csr->nnz * tulle_type_size(type);
    if (e->key.format == TULLE_CSR) return;
    made->bytes += tulle__bytes_of_form(e->csr, type, e->key.format, &made->storage);
    made->prepare += tulle__price_of_form(c->ctx, e->csr, type, e->key.format, &made->storage);
}

/* True when the candidate would be better than no plan. */
static bool gains(const tulle__contest *c, const tulle__candidate *candidate) {
    return c->must || tulle__contest_total(c, candidate) < tulle__contest_total_now(c);
}

static void keep(tulle__contest *c, const tulle__candidate *made) {
    bool fits = c->options.memory == 0 || made->bytes <= c->options.memory;
    if (fits && c->count < TULLE__CANDIDATES) c->item[c->count++] = *made;
    if (fits) return;
    bool better = !c->too_large.request.spec.kernel || made->cost < c->too_large.cost;
    if (better) c->too_large = *made;
}

static void remember(tulle__contest *c, const tulle__candidate *loser) {
    bool nearer = !c->nearest.request.spec.kernel || loser->cost < c->nearest.cost;
    if (nearer) c->nearest = *loser;
}

/* Judges a form by a storage that is forecast; false: no kernel takes it. */
static bool judge(const tulle__contest *c, const entry *e, const tulle_storage *storage,
                  tulle__candidate *made) {
    tulle__spec spec = {0};
    tulle__spmv_shape shape = shape_of(c, e, storage);
    double cost = cheapest(c, e, &shape, &spec);
    if (!spec.kernel) return false;
    *made = candidate_of(c, e, &spec);
    made->cost = cost;
    made->storage = *storage;
    price(c, e, &shape, &spec, made);
    return true;
}

tulle_status tulle__contest_ask(tulle__contest *c) {
    return tulle__progress(c->ctx, "looking for a faster form", c->asked++, 0);
}

/* Considers a form, first as if there were no padding, which costs nothing to find out. */
static tulle_status consider(tulle__contest *c, const entry *e) {
    tulle__candidate made;
    TULLE__TRY(tulle__contest_ask(c));
    for (int hopeful = 1; hopeful >= 0; hopeful--) {
        tulle_storage storage;
        tulle_status status = tulle__forecast_storage(c->ctx, c->function, e->csr, type_of(e),
                                                      &e->key, hopeful, &storage);
        if (tulle__no_way(status)) return TULLE_OK;
        TULLE__TRY(status);
        if (!judge(c, e, &storage, &made)) return TULLE_OK;
        made.hopeful = hopeful || is_plain(e);
        if (!gains(c, &made)) {
            remember(c, &made);
            return TULLE_OK;
        }
    }
    keep(c, &made);
    return TULLE_OK;
}

/* Considers values as they are, and as f32 where that is allowed. */
static tulle_status consider_types(tulle__contest *c, entry *e) {
    e->values = tulle__values_of(c->A->type);
    TULLE__TRY(consider(c, e));
    if (!c->options.f32_values || c->A->type != TULLE_F64) return TULLE_OK;
    e->values = TULLE__VALUES_F32_F64;
    return consider(c, e);
}

static tulle_status consider_blocks(tulle__contest *c, entry *e) {
    static const int sizes[] = TULLE__BLOCK_SIZES;
    for (int i = 1; i < TULLE__BLOCK_SIZE_COUNT; i++) {
        e->key.options.block = sizes[i];
        TULLE__TRY(consider_types(c, e));
    }
    return TULLE_OK;
}

/* True for a format worth a look: on a GPU, fewer are. */
static bool is_worthwhile(const tulle__contest *c, tulle_format format) {
    bool cpu = c->ctx->kind == TULLE_CPU;
    return tulle__has(format, TULLE__WORTHWHILE | (cpu ? TULLE__WORTHWHILE_CPU : 0));
}

/* True where a thread of a GPU would have a row for itself for too long. On a CPU long rows cost
 * their padding alone. */
static bool has_long_rows(const tulle__contest *c, const tulle__pattern *csr) {
    if (c->ctx->kind == TULLE_CPU) return false;
    double longest = (double)csr->stats.max_row;
    return longest > 2048 || (longest > 512 && longest > 16 * csr->stats.mean_row);
}

/* Adds to the contest the candidates that run on a CSR pattern, or on forms made from it. */
static tulle_status enter_on(tulle__contest *c, tulle__pattern *csr) {
    for (int f = 0; f < TULLE_FORMAT_COUNT; f++) {
        tulle_convert_options defaults = {0};
        entry e = {.csr = csr};
        e.key = tulle__plan_form((tulle_format)f, c->call.op, &defaults, &e.run_op);
        if (!is_worthwhile(c, e.key.format) || e.run_op != TULLE_N) continue;
        if (has_long_rows(c, csr) && !tulle__has(e.key.format, TULLE__LONG_ROWS)) continue;
        bool blocks = tulle__format_of(e.key.format)->options & TULLE__HAS_BLOCK;
        TULLE__TRY(blocks ? consider_blocks(c, &e) : consider_types(c, &e));
    }
    return TULLE_OK;
}

/* Adds to the contest the candidates that compute A^T x from A itself, in formats whose kernels
 * compute both A x and A^T x. */
static tulle_status enter_both_ways(tulle__contest *c) {
    for (int f = 0; f < TULLE_FORMAT_COUNT; f++) {
        entry e = {.csr = c->A->pattern};
        tulle_convert_options defaults = {0};
        e.key = tulle__plan_form((tulle_format)f, TULLE_T, &defaults, &e.run_op);
        if (e.run_op != TULLE_T || !is_worthwhile(c, e.key.format)) continue;
        TULLE__TRY(consider_types(c, &e));
    }
    return TULLE_OK;
}

/* True when CSR on the transpose, whose rows are taken to be like A's, seems better than the
 * best candidate so far. */
static bool transpose_pays(const tulle__contest *c) {
    tulle__pattern *p = c->A->pattern;
    tulle__stats stats = p->stats;
    stats.mean_row = p->cols > 0 ? (double)p->nnz / (double)p->cols : 0;
    entry e = {.csr = p,
               .key = {.format = TULLE_CSR, .transposed = true},
               .values = tulle__values_of(c->A->type)};
    tulle__spmv_shape shape = shape_of(c, &e, &p->storage);
    shape.rows = p->cols;
    shape.cols = p->rows;
    shape.stats = &stats;
    tulle__spec spec = {0};
    tulle__candidate made = {.cost = cheapest(c, &e, &shape, &spec),
                             .prepare = tulle__price_of_transpose(c->ctx, p)};
    for (int i = 0; i < c->count; i++) {
        if (tulle__contest_total(c, &c->item[i]) < tulle__contest_total(c, &made)) return false;
    }
    return spec.kernel && gains(c, &made);
}

static tulle_status enter_transposed(tulle__contest *c) {
    static const tulle__form_key transpose = {.format = TULLE_CSR, .transposed = true};
    tulle_type type = c->A->type;
    int64_t bytes = tulle__bytes_of_transpose(c->A->pattern, type);
    TULLE__TRY(enter_both_ways(c));
    bool fits = c->options.memory == 0 || bytes <= c->options.memory;
    if (!fits || !transpose_pays(c)) return TULLE_OK;
    tulle_status status =
        tulle__form_make(c->ctx, c->function, c->A, &transpose, type, &c->transpose);
    if (tulle__no_way(status)) return TULLE_OK;
    TULLE__TRY(status);
    return enter_on(c, c->transpose->pattern);
}

tulle_status tulle__contest_enter(tulle__contest *c) {
    return c->call.op == TULLE_N ? enter_on(c, c->A->pattern) : enter_transposed(c);
}

void tulle__contest_sort(tulle__contest *c) {
    for (int i = 1; i < c->count; i++) {
        tulle__candidate moving = c->item[i];
        double total = tulle__contest_total(c, &moving);
        int at = i;
        for (; at > 0 && tulle__contest_total(c, &c->item[at - 1]) > total; at--) {
            c->item[at] = c->item[at - 1];
        }
        c->item[at] = moving;
    }
}

void tulle__contest_end(tulle__contest *c) {
    tulle__form_release(c->transpose);
    c->transpose = NULL;
}
