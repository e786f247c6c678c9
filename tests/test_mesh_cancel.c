/* SPDX-License-Identifier: Apache-2.0 */
/* Every step over a mesh or its file tells how far it is, and asks whether to go on: often enough,
 * and whenever the answer is no, the call ends with TULLE_CANCELLED and leaves nothing behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "io_help.h"
#include "meshes.h"
#include "places.h"
#include "tulle/mesh_io.h"

enum { MOST_STEPS = 40, NAME = 40 };

/* What was told of a step: how often, and the most that it went on without asking. */
typedef struct {
    char what[NAME];
    int64_t calls, last, most, total;
} told;

static told steps[MOST_STEPS];
static int step_count;
static int64_t asked, no_at; /* the question that is answered no, from 1; 0: none */
static const char *again;    /* what asked once more */

static told *step_of(const char *what) {
    for (int s = 0; s < step_count; s++) {
        if (strcmp(steps[s].what, what) == 0) return &steps[s];
    }
    assert_true(step_count < MOST_STEPS);
    told *step = &steps[step_count++];
    *step = (told){.calls = 0};
    snprintf(step->what, NAME, "%s", what);
    return step;
}

static int ask(void *user, const char *what, int64_t done, int64_t total) {
    (void)user;
    told *step = step_of(what);
    const bool goes_on = step->calls++ > 0 && total == step->total; /* else another pass begins */
    if (goes_on && done - step->last > step->most) step->most = done - step->last;
    step->last = done;
    step->total = total;
    if (++asked == no_at + 1) again = step->what;
    return asked == no_at;
}

static void forget(int64_t no) {
    step_count = 0;
    asked = 0;
    no_at = no;
}

/* A step of the work on a large mesh, and what it may do of it at once; bytes where it is on a
 * file.
 */
static const struct {
    const char *what;
    int64_t most;
} expected[] = {{"making the mesh", 1 << 17},
                {"describing the mesh", 1 << 17},
                {"moving nodes", 1 << 17},
                {"shuffling", 1 << 17},
                {"permuting the mesh", 1 << 17},
                {"measuring cells", 1 << 17},
                {"checking cells", 1 << 17},
                {"matching facets", 1 << 17},
                {"making the boundary", 1 << 17},
                {"looking for hanging nodes", 1 << 17},
                {"listing neighbours", 1 << 17},
                {"ordering elements", 1 << 17},
                {"checking arrays", 1 << 17},
                {"looking for groups", 1 << 17},
                {"writing nodes", 1 << 18},
                {"writing elements", 1 << 18},
                {"writing cells", 1 << 18},
                {"parsing", 1 << 21},
                {"numbering nodes", 1 << 17},
                {"sorting elements", 1 << 17},
                {"looking for turned cells", 1 << 17}};

static void expect_steps(void) {
    for (size_t e = 0; e < sizeof expected / sizeof *expected; e++) {
        const told *step = step_of(expected[e].what);
        if (step->calls < 2 || step->most > expected[e].most)
            fail_msg("%s: %lld calls, %lld of %lld without one", expected[e].what,
                     (long long)step->calls, (long long)step->most, (long long)step->total);
    }
}

/* All that there is to do with a mesh; what it returns is the status of the first failure. */
static tulle_status work(tulle_ctx *ctx, const char *spec) {
    static const char *const names[] = {"cancel.msh.gz", "cancel.vtu"};
    tulle_mesh *mesh = NULL, *made = NULL;
    tulle_mesh_arrays arrays;
    tulle_status status = tulle_mesh_generate(ctx, spec, &mesh);
    if (status == TULLE_OK) status = tulle_mesh_check(ctx, mesh);
    if (status == TULLE_OK) status = tulle_mesh_boundary(ctx, mesh, &made, NULL);
    tulle_mesh_destroy(made);
    made = NULL;
    if (status == TULLE_OK) status = tulle_mesh_renumber(ctx, mesh, &made, NULL, NULL);
    tulle_mesh_destroy(made);
    made = NULL;
    if (status == TULLE_OK) status = tulle_mesh_view(mesh, &arrays);
    if (status == TULLE_OK) status = tulle_mesh_create(ctx, &arrays, &made);
    tulle_mesh_destroy(made);
    made = NULL;
    for (int k = 0; k < 2 && status == TULLE_OK; k++) {
        const tulle_mesh_save_options options = {.encoding = k == 0 ? TULLE_ENCODE_TEXT
                                                                    : TULLE_ENCODE_BASE64};
        status = tulle_mesh_save(ctx, mesh, io_path(names[k]), &options);
    }
    if (status == TULLE_OK) status = tulle_mesh_load(ctx, io_path(names[0]), &made, NULL);
    tulle_mesh_destroy(made);
    tulle_mesh_destroy(mesh);
    return status;
}

