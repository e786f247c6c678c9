/* SPDX-License-Identifier: Apache-2.0 */
/* Every SpMV kernel of the registry x every type combination x the zoo x scalars x parameters, in
 * all pairs, against the definition; repeatable kernels must repeat bitwise. A new row of the
 * registry is tested here with no change. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/types.h"
#include "layouts.h"
#include "pairwise.h"
#include "places.h"
#include "reference.h"
#include "tulle/advanced.h"

static const double scalars[] = {0, 1, -0.5};
enum { SCALARS = 3, COMBOS = 6 };
enum { MATRIX, ALPHA, BETA, SCALARS_ON_DEVICE, LAYOUT, COMBO, PARAMS };

typedef struct {
    tulle_type type;
    tulle_index index;
} combo;

/* A kernel at one place, and the zoo as matrices there, in CSR and in the format of the kernel and
 * of its neighbours in the registry, made when they are first wanted. */
typedef struct {
    tulle_ctx *ctx;
    tulle_backend backend;
    int kernel;
    tulle_kernel_info info;
    tulle_param_info params[4];
    combo combos[COMBOS];
    int combo_count;
    tulle_type type;
    tulle_index index;
    tulle_trans op;
    bool planned;
    zoo_matrix *zoo;
    int matrices, layouts;
    tulle_format format;
    tulle_mat **csr, **mats;
    int taken;       /* cases that the kernel took */
    int third, next; /* on the emulator, whose three orders share the cases: which third; 0: all */
} setup;

static void must_do(tulle_status status, const char *what) {
    if (status != TULLE_OK) fail_msg("%s: %s", what, tulle_last_error()->message);
}

static void spec_of(const setup *s, const int *values, char *text, size_t room) {
    int used = snprintf(text, room, "%s", s->info.name);
    for (int p = 0; p < s->info.param_count; p++) {
        used += snprintf(text + used, room - (size_t)used, "%c%s=%d", p ? ',' : ':',
                         s->params[p].name, s->params[p].values[values[PARAMS + p]]);
    }
}

static tulle_vec *upload(const setup *s, const double *numbers, int64_t n) {
    tulle_vec *v = NULL;
    float *single = malloc((size_t)(n + 1) * sizeof *single);
    assert_non_null(single);
    for (int64_t i = 0; i < n; i++) single[i] = (float)numbers[i];
    must_do(tulle_vec_create(s->ctx, s->type, n, &v), "vector");
    const void *host = s->type == TULLE_F32 ? (const void *)single : numbers;
    must_do(tulle_vec_write(s->ctx, v, host, 0), "write");
    free(single);
    return v;
}

/* A scalar, by number or by address; the block that holds it is given out. */
static tulle_scalar scalar(const setup *s, double number, int on_device, tulle_vec **holder) {
    *holder = NULL;
    if (!on_device) return tulle_num(number);
    *holder = upload(s, &number, 1);
    tulle_vec_info info;
    must_do(tulle_vec_describe(*holder, &info), "describe");
    return tulle_at(info.data);
}

static void run_once(const setup *s, tulle_mat *A, const product *p, int on_device,
                     const tulle_vec *x, int64_t m, void *y_host) {
    tulle_vec *y = upload(s, p->y0, m), *alpha_at = NULL, *beta_at = NULL;
    tulle_scalar alpha = scalar(s, p->alpha, on_device, &alpha_at);
    tulle_scalar beta = scalar(s, p->beta, on_device, &beta_at);
    must_do(tulle_spmv(s->ctx, s->op, alpha, A, x, beta, y), s->info.name);
    must_do(tulle_vec_read(s->ctx, y, y_host, 0), "read");
    tulle_vec_destroy(alpha_at);
    tulle_vec_destroy(beta_at);
    tulle_vec_destroy(y);
}

/* Numbers for the input; NaN and Inf where no entry uses one, for they may not leak. */
static double *input_of(const zoo_matrix *m, tulle_trans op, uint64_t state) {
    int64_t n = op == TULLE_N ? m->cols : m->rows;
    double *x = malloc((size_t)(n + 1) * sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < n; i++) x[i] = i % 2 ? (double)NAN : (double)INFINITY;
    for (int64_t i = 0; i < m->rows; i++) {
        for (int64_t e = m->offsets[i]; e < m->offsets[i + 1]; e++) {
            x[op == TULLE_N ? m->columns[e] : i] = zoo_number(&state);
        }
    }
    return x;
}

/* Whether the forced kernel takes this matrix at all: some only take sorted ones. */
static bool takes(const setup *s, const tulle_mat *A) {
    tulle_choice choice;
    tulle_status status = tulle_spmv_describe(s->ctx, s->op, A, false, &choice);
    if (status != TULLE_UNSUPPORTED) must_do(status, s->info.name);
    return status == TULLE_OK;
}

