/* SPDX-License-Identifier: Apache-2.0 */
/* Communicators: what threads gather, exchange and add up; what happens when one stays away, leaves
 * or calls something else. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "comm/comm.h"
#include "places.h"
#include "ranks.h"

enum { COUNT = 300 };

/* Number i of a rank: sums of such numbers depend on the order. */
static double number_of(int rank, int i) {
    return 1.0 / (3 + i + 7 * rank) * (rank % 2 ? 1e8 : -1);
}

/* The sum in the order of ranks, in f64. */
static double sum_of(int ranks, int i, tulle_type type) {
    double sum = 0;
    for (int r = 0; r < ranks; r++) {
        sum += type == TULLE_F32 ? (double)(float)number_of(r, i) : number_of(r, i);
    }
    return type == TULLE_F32 ? (double)(float)sum : sum;
}

static tulle_status add_up(process *p, tulle_type type) {
    const size_t size = (size_t)tulle_type_size(type);
    double wide[COUNT];
    float narrow[COUNT];
    void *numbers = type == TULLE_F32 ? (void *)narrow : (void *)wide, *there = NULL;
    for (int i = 0; i < COUNT; i++) {
        wide[i] = number_of(p->rank, i);
        narrow[i] = (float)number_of(p->rank, i);
    }
    tulle_status s = tulle__alloc(p->ctx, COUNT * size, &there);
    if (s == TULLE_OK) s = tulle__copy_wait(p->ctx, there, numbers, COUNT * size);
    if (s == TULLE_OK) s = tulle__comm_sum(p->comm, p->ctx, type, there, there, COUNT);
    if (s == TULLE_OK) s = tulle__copy_wait(p->ctx, numbers, there, COUNT * size);
    for (int i = 0; i < COUNT && s == TULLE_OK; i++) {
        const double got = type == TULLE_F32 ? (double)narrow[i] : wide[i];
        if (got != sum_of(p->ranks, i, type)) s = wrong("number %d is %.17g", i, got);
    }
    tulle__free(p->ctx, there);
    return s;
}

static tulle_status sums(process *p) {
    double here[COUNT];
    for (int i = 0; i < COUNT; i++) here[i] = number_of(p->rank, i);
    TULLE__TRY(tulle__comm_sum_host(p->comm, here, COUNT));
    for (int i = 0; i < COUNT; i++) {
        if (here[i] != sum_of(p->ranks, i, TULLE_F64)) return wrong("number %d", i);
    }
    TULLE__TRY(add_up(p, TULLE_F32));
    return add_up(p, TULLE_F64);
}

static void sums_on(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
        process p[MOST_RANKS];
        run_ranks(ranks, 0, where, sums, NULL, p);
        must_all(p);
    }
}
ONCE_ON_EACH_PLACE(sums_on)

/* A ring: rank r sends r + 1 numbers to the next one and 2 r + 1 to the one before, some times. */
static tulle_status ring(process *p) {
    const int next = (p->rank + 1) % p->ranks, last = (p->rank + p->ranks - 1) % p->ranks;
    double out[3 * MOST_RANKS + 2], in[3 * MOST_RANKS + 2];
    double *there = NULL;
    const size_t room = sizeof out;
    TULLE__TRY(tulle__alloc(p->ctx, 2 * room, (void **)&there));
    tulle_status s = TULLE_OK;
    for (int time = 0; time < 3 && s == TULLE_OK; time++) {
        const size_t up = (size_t)p->rank + 1, down = 2 * (size_t)p->rank + 1;
        for (size_t i = 0; i < up + down; i++) out[i] = p->rank + 10 * time + (i < up ? 0 : 0.5);
        double *to = there + room / sizeof(double);
        const tulle_comm_piece sends[] = {{next, up * sizeof(double), there},
                                          {last, down * sizeof(double), there + up}};
        const size_t from_last = (size_t)last + 1, from_next = 2 * (size_t)next + 1;
        const tulle_comm_piece receives[] = {{last, from_last * sizeof(double), to},
                                             {next, from_next * sizeof(double), to + from_last}};
        s = tulle__copy_wait(p->ctx, there, out, (up + down) * sizeof(double));
        if (s == TULLE_OK) {
            s = tulle__comm_exchange_start(p->comm, p->ctx, sends, 2, receives, 2);
        }
        if (s == TULLE_OK) s = tulle__comm_exchange_finish(p->comm, p->ctx);
        if (s == TULLE_OK) {
            s = tulle__copy_wait(p->ctx, in, to, (from_last + from_next) * sizeof(double));
        }
        for (size_t i = 0; i < from_last + from_next && s == TULLE_OK; i++) {
            const double due = (i < from_last ? last : next + 0.5) + 10 * time;
            if (in[i] != due) s = wrong("number %d is %g, not %g", (int)i, in[i], due);
        }
    }
    tulle__free(p->ctx, there);
    return s;
}

