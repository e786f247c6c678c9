/* SPDX-License-Identifier: Apache-2.0 */
/* Every stage of the iterative methods, against its table read number by number in f64. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "places.h"
#include "solver/functions.h"
#include "zoo.h"

static const tulle__program programs[] = {TULLE__STAGES(TULLE__PROGRAM)};

/* A stage's vectors and scalars on the host. */
typedef struct {
    tulle_type type;
    int64_t n;
    double *vector[TULLE__STAGE_VECTORS];
    tulle__solve_state state;
    double sums[TULLE__STAGE_SUMS];
} model;

static void apply_rule(tulle__stage_name name, tulle__solve_state *s, const double *sums) {
    switch (name) {
#define S(name, rule, ...)                                                                         \
    case TULLE__##name:                                                                            \
        tulle__rule_##rule(s, sums);                                                               \
        break;
        TULLE__STAGES(S)
#undef S
        case TULLE__STAGE_COUNT:
            break;
    }
}

static void run_model(tulle__stage_name name, model *m, const double *came) {
    const tulle__program *p = programs + name;
    apply_rule(name, &m->state, came);
    memset(m->sums, 0, sizeof m->sums);
    for (int64_t i = 0; i < m->n; i++) {
        for (int u = 0; u < p->updates; u++) {
            const tulle__update *update = p->update + u;
            double sum = 0;
            for (int t = 0; t < update->terms; t++) {
                const int k = update->term[t].scalar;
                const double c = k < 0 ? -m->state.scalar[-k] : m->state.scalar[k];
                sum += c * m->vector[update->term[t].vector][i];
            }
            if (update->by >= 0) sum *= m->vector[update->by][i];
            m->vector[update->to][i] = sum;
        }
        for (int k = 0; k < p->sums; k++) {
            m->sums[k] += m->vector[p->sum[k].a][i] * m->vector[p->sum[k].b][i];
        }
    }
}

static void write_numbers(tulle_ctx *ctx, tulle_type type, void *to, const double *from,
                          int64_t n) {
    float *narrow = calloc((size_t)n, sizeof *narrow);
    for (int64_t i = 0; i < n; i++) narrow[i] = (float)from[i];
    const void *numbers = type == TULLE_F32 ? (const void *)narrow : from;
    must(tulle__copy_wait(ctx, to, numbers, (size_t)(n * tulle_type_size(type))));
    free(narrow);
}

static void assert_numbers(tulle_ctx *ctx, tulle_type type, const void *got, const double *wanted,
                           int64_t n, const char *what) {
    double *numbers = calloc((size_t)n, sizeof *numbers);
    const float *narrow = (const float *)numbers;
    const double allowed = type == TULLE_F32 ? 1e-5 : 1e-13;
    must(tulle__copy_wait(ctx, numbers, got, (size_t)(n * tulle_type_size(type))));
    for (int64_t i = 0; i < n; i++) {
        const double number = type == TULLE_F32 ? (double)narrow[i] : numbers[i];
        if (!(fabs(number - wanted[i]) <= allowed * (1 + fabs(wanted[i])))) {
            fail_msg("%s: number %lld is %g, not %g", what, (long long)i, number, wanted[i]);
        }
    }
    free(numbers);
}

/* Device memory of a stage. */
typedef struct {
    void *vectors[TULLE__STAGE_VECTORS], *states, *history, *came, *sums;
} memory;

static void *take(tulle_ctx *ctx, size_t bytes) {
    void *pointer = NULL;
    must(tulle__alloc(ctx, bytes, &pointer));
    must(ctx->backend->set_bytes(&ctx->place, pointer, 0, bytes));
    return pointer;
}

static tulle__solve_state some_state(int outcome) {
    tulle__solve_state s = {.limit = 1e-30, .iterations = 4, .most = 9, .outcome = outcome};
    for (int k = 0; k < TULLE__SCALARS; k++) s.scalar[k] = 0.25 + 0.125 * k;
    s.scalar[TULLE__ONE] = 1;
    s.scalar[TULLE__THETA] = 3;
    s.scalar[TULLE__DELTA] = 2;
    s.turning = (tulle__rotations){.gamma = 1.5,
                                   .gamma_before = 1.25,
                                   .delta = 0.75,
                                   .eta = -2.5,
                                   .cosine = 0.75,
                                   .sine = 0.625,
                                   .above = 1.25,
                                   .above_two = 0.375,
                                   .largest = 2,
                                   .noise = 1e-14,
                                   .most = 1e9,
                                   .weight = 2};
    return s;
}

