/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of parallel regions: loops of all forms that tulle has, many callers at once, children of
 * fork, a system that gives no more threads, workers that wait and that end; and how many threads a
 * context "cpu" has. The pragmas here are compiled as tulle's own are. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "places.h"
#include "tulle/tulle.h"

enum { CALLERS = 6, ROUNDS = 8, LENGTH = 300, ROWS = 100000 };

static int64_t term(int64_t i) {
    return i * i % 7;
}

static int64_t sum_of(int64_t n) {
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++) sum += term(i);
    return sum;
}

/* Each counts how many of its loops were wrong, since only the test's own thread may fail it. */
static int wrong_loops(int threads, int64_t n, int chunk) {
    const int64_t right = sum_of(n);
    int wrong = 0;
    int64_t sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum) schedule(dynamic)
    for (int i = 0; i < (int)n; i++) sum += term(i);
    wrong += sum != right;
    sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum) schedule(monotonic : dynamic, chunk)
    for (int64_t i = n - 1; i >= 0; i--) sum += term(i);
    wrong += sum != right;
    sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum) schedule(dynamic, chunk)
    for (uint64_t i = (uint64_t)n; i > 0; i -= 1) sum += term((int64_t)i - 1);
    wrong += sum != right;
    sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum) schedule(monotonic : dynamic, chunk)
    for (uint64_t i = 0; i < (uint64_t)n; i++) sum += term((int64_t)i);
    wrong += sum != right;
    sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum) collapse(2) schedule(dynamic, chunk)
    for (int64_t k = 0; k < 3; k++) {
        for (int64_t i = 0; i < n; i++) sum += term(i);
    }
    wrong += sum != 3 * right;
    sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum) schedule(static)
    for (int64_t i = 0; i < n; i++) sum += term(i);
    wrong += sum != right;
    int64_t by_three = 0;
    for (int64_t i = -5; i < n; i += 3) by_three -= i;
#pragma omp parallel for num_threads(threads) reduction(+ : by_three) schedule(dynamic, chunk)
    for (int64_t i = -5; i < n; i += 3) by_three += i;
    wrong += by_three != 0;
    return wrong;
}

/* A thread may be several loops ahead of the others. */
static int wrong_sequences(int threads, int64_t n, int chunk) {
    enum { LOOPS = 9 };
    const int64_t right = sum_of(n);
    int64_t sums[LOOPS] = {0}, after = 0;
    int wrong = 0, members = 0;
#pragma omp parallel num_threads(threads)
    {
        for (int k = 0; k < LOOPS; k++) {
#pragma omp for schedule(dynamic, chunk) nowait
            for (int64_t i = 0; i < n; i++) {
#pragma omp atomic
                sums[k] += term(i);
            }
        }
#pragma omp barrier
        int bad = 0;
        for (int k = 0; k < LOOPS; k++) bad += sums[k] != right;
#pragma omp for schedule(dynamic, 1)
        for (int64_t i = 0; i < n; i++) {
#pragma omp critical(test_crew_sum)
            after += term(i);
        }
        bad += after != right;
#pragma omp critical
        {
#pragma omp critical(test_crew_inner)
            wrong += bad;
            members++;
        }
    }
    return wrong + (members != threads);
}

static int wrong_orders(int threads, int64_t n, int chunk) {
    int64_t last = -1, sum = 0;
    int wrong = 0;
#pragma omp parallel for ordered schedule(dynamic, chunk) num_threads(threads)
    for (int64_t i = 0; i < n; i++) {
        const int64_t number = term(i);
#pragma omp ordered
        {
            wrong += i != last + 1;
            last = i;
            sum += number;
        }
    }
    return wrong + (sum != sum_of(n));
}

/* A region within a region has one thread. */
static int wrong_nests(int threads, int64_t n) {
    int64_t sum = 0;
    int wrong = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum, wrong)
    {
        const int number = omp_get_thread_num();
        for (int outer = 0; outer < 2; outer++) {
#pragma omp parallel for num_threads(3) schedule(dynamic, 2) reduction(+ : sum, wrong)
            for (int64_t i = 0; i < n; i++) {
                sum += term(i);
                wrong += threads > 1 && omp_get_num_threads() != 1;
            }
        }
        wrong += omp_get_thread_num() != number || omp_get_num_threads() != threads;
    }
    return wrong + (sum != 2 * threads * sum_of(n));
}

static int wrong_forms(int rounds) {
    int wrong = 0;
    for (int k = 0; k < rounds; k++) {
        const int threads = 1 + k % 5, chunk = 1 + k % 7;
        const int64_t n = k % 4 == 3 ? k - 3 : LENGTH + k;
        wrong += wrong_loops(threads, n, chunk) + wrong_sequences(threads, n, chunk) +
                 wrong_orders(threads, n, chunk) + wrong_nests(threads, n);
    }
    return wrong;
}