static void ring_on(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    for (int ranks = 3; ranks <= MOST_RANKS; ranks++) {
        process p[MOST_RANKS];
        run_ranks(ranks, 0, where, ring, NULL, p);
        must_all(p);
    }
}
ONCE_ON_EACH_PLACE(ring_on)

/* Runs a body in which communication fails, and expects the same failure in all threads from rank
 * `from` on, with these words. */
static void expect_failure(tulle_status (*body)(process *p), double timeout, int from,
                           const char *words) {
    process p[MOST_RANKS];
    run_ranks(3, timeout, "cpu:1", body, NULL, p);
    for (int r = 0; r < from; r++) assert_int_equal(p[r].status, TULLE_OK);
    for (int r = from; r < 3; r++) {
        assert_int_equal(p[r].status, TULLE_PEER_FAILED);
        if (!strstr(p[r].words, words)) fail_msg("rank %d: %s", r, p[r].words);
        assert_true(p[r].seconds < 30);
    }
}

static tulle_status twice(process *p, tulle_status (*call)(process *p)) {
    const tulle_status first = call(p);
    if (first == TULLE_OK) return wrong("the first call succeeded");
    const char *said = tulle_last_error()->message;
    char words[RANK_WORDS];
    strncpy(words, said, sizeof words - 1);
    words[sizeof words - 1] = '\0';
    double number = 1;
    if (tulle__comm_sum_host(p->comm, &number, 1) != TULLE_PEER_FAILED) {
        return wrong("the call after a failure succeeded");
    }
    if (!strstr(tulle_last_error()->message, "before")) return wrong("%s", words);
    return tulle__fail(first, NULL, NULL, -1, "%s", words);
}

static tulle_status sum_one(process *p) {
    double number = 1;
    return tulle__comm_sum_host(p->comm, &number, 1);
}

/* Rank 0 stays away, for longer than the timeout. */
static tulle_status one_comes_late(process *p) {
    static atomic_int failed;
    if (p->rank == 0) {
        while (atomic_load(&failed) < 2) sched_yield();
        return sum_one(p) == TULLE_PEER_FAILED ? TULLE_OK : wrong("a late call succeeded");
    }
    const tulle_status status = twice(p, sum_one);
    atomic_fetch_add(&failed, 1);
    return status;
}
static void test_timeout(void **state) {
    (void)state;
    expect_failure(one_comes_late, 0.2, 1, "timeout");
}

/* Rank 0 leaves; nobody waits for the timeout. */
static tulle_status one_leaves(process *p) {
    return p->rank == 0 ? TULLE_OK : twice(p, sum_one);
}
static tulle_status get_from_0(process *p) {
    double number;
    const tulle_comm_piece from = {0, sizeof number, &number};
    TULLE__TRY(tulle__comm_exchange_start(p->comm, p->ctx, NULL, 0, &from, 1));
    return tulle__comm_exchange_finish(p->comm, p->ctx);
}
static tulle_status one_leaves_an_exchange(process *p) {
    return p->rank == 0 ? TULLE_OK : twice(p, get_from_0);
}
static void test_left(void **state) {
    (void)state;
    expect_failure(one_leaves, 60, 1, "given its communicator up");
    expect_failure(one_leaves_an_exchange, 60, 1, "given its communicator up");
}

/* The library's waits in this program: a thread can be held up where it wakes. The symbol is hidden
 * as other libraries wait by other clocks. */
