/* SPDX-License-Identifier: Apache-2.0 */
/* The library leaves the process as it found it: handlers and masks of signals, the current folder,
 * the mask of new files, the environment, open files, and no thread that goes on working. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "places.h"
#include "tulle/io.h"
#include "tulle/tulle.h"

enum { SIGNALS = 65, FOLDER = 4096, ENVIRONMENT = 1 << 16 };

/* What a process has one of. */
typedef struct {
    struct sigaction handlers[SIGNALS];
    sigset_t blocked;
    char folder[FOLDER];
    mode_t mask;
    char environment[ENVIRONMENT]; /* all variables, in their order */
    int open_files;
} process;

static int count_entries(const char *folder) {
    int count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    while (readdir(dir)) count++;
    closedir(dir);
    return count;
}

static void look_at(process *p) {
    memset(p, 0, sizeof *p);
    for (int s = 1; s < SIGNALS; s++) (void)sigaction(s, NULL, &p->handlers[s]);
    assert_int_equal(pthread_sigmask(SIG_BLOCK, NULL, &p->blocked), 0);
    assert_non_null(getcwd(p->folder, sizeof p->folder));
    p->mask = umask(0);
    umask(p->mask);
    size_t used = 0;
    for (char **variable = environ; *variable && used < sizeof p->environment; variable++)
        used += (size_t)snprintf(p->environment + used, sizeof p->environment - used, "%s\n",
                                 *variable);
    p->open_files = count_entries("/proc/self/fd");
}

/* Only the first bytes of a set of signals are the system's, so that sets are compared by members.
 */
static bool same_set(const sigset_t *a, const sigset_t *b) {
    for (int s = 1; s < SIGNALS; s++) {
        if (sigismember(a, s) != sigismember(b, s)) return false;
    }
    return true;
}

static void is_as_before(const process *before, const char *after_what) {
    static process now;
    look_at(&now);
    for (int s = 1; s < SIGNALS; s++) {
        const struct sigaction *a = &before->handlers[s], *b = &now.handlers[s];
        if (a->sa_handler != b->sa_handler || a->sa_flags != b->sa_flags ||
            !same_set(&a->sa_mask, &b->sa_mask))
            fail_msg("%s: signal %d has another handler", after_what, s);
    }
    if (!same_set(&before->blocked, &now.blocked))
        fail_msg("%s: other signals blocked", after_what);
    if (strcmp(before->folder, now.folder) != 0) fail_msg("%s: in %s", after_what, now.folder);
    if (before->mask != now.mask) fail_msg("%s: umask %o", after_what, now.mask);
    if (strcmp(before->environment, now.environment) != 0)
        fail_msg("%s: another environment:\n%s", after_what, now.environment);
    if (before->open_files != now.open_files)
        fail_msg("%s: %d open files, before %d", after_what, now.open_files, before->open_files);
}

/* Processor time of all threads, in seconds. */
static double busy_seconds(void) {
    struct timespec t;
    assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t), 0);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Threads of the library may look for more work for some milliseconds; then they sleep. */
static void nobody_works(const char *after_what) {
    const struct timespec settle = {.tv_nsec = 100000000}, span = {.tv_nsec = 200000000};
    nanosleep(&settle, NULL);
    const double before = busy_seconds();
    nanosleep(&span, NULL);
    const double busy = busy_seconds() - before;
    if (busy > 0.02) fail_msg("%s: threads work on: %g s of 0.2 s", after_what, busy);
}

static volatile sig_atomic_t handled;

static void mine(int signal_number) {
    (void)signal_number;
    handled++;
}

typedef struct {
    tulle_ctx *ctx;
    tulle_mat *A;
} objects;

static void make(const char *where, const char *spec, objects *o) {
    o->ctx = NULL;
    o->A = NULL;
    must(tulle_ctx_create(where, NULL, &o->ctx));
    must(tulle_generate(o->ctx, spec, 1, TULLE_F64, &o->A));
}

static void destroy(objects *o) {
    tulle_mat_destroy(o->A);
    tulle_ctx_destroy(o->ctx);
}

static void order_amd(objects *o) {
    tulle_order *P = NULL;
    must(tulle_order_fill(o->ctx, o->A, TULLE_AMD, &P));
    tulle_order_destroy(P);
}
static void order_nested(objects *o) {
    tulle_order *P = NULL;
    must(tulle_order_fill(o->ctx, o->A, TULLE_NESTED_DISSECTION, &P));
    tulle_order_destroy(P);
}
static void factor_and_solve(objects *o) {
    tulle_factor *F = NULL;
    tulle_vec *b = NULL, *x = NULL;
    tulle_mat_info info;
    must(tulle_mat_describe(o->A, &info));
    must(tulle_factor_create(o->ctx, o->A, NULL, &F));
    must(tulle_vec_create(o->ctx, TULLE_F64, info.rows, &b));
    must(tulle_vec_create(o->ctx, TULLE_F64, info.rows, &x));
    must(tulle_vec_fill(o->ctx, b, 1));
    must(tulle_factor_solve(o->ctx, TULLE_N, tulle_num(1), F, b, x));
    must(tulle_ctx_synchronize(o->ctx));
    tulle_vec_destroy(b);
    tulle_vec_destroy(x);
    tulle_factor_destroy(F);
}
static void save_and_load(objects *o) {
    static const char *const names[] = {"a.mtx", "a.mtx.gz", "a.mtx.xz", "a.mtx.zst", "a.tulle"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        tulle_mat *B = NULL;
        must(tulle_mat_save(o->ctx, o->A, names[i], NULL));
        must(tulle_mat_load(o->ctx, names[i], TULLE_F64, &B, NULL));
        tulle_mat_destroy(B);
        assert_int_equal(unlink(names[i]), 0);
    }
}
static void fail_to_save_and_load(objects *o) {
    tulle_mat *B = NULL;
    assert_int_not_equal(tulle_mat_save(o->ctx, o->A, "no/such/folder/a.mtx", NULL), TULLE_OK);
    assert_int_not_equal(tulle_mat_load(o->ctx, "no.mtx", TULLE_F64, &B, NULL), TULLE_OK);
}
static void open_places(objects *o) {
    (void)o;
    static const char *const places[] = {"cpu:1", "emulated", "cpu:2"};
    for (int i = 0; i < 3; i++) {
        tulle_ctx *ctx = NULL;
        if (tulle_ctx_create(places[i], NULL, &ctx) == TULLE_OK) tulle_ctx_destroy(ctx);
    }
}

