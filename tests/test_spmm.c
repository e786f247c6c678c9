/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel of the registry for multivectors x every type combination x the zoo in all layouts
 * of the kernel's format x numbers of vectors x layouts of these x leading dimensions x scalars x
 * parameters, in all pairs, against the definition; repeatable kernels must repeat bitwise. A new
 * row is tested here with no change. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "blocks.h"
#include "core/types.h"
#include "layouts.h"
#include "pairwise.h"
#include "places.h"
#include "reference.h"
#include "tulle/advanced.h"

static const double scalars[] = {0, 1, -0.5};
static const int64_t counts[] = {0, 1, 2, 3, 4, 7, 8, 16, 33, 64};
static const int64_t gaps[] = {0, 1, 4};
enum { SCALARS = 3, COUNTS = 10, GAPS = 3, COMBOS = 6 };
/* LAYOUTS: of X, and twice that of Y. */
enum {
    MATRIX,
    VECTORS,
    LAYOUTS,
    X_GAP,
    Y_GAP,
    ALPHA,
    BETA,
    SCALARS_ON_DEVICE,
    COMBO,
    FORM,
    PARAMS
};

/* A kernel at one place, and the zoo as matrices there, made when they are first wanted. */
typedef struct {
    tulle_ctx *ctx;
    tulle_backend backend;
    int kernel;
    tulle_kernel_info info;
    tulle_param_info params[4];
    tulle_type type;
    tulle_index index;
    tulle_trans op;
    zoo_matrix *zoo;
    int matrices, forms;
    tulle_mat **mats; /* for each combination of types, and for each of the format's layouts */
    int taken;        /* cases that the kernel took */
    int third, next;  /* on the emulator, whose three orders share the cases: which third; 0: all */
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

/* A scalar, by number or by address; the block that holds it is given out. */
static tulle_scalar scalar(const setup *s, double number, int on_device, place_block *holder) {
    *holder = (place_block){0};
    if (!on_device) return tulle_num(number);
    host_block one = host_block_make(1, 1, TULLE_COLUMN_MAJOR, 0, s->type);
    one.numbers[0] = number;
    *holder = place_block_make(s->ctx, &one);
    host_block_free(&one);
    tulle_vec_info info;
    must_do(tulle_vec_describe(holder->whole, &info), "describe");
    return tulle_at(info.data);
}

/* Numbers for X; NaN and Inf where no entry uses one, for they may not leak. */
static void fill_x(const zoo_matrix *m, tulle_trans op, uint64_t state, host_block *x) {
    for (int64_t j = 0; j < x->cols; j++) {
        for (int64_t i = 0; i < x->rows; i++) {
            *host_block_at(x, i, j) = (i + j) % 2 ? (double)NAN : (double)INFINITY;
        }
        for (int64_t i = 0; i < m->rows; i++) {
            for (int64_t e = m->offsets[i]; e < m->offsets[i + 1]; e++) {
                *host_block_at(x, op == TULLE_N ? m->columns[e] : i, j) = zoo_number(&state);
            }
        }
    }
}

static void fill_y(double beta, uint64_t state, host_block *y) {
    for (int64_t j = 0; j < y->cols; j++) {
        for (int64_t i = 0; i < y->rows; i++) {
            *host_block_at(y, i, j) = beta == 0 ? (double)NAN : zoo_number(&state);
        }
    }
}

/* Y, which holds Y0 before, by the forced kernel. */
static void run_once(const setup *s, const tulle_mat *A, const product *p, int on_device,
                     const place_block *x, const host_block *y0, host_block *y) {
    place_block alpha_at, beta_at, to = place_block_make(s->ctx, y0);
    tulle_scalar alpha = scalar(s, p->alpha, on_device, &alpha_at);
    tulle_scalar beta = scalar(s, p->beta, on_device, &beta_at);
    must_do(tulle_spmm(s->ctx, p->op, alpha, A, x->block, beta, to.block), s->info.name);
    place_block_read(s->ctx, &to, y);
    place_block_free(&alpha_at);
    place_block_free(&beta_at);
    place_block_free(&to);
}

/* NULL where the matrix would be mostly padding. */
static tulle_mat *make_mat(const setup *s, const int *values) {
    tulle_mat *csr = zoo_mat(s->ctx, &s->zoo[values[MATRIX]], s->index, s->type);
    if (s->info.format == TULLE_CSR) return csr;
    tulle_mat *made = layout_make(s->ctx, csr, s->info.format, s->index, values[FORM]);
    tulle_mat_destroy(csr);
    return made;
}

static tulle_mat *mat_of(const setup *s, const int *values) {
    int number = (values[COMBO] * s->matrices + values[MATRIX]) * s->forms + values[FORM];
    tulle_mat **A = &s->mats[number];
    if (!*A) *A = make_mat(s, values);
    return *A;
}

/* Whether the forced kernel takes this case: a column without gaps is tulle_spmv's. */
static bool takes(const setup *s, const tulle_mat *A, const place_block *x, const place_block *y) {
    tulle_choice choice;
    tulle_status status = tulle_spmm_describe(s->ctx, s->op, A, x->block, y->block, false, &choice);
    if (status == TULLE_UNSUPPORTED) return false;
    must_do(status, s->info.name);
    return strcmp(choice.kernel, s->info.name) == 0;
}

static void judge(setup *s, const int *values, const char *spec, const product *p,
                  const host_block *x0, const host_block *y0, host_block *y) {
    const zoo_matrix *m = &s->zoo[values[MATRIX]];
    tulle_mat *A = mat_of(s, values);
    if (!A) return;
    place_block x = place_block_make(s->ctx, x0), y_there = place_block_make(s->ctx, y0);
    bool mine = takes(s, A, &x, &y_there);
    s->taken += mine;
    if (mine) {
        run_once(s, A, p, values[SCALARS_ON_DEVICE], &x, y0, y);
        double error = host_block_error(m, *p, x0, y0, y);
        if (!(error <= 1) || !host_block_gaps_kept(y)) {
            fail_msg(
                "%s op %d type %d index %d on '%s' in layout %d, %lld vectors, layouts %d %d, ld "
                "%lld %lld, "
                "alpha %g, beta %g: error %g bounds, gaps %s",
                spec, s->op, s->type, s->index, m->name, values[FORM], (long long)y->cols,
                x0->layout, y->layout, (long long)x0->ld, (long long)y->ld, p->alpha, p->beta,
                error, host_block_gaps_kept(y) ? "kept" : "written");
        }
    }
    if (mine && (s->op == TULLE_N ? s->info.repeatable : s->info.repeatable_t)) {
        host_block again = *y0;
        again.numbers = malloc((size_t)(y->count + 1) * sizeof *again.numbers);
        assert_non_null(again.numbers);
        run_once(s, A, p, values[SCALARS_ON_DEVICE], &x, y0, &again);
        if (memcmp(y->numbers, again.numbers, (size_t)y->count * sizeof *y->numbers) != 0) {
            fail_msg("%s does not repeat on '%s'", spec, m->name);
        }
        host_block_free(&again);
    }
    place_block_free(&x);
    place_block_free(&y_there);
}

static void one_case(const int *values, void *user) {
    setup *s = user;
    if (s->third > 0 && s->next++ % 3 != s->third - 1) return;
    const zoo_matrix *m = &s->zoo[values[MATRIX]];
    s->type = tulle__type_at(values[COMBO] / 3);
    s->index = (tulle_index)(values[COMBO] % 3);
    if (!s->info.supports[s->type][s->index]) return;
    char spec[128];
    spec_of(s, values, spec, sizeof spec);
    must_do(tulle_ctx_force_kernel(s->ctx, spec), spec);

    int64_t n = s->op == TULLE_N ? m->cols : m->rows, k = counts[values[VECTORS]];
    product p = {.op = s->op, .alpha = scalars[values[ALPHA]], .beta = scalars[values[BETA]]};
    host_block x =
        host_block_make(n, k, (tulle_layout)(values[LAYOUTS] % 2), gaps[values[X_GAP]], s->type);
    host_block y0 = host_block_make(m->rows + m->cols - n, k, (tulle_layout)(values[LAYOUTS] / 2),
                                    gaps[values[Y_GAP]], s->type);
    host_block y = host_block_make(y0.rows, k, y0.layout, gaps[values[Y_GAP]], s->type);
    uint64_t state = (uint64_t)(n * 64 + values[ALPHA]);
    fill_x(m, s->op, state, &x);
    fill_y(p.beta, state + 1, &y0);
    judge(s, values, spec, &p, &x, &y0, &y);
    host_block_free(&x);
    host_block_free(&y0);
    host_block_free(&y);
}

static void each_op(setup *s, const int *levels) {
    for (int op = TULLE_N; op <= TULLE_T; op++) {
        s->op = (tulle_trans)op;
        if (!(op == TULLE_N ? s->info.forward : s->info.transposed)) continue;
        s->taken = 0;
        pairwise(PARAMS + s->info.param_count, levels, one_case, s);
        if (s->taken == 0) fail_msg("%s took no case of op %d", s->info.name, s->op);
    }
}

static void one_kernel(setup *s) {
    must_do(tulle_kernel_describe(s->backend, s->kernel, &s->info), "describe");
    if (strcmp(s->info.operation, "spmm") != 0 || !is_wanted(s->info.name)) return;
    s->forms = layout_count(s->info.format);
    int levels[PAIRWISE_FACTORS] = {s->matrices, COUNTS,  4, GAPS,   GAPS,
                                    SCALARS,     SCALARS, 2, COMBOS, s->forms};
    for (int p = 0; p < s->info.param_count; p++) {
        must_do(tulle_kernel_param(s->backend, s->kernel, p, &s->params[p]), "param");
        levels[PARAMS + p] = s->params[p].value_count;
    }
    const int count = COMBOS * s->matrices * s->forms;
    s->mats = calloc((size_t)count, sizeof(tulle_mat *));
    assert_non_null(s->mats);
    each_op(s, levels);
    for (int i = 0; i < count; i++) tulle_mat_destroy(s->mats[i]);
    free(s->mats);
}

static void each_kernel(tulle_ctx *ctx, int third, int count, zoo_matrix (*make)(int)) {
    tulle_device_info device;
    must_do(tulle_ctx_device(ctx, &device), "device");
    zoo_matrix *zoo = calloc((size_t)count, sizeof *zoo);
    assert_non_null(zoo);
    for (int i = 0; i < count; i++) zoo[i] = make(i);
    setup s = {
        .ctx = ctx, .backend = device.backend, .zoo = zoo, .matrices = count, .third = third};
    for (s.kernel = 0; s.kernel < tulle_kernel_count(s.backend); s.kernel++) one_kernel(&s);
    must_do(tulle_ctx_force_kernel(ctx, NULL), "force");
    for (int i = 0; i < count; i++) zoo_free(&zoo[i]);
    free(zoo);
}

static void small_zoo(tulle_ctx *ctx, const char *where) {
    each_kernel(ctx, is_slow(where) ? 1 + turn_in_order(where, 3) : 0, zoo_count(), zoo_make);
}

/* Too much for the emulator. */
static void large_zoo(tulle_ctx *ctx, const char *where) {
    if (!is_slow(where)) each_kernel(ctx, 0, zoo_large_count(), zoo_make_large);
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
