/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_spmv promises to be capturable in a CUDA graph: captures one product, replays it on other
 * numbers, and compares. Talks to the driver alone, opened at run time, so that it builds anywhere;
 * skipped where there is no GPU. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layouts.h"
#include "places.h"
#include "reference.h"
#include "tulle/advanced.h"

/* The driver's functions, by the names and types of its API (CUDA driver API, "Graph Management").
 */
typedef struct {
    int (*init)(unsigned flags);
    int (*retain)(void **context, int device);
    int (*set_current)(void *context);
    int (*begin)(void *stream, int mode);
    int (*end)(void *stream, void **graph);
    int (*instantiate)(void **executable, void *graph, unsigned long long flags);
    int (*launch)(void *executable, void *stream);
    int (*destroy_executable)(void *executable);
    int (*destroy_graph)(void *graph);
} driver;

static void find(void *library, const char *name, void *function) {
    *(void **)function = dlsym(library, name);
    if (!*(void **)function) fail_msg("the driver has no %s", name);
}

static driver open_driver(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) fail_msg("%s", dlerror());
    driver d;
    find(library, "cuInit", &d.init);
    find(library, "cuDevicePrimaryCtxRetain", &d.retain);
    find(library, "cuCtxSetCurrent", &d.set_current);
    find(library, "cuStreamBeginCapture_v2", &d.begin);
    find(library, "cuStreamEndCapture", &d.end);
    find(library, "cuGraphInstantiateWithFlags", &d.instantiate);
    find(library, "cuGraphLaunch", &d.launch);
    find(library, "cuGraphExecDestroy", &d.destroy_executable);
    find(library, "cuGraphDestroy", &d.destroy_graph);
    return d;
}

/* A matrix that the forced kernel takes. */
static tulle_mat *make(tulle_ctx *ctx, const tulle_kernel_info *kernel, tulle_trans op,
                       const zoo_matrix *m) {
    tulle_mat *csr = zoo_mat(ctx, m, TULLE_I32, TULLE_F64), *sorted = NULL;
    must(tulle_mat_convert(ctx, csr, TULLE_CSR, TULLE_I32, TULLE_SUM_DUPLICATES, &sorted));
    tulle_mat *A = layout_make(ctx, sorted, kernel->format, TULLE_I32, 0);
    assert_non_null(A);
    if (kernel->needs_plan) must(tulle_mat_plan(ctx, op, A, kernel->name));
    tulle_choice choice;
    must(tulle_spmv_describe(ctx, op, A, true, &choice));
    must(tulle_spmv_reserve(ctx, op, A));
    tulle_mat_destroy(csr);
    tulle_mat_destroy(sorted);
    return A;
}

static void replay(tulle_ctx *ctx, const driver *d, const tulle_kernel_info *kernel,
                   tulle_trans op) {
    zoo_matrix m = zoo_make_large(1);
    tulle_mat *A = make(ctx, kernel, op, &m);
    int64_t n = op == TULLE_N ? m.cols : m.rows, rows = op == TULLE_N ? m.rows : m.cols;
    tulle_vec *x = NULL, *y = NULL;
    must(tulle_vec_create(ctx, TULLE_F64, n, &x));
    must(tulle_vec_create(ctx, TULLE_F64, rows, &y));
    must(tulle_vec_fill(ctx, x, 0));
    must(tulle_ctx_synchronize(ctx));

    void *graph = NULL, *executable = NULL;
    assert_int_equal(d->begin(tulle_ctx_stream(ctx), 0), 0);
    must(tulle_spmv(ctx, op, tulle_num(1), A, x, tulle_num(0), y));
    assert_int_equal(d->end(tulle_ctx_stream(ctx), &graph), 0);
    assert_int_equal(d->instantiate(&executable, graph, 0), 0);

    must(tulle_vec_random(ctx, x, 5));
    assert_int_equal(d->launch(executable, tulle_ctx_stream(ctx)), 0);
    double *x_host = malloc((size_t)n * sizeof *x_host), *y_host = malloc((size_t)rows * 8);
    assert_non_null(x_host);
    assert_non_null(y_host);
    must(tulle_vec_read(ctx, x, x_host, 0));
    must(tulle_vec_read(ctx, y, y_host, 0));
    product p = {.op = op, .alpha = 1, .beta = 0, .x = x_host};
    assert_true(product_error(&m, &p, TULLE_F64, y_host) <= 1);

    assert_int_equal(d->destroy_executable(executable), 0);
    assert_int_equal(d->destroy_graph(graph), 0);
    tulle_vec_destroy(x);
    tulle_vec_destroy(y);
    tulle_mat_destroy(A);
    free(x_host);
    free(y_host);
    zoo_free(&m);
}

static void test_capture(void **state) {
    (void)state;
    if (tulle_device_count(TULLE_CUDA) == 0) {
        say_skipped("cuda: %s", tulle_device_missing(TULLE_CUDA));
        skip();
    }
    driver d = open_driver();
    void *context = NULL;
    assert_int_equal(d.init(0), 0);
    assert_int_equal(d.retain(&context, 0), 0);
    assert_int_equal(d.set_current(context), 0);
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create("cuda", NULL, &ctx));
    int count = tulle_kernel_count(TULLE_CUDA);
    for (int i = 0; i < count; i++) {
        tulle_kernel_info info;
        must(tulle_kernel_describe(TULLE_CUDA, i, &info));
        if (strcmp(info.operation, "spmv") != 0) continue;
        must(tulle_ctx_force_kernel(ctx, info.name));
        if (info.forward) replay(ctx, &d, &info, TULLE_N);
        if (info.transposed) replay(ctx, &d, &info, TULLE_T);
    }
    tulle_ctx_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_capture)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