static void test_forms(void **state) {
    (void)state;
    assert_int_equal(wrong_forms(2 * ROUNDS), 0);
}

static void *call(void *wrong) {
    *(int *)wrong = wrong_forms(ROUNDS);
    return NULL;
}

static void test_callers(void **state) {
    (void)state;
    pthread_t thread[CALLERS];
    int wrong[CALLERS];
    for (int i = 0; i < CALLERS; i++) {
        assert_int_equal(pthread_create(&thread[i], NULL, call, &wrong[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(wrong[i], 0);
    }
}

/* A matrix of twos on the diagonal, and its product with ones. */
typedef struct doubling {
    tulle_ctx *ctx;
    tulle_mat *A;
    tulle_vec *x, *y;
} doubling;

static doubling open_doubling(const char *where) {
    static int32_t offsets[ROWS + 1], columns[ROWS];
    static double values[ROWS];
    doubling d = {NULL};
    for (int i = 0; i < ROWS; i++) {
        offsets[i + 1] = i + 1;
        columns[i] = i;
        values[i] = 2;
    }
    must(tulle_ctx_create(where, NULL, &d.ctx));
    must(tulle_mat_create_csr(d.ctx, ROWS, ROWS, ROWS, TULLE_I32, offsets, columns, TULLE_F64,
                              values, NULL, &d.A));
    must(tulle_vec_create(d.ctx, TULLE_F64, ROWS, &d.x));
    must(tulle_vec_create(d.ctx, TULLE_F64, ROWS, &d.y));
    must(tulle_vec_fill(d.ctx, d.x, 1));
    return d;
}

/* Whether a product is right. */
static bool doubles(const doubling *d) {
    static double y[ROWS];
    bool right =
        tulle_vec_fill(d->ctx, d->y, 0) == TULLE_OK &&
        tulle_spmv(d->ctx, TULLE_N, tulle_num(1), d->A, d->x, tulle_num(0), d->y) == TULLE_OK &&
        tulle_vec_read(d->ctx, d->y, y, 0) == TULLE_OK;
    for (int i = 0; i < ROWS; i++) right = right && y[i] == 2;
    return right;
}

static void close_doubling(const doubling *d) {
    tulle_vec_destroy(d->x);
    tulle_vec_destroy(d->y);
    tulle_mat_destroy(d->A);
    tulle_ctx_destroy(d->ctx);
}

/* A child that hangs is ended by its alarm. */
static bool child_ends_well(const doubling *d) {
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(30);
        _exit(doubles(d) && wrong_forms(2) == 0 ? 0 : 1);
    }
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void test_fork(void **state) {
    (void)state;
    const doubling d = open_doubling("cpu:3");
    assert_true(doubles(&d));
    for (int i = 0; i < 3; i++) {
        assert_true(child_ends_well(&d));
        assert_true(doubles(&d));
    }
    close_doubling(&d);
}

static atomic_bool calls_on;

static void *call_on(void *wrong) {
    while (atomic_load(&calls_on)) *(int *)wrong += wrong_forms(1);
    return NULL;
}

/* Another thread is in regions, and in critical parts, while this one forks. */
static void test_fork_beside_a_caller(void **state) {
    (void)state;
    const doubling d = open_doubling("cpu:2");
    int wrong = 0;
    pthread_t other;
    atomic_store(&calls_on, true);
    assert_int_equal(pthread_create(&other, NULL, call_on, &wrong), 0);
    bool well = true;
    for (int i = 0; i < 5; i++) well = well && child_ends_well(&d);
    atomic_store(&calls_on, false);
    pthread_join(other, NULL);
    assert_true(well);
    assert_int_equal(wrong, 0);
    close_doubling(&d);
}

/* Stands before the C library's: what tulle calls too, as it is linked into this program. */
static atomic_bool refuses;
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *user) {
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = NULL;
    *(void **)(void *)&real = dlsym(RTLD_NEXT, "pthread_create");
    return atomic_load(&refuses) ? EAGAIN : real(thread, attributes, start, user);
}

static void test_no_more_threads(void **state) {
    (void)state;
    enum { MANY = 90 };
    int members = 0;
    int64_t sum = 0;
    atomic_store(&refuses, true);
    const doubling d = open_doubling("cpu:90");
#pragma omp parallel num_threads(MANY) reduction(+ : sum)
    {
#pragma omp critical(test_crew_members)
        members = omp_get_num_threads();
#pragma omp for schedule(dynamic, 3)
        for (int64_t i = 0; i < LENGTH; i++) sum += term(i);
    }
    const bool right = doubles(&d);
    atomic_store(&refuses, false);
    assert_true(members < MANY);
    assert_int_equal(sum, sum_of(LENGTH));
    assert_true(right);
#pragma omp parallel num_threads(MANY)
    {
#pragma omp critical(test_crew_members)
        members = omp_get_num_threads();
    }
    assert_int_equal(members, MANY);
    close_doubling(&d);
}

static int count_tasks(void) {
    FILE *file = fopen("/proc/self/status", "r");
    assert_non_null(file);
    char line[256];
    int tasks = 0;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "Threads: %d", &tasks) == 1) break;
    }
    fclose(file);
    return tasks;
}