static const struct {
    const char *name;
    void (*call)(objects *o);
} calls[] = {{"AMD", order_amd},
             {"nested dissection", order_nested},
             {"factors", factor_and_solve},
             {"files", save_and_load},
             {"files that are not there", fail_to_save_and_load},
             {"places", open_places}};

static void test_process(void **state) {
    (void)state;
    static process before;
    objects o;
    char folder[] = "/tmp/tulle-test-XXXXXX", old[FOLDER];
    assert_non_null(getcwd(old, sizeof old));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    signal(SIGTERM, mine);
    signal(SIGPIPE, SIG_IGN);
    const mode_t mask = umask(027);
    look_at(&before);
    make("cpu:2", "p3d7:14", &o);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        calls[i].call(&o);
        is_as_before(&before, calls[i].name);
        nobody_works(calls[i].name);
    }
    assert_int_equal(handled, 0);
    destroy(&o);
    is_as_before(&before, "the end");
    umask(mask);
    signal(SIGTERM, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    assert_int_equal(chdir(old), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* What a thread orders, again and again. */
typedef struct {
    pthread_t thread;
    tulle_fill_order method;
    int64_t *found; /* the order, n numbers */
    int64_t n;
    int rounds;
    atomic_bool begun, done;
    bool wrong; /* a round failed, or differs from the first */
} orderer;

static void *order_rounds(void *user) {
    orderer *o = user;
    objects of;
    make("cpu:1", "p3d7:20", &of);
    tulle_mat_info info;
    must(tulle_mat_describe(of.A, &info));
    o->n = info.rows;
    o->found = calloc((size_t)o->n, sizeof *o->found);
    int64_t *again = calloc((size_t)o->n, sizeof *again);
    o->wrong = !o->found || !again;
    for (int round = 0; !o->wrong && round < o->rounds; round++) {
        tulle_order *P = NULL;
        atomic_store(&o->begun, true);
        if (tulle_order_fill(of.ctx, of.A, o->method, &P) != TULLE_OK ||
            tulle_order_read(of.ctx, P, round ? again : o->found) != TULLE_OK ||
            (round && memcmp(again, o->found, (size_t)o->n * sizeof *again) != 0))
            o->wrong = true;
        tulle_order_destroy(P);
    }
    free(again);
    destroy(&of);
    atomic_store(&o->done, true);
    return NULL;
}

static void start(orderer *o, tulle_fill_order method, int rounds) {
    memset(o, 0, sizeof *o);
    o->method = method;
    o->rounds = rounds;
    assert_int_equal(pthread_create(&o->thread, NULL, order_rounds, o), 0);
}

/* While another thread orders, every signal reaches the handler of the program. */
static void test_handler(void **state) {
    (void)state;
    static const tulle_fill_order methods[] = {TULLE_AMD, TULLE_NESTED_DISSECTION};
    const struct timespec pause = {.tv_nsec = 1000000};
    signal(SIGTERM, mine);
    for (int i = 0; i < 2; i++) {
        orderer worker;
        int sent = 0;
        handled = 0;
        start(&worker, methods[i], 4);
        while (!atomic_load(&worker.begun)) nanosleep(&pause, NULL);
        do {
            assert_int_equal(kill(getpid(), SIGTERM), 0);
            sent++;
            nanosleep(&pause, NULL);
            struct sigaction now;
            assert_int_equal(sigaction(SIGTERM, NULL, &now), 0);
            if (now.sa_handler != mine) fail_msg("the handler was taken away, signal %d", sent);
            for (int wait = 0; handled < sent && wait < 1000; wait++) nanosleep(&pause, NULL);
            assert_int_equal(handled, sent);
        } while (!atomic_load(&worker.done));
        assert_int_equal(pthread_join(worker.thread, NULL), 0);
        assert_false(worker.wrong);
        free(worker.found);
    }
    signal(SIGTERM, SIG_DFL);
}

/* Two threads that order at once find the same as one alone. */
static void test_two(void **state) {
    (void)state;
    static const tulle_fill_order methods[] = {TULLE_AMD, TULLE_NESTED_DISSECTION};
    for (int i = 0; i < 2; i++) {
        orderer alone, one, two;
        start(&alone, methods[i], 1);
        assert_int_equal(pthread_join(alone.thread, NULL), 0);
        start(&one, methods[i], 3);
        start(&two, methods[i], 3);
        assert_int_equal(pthread_join(one.thread, NULL), 0);
        assert_int_equal(pthread_join(two.thread, NULL), 0);
        const size_t bytes = (size_t)alone.n * sizeof *alone.found;
        assert_false(one.wrong || two.wrong);
        assert_memory_equal(alone.found, one.found, bytes);
        assert_memory_equal(alone.found, two.found, bytes);
        free(alone.found);
        free(one.found);
        free(two.found);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_process),
        cmocka_unit_test(test_handler),
        cmocka_unit_test(test_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