/* Nodes whose numbers are far apart, and elements whose numbers fall, are sorted by them. */
static tulle_status load_sparse(tulle_ctx *ctx, int64_t n) {
    io_text text = {NULL};
    tulle_mesh *mesh = NULL;
    io_print(&text, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 %lld 1 %lld\n2 1 0 %lld\n",
             (long long)(2 * n + 2), (long long)(100 * n), (long long)(2 * n + 2));
    for (int64_t i = 0; i < 2 * n + 2; i++) io_print(&text, "%lld\n", (long long)(100 * i + 1));
    for (int64_t i = 0; i < 2 * n + 2; i++)
        io_print(&text, "%lld %d 0\n", (long long)(i / 2), (int)(i % 2));
    io_print(&text, "$EndNodes\n$Elements\n1 %lld 1 %lld\n2 1 3 %lld\n", (long long)n, (long long)n,
             (long long)n);
    for (int64_t i = 0; i < n; i++) {
        io_print(&text, "%lld %lld %lld %lld %lld\n", (long long)(n - i), (long long)(200 * i + 1),
                 (long long)(200 * i + 201), (long long)(200 * i + 301),
                 (long long)(200 * i + 101));
    }
    io_print(&text, "$EndElements\n");
    const tulle_status status =
        tulle_mesh_load_memory(ctx, text.bytes, (int64_t)text.size, "sparse", &mesh, NULL);
    tulle_mesh_destroy(mesh);
    free(text.bytes);
    return status;
}

static void test_often_enough(void **state) {
    (void)state;
    tulle_ctx *ctx;
    must(tulle_ctx_create("cpu:1", NULL, &ctx)); /* the caller's thread does all, and tells all */
    must(tulle_ctx_set_progress(ctx, ask, NULL));
    forget(0);
    must(work(ctx, "box-tri:400x300,perturb=0.1,shuffle=1"));
    must(load_sparse(ctx, 100000));
    expect_steps();
    assert_int_equal(step_of("looking for turned cells")->total, 100000); /* cells, not blocks */
    tulle_ctx_destroy(ctx);
}

/* Whether the n-th question was asked; its answer is no. */
static bool cancel_once(tulle_status (*run)(tulle_ctx *ctx), int64_t n) {
    counting c = {0};
    const tulle_allocator allocator = counting_allocator(&c);
    const tulle_ctx_options options = {.host = &allocator, .device = &allocator};
    tulle_ctx *ctx;
    must(tulle_ctx_create("cpu:2", &options, &ctx));
    must(tulle_ctx_set_progress(ctx, ask, NULL));
    forget(n);
    const tulle_status status = run(ctx);
    const bool reached = asked >= n;
    if (reached) assert_int_equal(status, TULLE_CANCELLED);
    if (!reached) must(status);
    if (asked > n) fail_msg("after no to question %lld, %s", (long long)n, again);
    tulle_memory_usage usage;
    must(tulle_ctx_memory(ctx, &usage));
    assert_int_equal(usage.in_use - usage.workspace, 0);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    assert_true(io_folder_files() <= 2);
    return reached;
}

static tulle_status work_on_few(tulle_ctx *ctx) {
    return work(ctx, "box-tet:3,perturb=0.1,shuffle=1");
}

static tulle_status work_on_more(tulle_ctx *ctx) {
    return work(ctx, "cylinder-quad:150x100,shuffle=1");
}

static tulle_status load_few_sparse(tulle_ctx *ctx) {
    return load_sparse(ctx, 1000);
}

static void cancel_everywhere(tulle_status (*run)(tulle_ctx *ctx), int64_t step) {
    enum { FEWEST = 10, MOST = 100000 };
    int64_t n = 1;
    while (cancel_once(run, n)) {
        n += step;
        assert_true(n < MOST);
    }
    assert_true(n > FEWEST);
}

static void test_cancelling(void **state) {
    (void)state;
    cancel_everywhere(work_on_few, 1);
    cancel_everywhere(work_on_more, 97);
    cancel_everywhere(load_few_sparse, 1);
}

static int start(void **state) {
    (void)state;
    io_folder_make();
    return 0;
}

static int end(void **state) {
    (void)state;
    io_folder_remove();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_often_enough),
                                       cmocka_unit_test(test_cancelling)};
    return cmocka_run_group_tests(tests, start, end);
}