/* Compares states; MINRES' part only where turns is true. */
static void assert_state(const tulle__solve_state *got, const tulle__solve_state *wanted,
                         bool turns, const char *what) {
    for (int k = 0; k < TULLE__SCALARS; k++) {
        if (!(fabs(got->scalar[k] - wanted->scalar[k]) <= 1e-12 * (1 + fabs(wanted->scalar[k])))) {
            fail_msg("%s: scalar %d is %g, not %g", what, k, got->scalar[k], wanted->scalar[k]);
        }
    }
    const tulle__rotations *g = &got->turning, *w = &wanted->turning;
    const double turning[][2] = {{g->gamma, w->gamma},     {g->delta, w->delta},
                                 {g->eta, w->eta},         {g->cosine, w->cosine},
                                 {g->sine, w->sine},       {g->above, w->above},
                                 {g->noise, w->noise},     {g->gamma_before, w->gamma_before},
                                 {g->most, w->most},       {g->weight, w->weight},
                                 {g->largest, w->largest}, {g->above_two, w->above_two}};
    for (size_t k = 0; k < sizeof turning / sizeof *turning && turns; k++) {
        if (!(fabs(turning[k][0] - turning[k][1]) <= 1e-12 * (1 + fabs(turning[k][1])))) {
            fail_msg("%s: number %d of the turning is %g, not %g", what, (int)k, turning[k][0],
                     turning[k][1]);
        }
    }
    assert_int_equal(got->iterations, wanted->iterations);
    assert_int_equal(got->outcome, wanted->outcome);
}

static void one_stage(tulle_ctx *ctx, tulle__stage_name name, tulle_type type, int64_t n,
                      int outcome) {
    const tulle__program *p = programs + name;
    const int64_t length = tulle__stage_length(n), pieces = tulle__stage_pieces(length);
    char what[64];
    snprintf(what, sizeof what, "stage %d, type %d, n %lld", (int)name, (int)type, (long long)n);
    model m = {.type = type, .n = n, .state = some_state(outcome)};
    uint64_t random = (uint64_t)name + 1;
    memory on = {.states = take(ctx, 2 * sizeof(tulle__solve_state)),
                 .history = take(ctx, TULLE__HISTORY * sizeof(double)),
                 .came = take(ctx, (size_t)pieces * TULLE__STAGE_SUMS * sizeof(double)),
                 .sums = take(ctx, (size_t)pieces * TULLE__STAGE_SUMS * sizeof(double))};
    tulle__stage stage = {.name = name,
                          .type = type,
                          .n = length,
                          .from = on.states,
                          .to = (tulle__solve_state *)on.states + 1,
                          .history = on.history,
                          .sums_from = on.came,
                          .pieces_from = pieces,
                          .sum_from = pieces,
                          .piece_from = 1,
                          .sums_to = on.sums,
                          .pieces = pieces,
                          .columns = 1};
    for (int v = 0; v < p->vectors; v++) {
        m.vector[v] = calloc((size_t)length, sizeof(double));
        for (int64_t i = 0; i < n; i++) m.vector[v][i] = zoo_number(&random);
        stage.vectors[v] = on.vectors[v] = take(ctx, (size_t)(length * tulle_type_size(type)));
        write_numbers(ctx, type, on.vectors[v], m.vector[v], length);
    }
    const double came[TULLE__STAGE_SUMS] = {1.5, 7.5, 2.5, 0.5};
    double *parts = calloc((size_t)pieces * TULLE__STAGE_SUMS, sizeof *parts);
    for (int k = 0; k < TULLE__STAGE_SUMS; k++) {
        for (int64_t q = 0; q < pieces; q++) parts[k * pieces + q] = came[k] / (double)pieces;
    }
    must(
        tulle__copy_wait(ctx, on.came, parts, (size_t)pieces * TULLE__STAGE_SUMS * sizeof(double)));
    must(tulle__copy_wait(ctx, on.states, &m.state, sizeof m.state));

    must(ctx->backend->solver->stage(&ctx->place, &stage));
    if (outcome == TULLE__GOES_ON) run_model(name, &m, came);
    tulle__solve_state after;
    must(tulle__copy_wait(ctx, &after, stage.to, sizeof after));
    const bool turns = name >= TULLE__MINRES_LENGTH && name <= TULLE__MINRES_STEP;
    assert_state(&after, &m.state, turns, what);
    for (int v = 0; v < p->vectors; v++) {
        assert_numbers(ctx, type, on.vectors[v], m.vector[v], length, what);
    }
    must(
        tulle__copy_wait(ctx, parts, on.sums, (size_t)pieces * TULLE__STAGE_SUMS * sizeof(double)));
    for (int k = 0; k < p->sums && outcome == TULLE__GOES_ON; k++) {
        double sum = 0;
        for (int64_t q = 0; q < pieces; q++) sum += parts[k * pieces + q];
        const double allowed = (type == TULLE_F32 ? 1e-5 : 1e-12) * (double)n;
        if (!(fabs(sum - m.sums[k]) <= allowed)) {
            fail_msg("%s: sum %d is %g, not %g", what, k, sum, m.sums[k]);
        }
    }
    if (after.iterations != 4) {
        double norm;
        must(tulle__copy_wait(ctx, &norm, (double *)on.history + after.iterations, sizeof norm));
        assert_true(norm == after.norm);
    }
    free(parts);
    for (int v = 0; v < p->vectors; v++) free(m.vector[v]);
    for (int v = 0; v < p->vectors; v++) tulle__free(ctx, on.vectors[v]);
    void *const others[] = {on.states, on.history, on.came, on.sums};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) tulle__free(ctx, others[i]);
}