static _Thread_local bool wakes_late;
static atomic_bool hooked, waits;
static atomic_int gave_up;
__attribute__((visibility("hidden"))) int pthread_cond_timedwait(pthread_cond_t *news,
                                                                 pthread_mutex_t *lock,
                                                                 const struct timespec *deadline) {
    atomic_store(&hooked, true);
    if (wakes_late) atomic_store(&waits, true);
    const int result = pthread_cond_clockwait(news, lock, CLOCK_MONOTONIC, deadline);
    if (!wakes_late) return result;
    wakes_late = false;
    pthread_mutex_unlock(lock);
    while (atomic_load(&gave_up) < 2) sched_yield();
    pthread_mutex_lock(lock);
    return result;
}

/* Rank 0 waits for the others, who come, wait for it to copy, fail, and may take back what they
 * gave before rank 0 wakes: it must not copy that. */
static tulle_status one_wakes_late(process *p) {
    double number = 1, all[3] = {0, 0, 0};
    wakes_late = p->rank == 0;
    while (p->rank > 0 && !atomic_load(&waits)) sched_yield();
    const tulle_status status = tulle__comm_gather(p->comm, &number, sizeof number, all);
    if (p->rank > 0) atomic_fetch_add(&gave_up, 1);
    return p->rank == 0 && all[1] != 0 ? wrong("what the others took back was copied") : status;
}
static void test_late(void **state) {
    (void)state;
    if (!atomic_load(&hooked)) { /* test_timeout has waited */
        say_skipped("a thread that wakes up late: the library has symbols of its own");
        skip();
    }
    expect_failure(one_wakes_late, 0.5, 0, "timeout");
}

/* Calls that do not match. */
static tulle_status other_counts(process *p) {
    double numbers[2] = {1, 2};
    return tulle__comm_sum_host(p->comm, numbers, p->rank == 1 ? 2 : 1);
}
static tulle_status other_pieces(process *p) {
    double numbers[4] = {1, 2, 3, 4};
    const int next = (p->rank + 1) % 3, last = (p->rank + 2) % 3;
    const tulle_comm_piece send = {next, (p->rank == 1 ? 2 : 1) * sizeof *numbers, numbers};
    const tulle_comm_piece receive = {last, sizeof *numbers, numbers + 2};
    TULLE__TRY(tulle__comm_exchange_start(p->comm, p->ctx, &send, 1, &receive, 1));
    return tulle__comm_exchange_finish(p->comm, p->ctx);
}
static tulle_status other_calls(process *p) {
    TULLE__TRY(tulle_comm_set_checking(p->comm, true));
    TULLE__TRY(sum_one(p)); /* a call that matches */
    return p->rank == 2 ? get_from_0(p) : sum_one(p);
}
static tulle_status other_pieces_checked(process *p) {
    TULLE__TRY(tulle_comm_set_checking(p->comm, true));
    return other_pieces(p);
}
/* Rank 1 forgets to check, and gathers as many bytes as a check does. */
static tulle_status one_does_not_check(process *p) {
    double numbers[2] = {1e300, 1};
    TULLE__TRY(tulle_comm_set_checking(p->comm, p->rank != 1));
    const tulle_status status = tulle__comm_sum_host(p->comm, numbers, 2);
    return p->rank == 1 ? TULLE_OK : status;
}
static void test_mismatch(void **state) {
    (void)state;
    expect_failure(other_counts, 60, 0, "do not match");
    process p[MOST_RANKS];
    run_ranks(3, 60, "cpu:1", other_pieces, NULL, p);
    assert_int_equal(p[2].status, TULLE_PEER_FAILED);
    assert_non_null(strstr(p[2].words, "another size"));
    expect_failure(other_calls, 60, 0, "rank 0 gathers 8 bytes, rank 2 exchanges");
    expect_failure(other_pieces_checked, 60, 0, "rank 1 sends 16 bytes to rank 2, which expects 8");
    run_ranks(3, 60, "cpu:1", one_does_not_check, NULL, p);
    for (int r = 0; r < 3; r += 2) {
        assert_int_equal(p[r].status, TULLE_PEER_FAILED);
        assert_non_null(strstr(p[r].words, "rank 1 does something else, or does not check"));
    }
}