/* Whether a plan can be made: not for vectors that this processor lacks. */
static bool plans(const setup *s, tulle_mat *A, const char *spec) {
    tulle_status status = tulle_mat_plan(s->ctx, s->op, A, spec);
    if (status != TULLE_UNSUPPORTED) must_do(status, spec);
    return status == TULLE_OK;
}

static tulle_mat **room_for(int count) {
    tulle_mat **mats = calloc((size_t)count, sizeof *mats);
    assert_non_null(mats);
    return mats;
}

static void drop(tulle_mat **mats, int count) {
    for (int i = 0; mats && i < count; i++) tulle_mat_destroy(mats[i]);
    free(mats);
}

/* Of one layout. */
static int mat_count(const setup *s) {
    return COMBOS * s->matrices;
}

/* NULL where the matrix would be mostly padding. */
static tulle_mat *mat_of(const setup *s, const int *values) {
    int number = (tulle__type_index(s->type) * 3 + (int)s->index) * s->matrices + values[MATRIX];
    tulle_mat **csr = &s->csr[number], **mat = &s->mats[values[LAYOUT] * mat_count(s) + number];
    if (!*csr) *csr = zoo_mat(s->ctx, &s->zoo[values[MATRIX]], s->index, s->type);
    if (!*mat) *mat = layout_make(s->ctx, *csr, s->info.format, s->index, values[LAYOUT]);
    return *mat;
}

/* The matrices are those of another format from here on. */
static void change_format(setup *s, tulle_format format) {
    drop(s->mats, s->layouts * mat_count(s));
    s->format = format;
    s->layouts = layout_count(format);
    s->mats = room_for(s->layouts * mat_count(s));
}

static void open_mats(setup *s) {
    s->csr = room_for(mat_count(s));
    change_format(s, TULLE_CSR);
}

static void close_mats(setup *s) {
    drop(s->mats, s->layouts * mat_count(s));
    drop(s->csr, mat_count(s));
}

static void forget_plans(const setup *s) {
    for (int i = 0; i < s->layouts * mat_count(s); i++) {
        if (s->mats[i]) tulle_mat_forget_plans(s->mats[i]);
    }
}

static void one_case(const int *values, void *user) {
    setup *s = user;
    if (s->third > 0 && s->next++ % 3 != s->third - 1) return;
    const zoo_matrix *m = &s->zoo[values[MATRIX]];
    s->type = s->combos[values[COMBO]].type;
    s->index = s->combos[values[COMBO]].index;
    tulle_mat *A = mat_of(s, values);
    char spec[128];
    spec_of(s, values, spec, sizeof spec);
    must_do(tulle_ctx_force_kernel(s->ctx, spec), spec);
    if (!A) return;
    if (s->planned && !plans(s, A, spec)) return;
    if (!takes(s, A)) return;
    s->taken++;

    int64_t n = s->op == TULLE_N ? m->cols : m->rows, rows = s->op == TULLE_N ? m->rows : m->cols;
    product p = {.op = s->op, .alpha = scalars[values[ALPHA]], .beta = scalars[values[BETA]]};
    uint64_t state = (uint64_t)(n * 64 + values[ALPHA]);
    double *x0 = input_of(m, s->op, state), *y0 = malloc((size_t)(rows + 1) * sizeof *y0);
    assert_non_null(y0);
    for (int64_t i = 0; i < rows; i++) y0[i] = p.beta == 0 ? (double)NAN : zoo_number(&state);
    p.x = x0;
    p.y0 = y0;

    size_t bytes = (size_t)(rows * tulle_type_size(s->type));
    void *y = malloc(bytes + 1), *again = malloc(bytes + 1);
    assert_non_null(y);
    assert_non_null(again);
    tulle_vec *x = upload(s, x0, n);
    run_once(s, A, &p, values[SCALARS_ON_DEVICE], x, rows, y);
    double error = product_error(m, &p, s->type, y);
    if (!(error <= 1)) {
        fail_msg("%s op %d type %d index %d plan %d on '%s', alpha %g, beta %g: error %g bounds",
                 spec, s->op, s->type, s->index, s->planned, m->name, p.alpha, p.beta, error);
    }
    bool repeats = s->op == TULLE_N ? s->info.repeatable : s->info.repeatable_t;
    if (repeats || s->planned) {
        run_once(s, A, &p, values[SCALARS_ON_DEVICE], x, rows, again);
        if (memcmp(y, again, bytes) != 0) fail_msg("%s does not repeat on '%s'", spec, m->name);
    }
    tulle_vec_destroy(x);
    free(y);
    free(again);
    free(x0);
    free(y0);
}