/* Sums that are no numbers: zeros stay, behind the end of a vector, whatever becomes of the rest.
 */
static void spoilt_stage(tulle_ctx *ctx, tulle__stage_name name, tulle_type type) {
    const int64_t n = TULLE__STAGE_UNIT;
    const size_t bytes = (size_t)(n * tulle_type_size(type));
    tulle__solve_state states[2] = {some_state(TULLE__GOES_ON)};
    const double came[TULLE__STAGE_SUMS] = {(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    const double zeros[TULLE__STAGE_UNIT] = {0};
    char what[64];
    tulle__stage stage = {.name = name,
                          .type = type,
                          .n = n,
                          .pieces_from = 1,
                          .sum_from = 1,
                          .piece_from = 1,
                          .pieces = 1,
                          .columns = 1};
    void *on_states = take(ctx, sizeof states), *on_came = take(ctx, sizeof came);
    must(tulle__copy_wait(ctx, on_states, states, sizeof states));
    must(tulle__copy_wait(ctx, on_came, came, sizeof came));
    stage.from = on_states;
    stage.to = (tulle__solve_state *)on_states + 1;
    stage.history = take(ctx, TULLE__HISTORY * sizeof(double));
    stage.sums_from = on_came;
    stage.sums_to = take(ctx, sizeof came);
    for (int v = 0; v < programs[name].vectors; v++) stage.vectors[v] = take(ctx, bytes);
    must(ctx->backend->solver->stage(&ctx->place, &stage));
    must(tulle__copy_wait(ctx, states, on_states, sizeof states));
    assert_int_equal(states[1].outcome,
                     programs[name].takes > 0 ? TULLE_NOT_A_NUMBER : TULLE__GOES_ON);
    for (int v = 0; v < programs[name].vectors; v++) {
        snprintf(what, sizeof what, "stage %d, type %d, vector %d, spoilt", (int)name, (int)type,
                 v);
        assert_numbers(ctx, type, stage.vectors[v], zeros, n, what);
        tulle__free(ctx, stage.vectors[v]);
    }
    void *const others[] = {on_states, on_came, stage.history, stage.sums_to};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) tulle__free(ctx, others[i]);
}

/* Right-hand sides of a stage, of which the second has ended; and the numbers and sums of each. */
enum { COLUMNS = 3, ENDED = 1, LENGTH = 2 * TULLE__STAGE_PIECE, PIECES = 2 };
enum { SUMS = TULLE__STAGE_SUMS * PIECES };

/* The scalars of a right-hand side, as a solver has them. */
typedef struct {
    tulle__solve_state before, after;
    double history[TULLE__HISTORY];
} column_scalars;

/* Device memory of all right-hand sides, and how much of it there is. */
typedef struct {
    void *vectors[TULLE__STAGE_VECTORS];
    column_scalars *scalars;
    double *came, *goes;
    size_t vector_bytes;
} columns_memory;

static columns_memory take_columns(tulle_ctx *ctx, tulle__stage_name name, tulle_type type) {
    columns_memory m = {.vector_bytes = (size_t)(COLUMNS * LENGTH * tulle_type_size(type))};
    column_scalars scalars[COLUMNS];
    double numbers[COLUMNS * LENGTH], came[COLUMNS * SUMS];
    uint64_t random = (uint64_t)name + 9;
    memset(scalars, 0, sizeof scalars);
    for (int j = 0; j < COLUMNS; j++) {
        scalars[j].before = some_state(j == ENDED ? TULLE_STAGNATED : TULLE__GOES_ON);
        scalars[j].before.scalar[TULLE__ALPHA] += 0.5 * j;
    }
    for (int i = 0; i < COLUMNS * SUMS; i++) came[i] = 1 + zoo_number(&random);
    m.scalars = take(ctx, sizeof scalars);
    m.came = take(ctx, sizeof came);
    m.goes = take(ctx, sizeof came);
    must(tulle__copy_wait(ctx, m.scalars, scalars, sizeof scalars));
    must(tulle__copy_wait(ctx, m.came, came, sizeof came));
    for (int v = 0; v < programs[name].vectors; v++) {
        for (int i = 0; i < COLUMNS * LENGTH; i++) numbers[i] = zoo_number(&random);
        m.vectors[v] = take(ctx, m.vector_bytes);
        write_numbers(ctx, type, m.vectors[v], numbers, (int64_t)COLUMNS * LENGTH);
    }
    return m;
}

/* Runs a stage for `count` right-hand sides from number `first` on. */
static void run_columns(tulle_ctx *ctx, tulle__stage_name name, tulle_type type,
                        const columns_memory *m, int first, int count) {
    tulle__stage stage = {.name = name,
                          .type = type,
                          .n = LENGTH,
                          .from = &m->scalars[first].before,
                          .to = &m->scalars[first].after,
                          .history = m->scalars[first].history,
                          .sums_from = m->came + first * SUMS,
                          .pieces_from = PIECES,
                          .sum_from = PIECES,
                          .piece_from = 1,
                          .sums_to = m->goes + first * SUMS,
                          .pieces = PIECES,
                          .columns = count,
                          .vector_step = LENGTH,
                          .scalars_step = (int64_t)sizeof *m->scalars,
                          .sums_step = SUMS};
    for (int v = 0; v < programs[name].vectors; v++) {
        stage.vectors[v] = (char *)m->vectors[v] + first * LENGTH * tulle_type_size(type);
    }
    must(ctx->backend->solver->stage(&ctx->place, &stage));
}

static void assert_same_bytes(tulle_ctx *ctx, const void *a, const void *b, size_t bytes) {
    char *of_a = malloc(bytes), *of_b = malloc(bytes);
    must(tulle__copy_wait(ctx, of_a, a, bytes));
    must(tulle__copy_wait(ctx, of_b, b, bytes));
    assert_memory_equal(of_a, of_b, bytes);
    free(of_a);
    free(of_b);
}

/* A stage of several right-hand sides leaves the bits that it leaves for each alone. */
static void columns_as_alone(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int number = 0; number < 2 * TULLE__STAGE_COUNT; number++) {
        const tulle__stage_name name = (tulle__stage_name)(number / 2);
        const tulle_type type = number % 2 == 0 ? TULLE_F32 : TULLE_F64;
        const columns_memory at_once = take_columns(ctx, name, type);
        const columns_memory alone = take_columns(ctx, name, type);
        run_columns(ctx, name, type, &at_once, 0, COLUMNS);
        for (int j = 0; j < COLUMNS; j++) run_columns(ctx, name, type, &alone, j, 1);
        assert_same_bytes(ctx, at_once.scalars, alone.scalars, COLUMNS * sizeof *alone.scalars);
        assert_same_bytes(ctx, at_once.goes, alone.goes, COLUMNS * SUMS * sizeof *alone.goes);
        for (int v = 0; v < programs[name].vectors; v++) {
            assert_same_bytes(ctx, at_once.vectors[v], alone.vectors[v], alone.vector_bytes);
            tulle__free(ctx, at_once.vectors[v]);
            tulle__free(ctx, alone.vectors[v]);
        }
        void *const others[] = {at_once.scalars, at_once.came, at_once.goes,
                                alone.scalars,   alone.came,   alone.goes};
        for (size_t i = 0; i < sizeof others / sizeof *others; i++) tulle__free(ctx, others[i]);
    }
}
ONCE_ON_EACH_PLACE(columns_as_alone)

static void stages(tulle_ctx *ctx, const char *where) {
    const int64_t lengths[] = {1, 16, 529, 9000, is_slow(where) ? 9001 : 300000};
    for (int name = 0; name < TULLE__STAGE_COUNT; name++) {
        for (int type = TULLE_F32; type <= TULLE_F64; type++) {
            for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
                one_stage(ctx, (tulle__stage_name)name, (tulle_type)type, lengths[i],
                          TULLE__GOES_ON);
            }
            one_stage(ctx, (tulle__stage_name)name, (tulle_type)type, 100, TULLE_CONVERGED);
            spoilt_stage(ctx, (tulle__stage_name)name, (tulle_type)type);
        }
    }
}

static void test_stages(void **state) {
    (void)state;
    on_each_place(stages);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stages),
                                       cmocka_unit_test(test_columns_as_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