/* Tables of the caller's. */
static tulle_status copy(void *user, const void *from, size_t bytes, void *to) {
    if (bytes == 8) return *(tulle_status *)user;
    memcpy(to, from, bytes);
    return TULLE_OK;
}
static tulle_status nothing(void *user, tulle_ctx *ctx, const tulle_comm_piece *sends,
                            int send_count, const tulle_comm_piece *receives, int receive_count) {
    (void)ctx, (void)sends, (void)send_count, (void)receives, (void)receive_count;
    return *(tulle_status *)user;
}
static tulle_status done(void *user, tulle_ctx *ctx) {
    (void)ctx;
    return *(tulle_status *)user;
}
static void forget(void *user) {
    *(tulle_status *)user = TULLE_OK;
}

static void refuse(tulle_comm_functions f, tulle_status due) {
    tulle_comm *comm = (tulle_comm *)1;
    assert_int_equal(tulle_comm_create(&f, NULL, &comm), due);
    assert_null(comm);
    assert_string_equal(tulle_last_error()->function, "tulle_comm_create");
}

static void test_table(void **state) {
    (void)state;
    tulle_status said = TULLE_PEER_FAILED;
    const tulle_comm_functions whole = {.size = sizeof whole,
                                        .ranks = 1,
                                        .gather = copy,
                                        .exchange_start = nothing,
                                        .exchange_finish = done,
                                        .destroy = forget};
    tulle_comm_functions f = whole;
    f.ranks = 0;
    refuse(f, TULLE_INVALID_ARGUMENT);
    f = whole;
    f.rank = 1;
    refuse(f, TULLE_INVALID_ARGUMENT);
    f.rank = -1;
    refuse(f, TULLE_INVALID_ARGUMENT);
    f = whole;
    f.gather = NULL;
    refuse(f, TULLE_INVALID_ARGUMENT);
    f = whole;
    f.on_stream = true;
    refuse(f, TULLE_INVALID_ARGUMENT);
    f = whole;
    f.capturable = true;
    refuse(f, TULLE_INVALID_ARGUMENT);
    f = whole;
    f.size = offsetof(tulle_comm_functions, exchange_finish);
    refuse(f, TULLE_INVALID_ARGUMENT);
    struct {
        tulle_comm_functions f;
        long more;
    } later = {.f = whole, .more = 1};
    later.f.size = sizeof later;
    tulle_comm *comm = NULL;
    assert_int_equal(tulle_comm_create(&later.f, &said, &comm), TULLE_UNSUPPORTED);
    assert_int_equal(tulle_comm_create(NULL, &said, &comm), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_comm_create(&whole, &said, NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(said, TULLE_PEER_FAILED); /* nothing was destroyed */
    later.more = 0;
    must(tulle_comm_create(&later.f, &said, &comm));
    assert_int_equal(tulle_comm_rank(comm), 0);
    assert_int_equal(tulle_comm_ranks(comm), 1);
    double numbers[] = {1, 2};
    must(tulle__comm_sum_host(comm, numbers, 2));
    assert_int_equal(tulle__comm_sum_host(comm, numbers, 1), TULLE_PEER_FAILED);
    assert_non_null(strstr(tulle_last_error()->message, "gather"));
    tulle_comm_destroy(comm);
    assert_int_equal(said, TULLE_OK); /* destroyed */
    tulle_comm_destroy(NULL);
}

static void test_arguments(void **state) {
    (void)state;
    tulle_comm *comms[1];
    assert_int_equal(tulle_comm_create_threads(0, 0, comms), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_comm_create_threads(5000, 0, comms), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_comm_create_threads(1, -1, comms), TULLE_INVALID_ARGUMENT);
    assert_null(comms[0]);
    assert_int_equal(tulle_comm_create_threads(1, 0, NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_comm_set_checking(NULL, true), TULLE_INVALID_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_on), cmocka_unit_test(test_ring_on),
        cmocka_unit_test(test_timeout), cmocka_unit_test(test_left),
        cmocka_unit_test(test_late),    cmocka_unit_test(test_mismatch),
        cmocka_unit_test(test_table),   cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