static void pause_ms(int ms) {
    const struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&t, NULL);
}

static int cores(void) {
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    return CPU_COUNT(&set);
}

/* More workers than cores end, a second after they were of use. */
static void test_workers_end(void **state) {
    (void)state;
    const int many = cores() + 6, others = count_tasks();
    int members = 0;
#pragma omp parallel num_threads(many)
#pragma omp atomic
    members++;
    assert_int_equal(members, many);
    assert_true(count_tasks() >= many);
    for (int wait = 0; wait < 100 && count_tasks() > cores() + 1; wait++) pause_ms(100);
    assert_true(count_tasks() <= cores() + 1 || others > many);
}

static double used_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Who waits sleeps, at a barrier and at the end of a region. */
static void test_waiting_burns_nothing(void **state) {
    (void)state;
    const double start = used_seconds();
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1) pause_ms(300);
#pragma omp barrier
        if (omp_get_thread_num() == 2) pause_ms(300);
    }
    pause_ms(300);
    assert_true(used_seconds() - start < 0.15);
}

static int threads_of_cpu(void) {
    tulle_ctx *ctx = NULL;
    tulle_device_info info;
    must(tulle_ctx_create("cpu", NULL, &ctx));
    must(tulle_ctx_device(ctx, &info));
    tulle_ctx_destroy(ctx);
    return info.threads;
}

static void test_affinity(void **state) {
    (void)state;
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++) {
        if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
    }
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    const int threads = threads_of_cpu();
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    assert_int_equal(threads, 1);
}

static void test_environment(void **state) {
    (void)state;
    if (dlsym(RTLD_DEFAULT, "omp_get_max_threads")) {
        say_skipped("OMP_NUM_THREADS: this program has an OpenMP, which has read it");
        skip();
    }
    unsetenv("OMP_NUM_THREADS");
    const int all = threads_of_cpu();
    assert_in_range(all, 1, cores());
    static const char *const one[] = {"1", " 1", "1,8", "1 , 8"};
    for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
        setenv("OMP_NUM_THREADS", one[i], 1);
        assert_int_equal(threads_of_cpu(), 1);
    }
    static const char *const every[] = {"100000", "99999999999999999999", "", "0", "-1", "two",
                                        "1x"};
    for (size_t i = 0; i < sizeof every / sizeof *every; i++) {
        setenv("OMP_NUM_THREADS", every[i], 1);
        assert_int_equal(threads_of_cpu(), all);
    }
    unsetenv("OMP_NUM_THREADS");
}

static void note_threads(void *threads) {
    atomic_store((atomic_int *)threads, threads_of_cpu());
}

/* A program's own OpenMP has the say; one region of its own has all cores already. */
static void test_openmp_of_the_program(void **state) {
    (void)state;
    const int all = threads_of_cpu();
    void *libgomp = dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!libgomp) {
        say_skipped("the OpenMP of a program: there is no libgomp");
        skip();
    }
    void (*set)(int) = NULL;
    void (*parallel)(void (*)(void *), void *, unsigned, unsigned) = NULL;
    *(void **)(void *)&set = dlsym(libgomp, "omp_set_num_threads");
    *(void **)(void *)&parallel = dlsym(libgomp, "GOMP_parallel");
    assert_true(set && parallel);
    set(1);
    assert_int_equal(threads_of_cpu(), 1);
    set(100000);
    assert_int_equal(threads_of_cpu(), all);
    atomic_int inside = 0;
    parallel(note_threads, &inside, 2, 0);
    assert_int_equal(atomic_load(&inside), 1);
    assert_int_equal(threads_of_cpu(), all);
}

static void test_explicit_count(void **state) {
    (void)state;
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create("cpu:1024", NULL, &ctx));
    tulle_ctx_destroy(ctx);
    static const char *const refused[] = {"cpu:1025", "cpu:99999999999999999999"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(tulle_ctx_create(refused[i], NULL, &ctx), TULLE_INVALID_ARGUMENT);
        char message[128];
        snprintf(message, sizeof message, "'%s' asks for more than 1024 threads", refused[i]);
        assert_non_null(strstr(tulle_last_error()->message, message));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_callers),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_fork_beside_a_caller),
        cmocka_unit_test(test_no_more_threads),
        cmocka_unit_test(test_workers_end),
        cmocka_unit_test(test_waiting_burns_nothing),
        cmocka_unit_test(test_affinity),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_explicit_count),
        cmocka_unit_test(test_openmp_of_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