static void all_pairs(setup *s) {
    int levels[PAIRWISE_FACTORS] = {s->matrices, SCALARS, SCALARS, 2, s->layouts, s->combo_count};
    for (int p = 0; p < s->info.param_count; p++) {
        must_do(tulle_kernel_param(s->backend, s->kernel, p, &s->params[p]), "param");
        levels[PARAMS + p] = s->params[p].value_count;
    }
    s->taken = 0;
    pairwise(PARAMS + s->info.param_count, levels, one_case, s);
    if (s->taken == 0) fail_msg("%s took no case of op %d", s->info.name, s->op);
}

/* Whether the kernel is one for a vector. */
static bool open_kernel(setup *s) {
    must_do(tulle_kernel_describe(s->backend, s->kernel, &s->info), "describe");
    if (strcmp(s->info.operation, "spmv") != 0 || !is_wanted(s->info.name)) return false;
    if (s->info.format != s->format) change_format(s, s->info.format);
    s->combo_count = 0;
    for (int i = 0; i < COMBOS; i++) {
        combo c = {tulle__type_at(i / 3), (tulle_index)(i % 3)};
        if (s->info.supports[c.type][c.index]) s->combos[s->combo_count++] = c;
    }
    assert_true(s->combo_count > 0);
    return true;
}

static void each_op(setup *s) {
    for (int op = TULLE_N; op <= TULLE_T; op++) {
        s->op = (tulle_trans)op;
        s->planned = s->info.needs_plan;
        bool can = op == TULLE_N ? s->info.forward : s->info.transposed;
        if (can) all_pairs(s);
        bool can_plan = s->info.format == TULLE_CSR && (s->info.has_plan || op == TULLE_T);
        if (!s->planned && can_plan) {
            s->planned = true;
            all_pairs(s);
        }
        forget_plans(s);
    }
}

static void each_kernel(tulle_ctx *ctx, int third, int count, zoo_matrix (*make)(int)) {
    tulle_device_info device;
    must_do(tulle_ctx_device(ctx, &device), "device");
    zoo_matrix *zoo = calloc((size_t)count, sizeof *zoo);
    assert_non_null(zoo);
    for (int i = 0; i < count; i++) zoo[i] = make(i);
    setup s = {
        .ctx = ctx, .backend = device.backend, .zoo = zoo, .matrices = count, .third = third};
    int kernels = tulle_kernel_count(s.backend);
    assert_true(kernels > 0);
    open_mats(&s);
    for (s.kernel = 0; s.kernel < kernels; s.kernel++) {
        if (open_kernel(&s)) each_op(&s);
    }
    close_mats(&s);
    must_do(tulle_ctx_force_kernel(ctx, NULL), "force");
    for (int i = 0; i < count; i++) zoo_free(&zoo[i]);
    free(zoo);
}

static void small_zoo(tulle_ctx *ctx, const char *where) {
    each_kernel(ctx, is_slow(where) ? 1 + turn_in_order(where, 3) : 0, zoo_count(), zoo_make);
}

/* One case of each kernel, in the first layout of its format. */
static void one_case_each(setup *s) {
    open_mats(s);
    for (s->kernel = 0; s->kernel < tulle_kernel_count(s->backend); s->kernel++) {
        if (!open_kernel(s)) continue;
        int values[PAIRWISE_FACTORS] = {[ALPHA] = 1, [BETA] = 2, [COMBO] = s->combo_count / 2};
        for (int p = 0; p < s->info.param_count; p++) {
            must_do(tulle_kernel_param(s->backend, s->kernel, p, &s->params[p]), "param");
            values[PARAMS + p] = s->params[p].value_count / 2;
        }
        s->op = s->info.forward ? TULLE_N : TULLE_T;
        s->planned = s->info.needs_plan;
        one_case(values, s);
        forget_plans(s);
    }
    close_mats(s);
    must_do(tulle_ctx_force_kernel(s->ctx, NULL), "force");
}

/* One large case a kernel on the emulator; everything elsewhere. */
static void large_zoo(tulle_ctx *ctx, const char *where) {
    if (!is_slow(where)) {
        each_kernel(ctx, 0, zoo_large_count(), zoo_make_large);
        return;
    }
    tulle_device_info device;
    must_do(tulle_ctx_device(ctx, &device), "device");
    for (int i = 0; i < zoo_large_count(); i++) {
        zoo_matrix m = zoo_make_large(i);
        setup s = {.ctx = ctx, .backend = device.backend, .zoo = &m, .matrices = 1};
        one_case_each(&s);
        zoo_free(&m);
    }
}

static void test_small(void **state) {
    (void)state;
    on_each_place(small_zoo);
}

static void test_large(void **state) {
    (void)state;
    on_each_place(large_zoo);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
