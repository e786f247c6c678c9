/* SPDX-License-Identifier: Apache-2.0 */
/* Generators: bad specifications, cancelling, and memory that runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "places.h"

typedef struct {
    const char *spec;
    tulle_status status;
    const char *says; /* part of the message */
} bad_spec;

static const bad_spec bad_specs[] = {
    {"", TULLE_NOT_FOUND, "no generator \"\""},
    {"p2d6:4", TULLE_NOT_FOUND, "no generator \"p2d6\""},
    {"P2D5:4", TULLE_NOT_FOUND, "no generator"},
    {":4", TULLE_NOT_FOUND, "no generator"},
    {"tile:nothing:3:4", TULLE_NOT_FOUND, "no generator \"nothing\""},
    {"p2d5", TULLE_INVALID_ARGUMENT, "numbers are missing; usage: p2d5:NX[,NY]"},
    {"p2d5:", TULLE_INVALID_ARGUMENT, "NX is not a number"},
    {"p2d5:x", TULLE_INVALID_ARGUMENT, "NX is not a number"},
    {"p2d5:0", TULLE_INVALID_ARGUMENT, "NX must be from 1 to 2147483647"},
    {"p2d5:-3", TULLE_INVALID_ARGUMENT, "NX is not a number"},
    {"p2d5:3.5", TULLE_INVALID_ARGUMENT, "NX must be a whole number"},
    {"p2d5:.", TULLE_INVALID_ARGUMENT, "NX is not a number"},
    {"p2d5:3,", TULLE_INVALID_ARGUMENT, "NY is not a number"},
    {"p2d5:3,4,5", TULLE_INVALID_ARGUMENT, "what does \",5\" mean?"},
    {"p2d5:3,4,", TULLE_INVALID_ARGUMENT, "what does \",\" mean?"},
    {"p2d5:3 ", TULLE_INVALID_ARGUMENT, "what does \" \" mean?"},
    {"p2d5:3x", TULLE_INVALID_ARGUMENT, "what does \"x\" mean?"},
    {"p2d5:99999999999999999999999999999999", TULLE_INVALID_ARGUMENT, "NX must be from"},
    {"p3d7:3,4", TULLE_INVALID_ARGUMENT, "NZ is missing; usage: p3d7[:NX[,NY,NZ]]"},
    {"interp3:3,4", TULLE_INVALID_ARGUMENT, "NZ is missing; usage: interp3[:NX[,NY,NZ]]"},
    {"interp3:1", TULLE_INVALID_ARGUMENT, "NX must be from 2 to 2147483647"},
    {"p3d7:", TULLE_INVALID_ARGUMENT, "NX is not a number"},
    {"blocks:3", TULLE_INVALID_ARGUMENT, "NX is missing"},
    {"blocks:65,3", TULLE_INVALID_ARGUMENT, "B must be from 1 to 64"},
    {"fem:0", TULLE_INVALID_ARGUMENT, "N must be from 1"},
    {"random:3,4,5", TULLE_INVALID_ARGUMENT, "PER_ROW is more than COLS"},
    {"random:3,4", TULLE_INVALID_ARGUMENT, "PER_ROW is missing"},
    {"powerlaw:10,4,11", TULLE_INVALID_ARGUMENT, "MAX is more than ROWS"},
    {"powerlaw:100,90,95", TULLE_INVALID_ARGUMENT, "MEAN is more than"},
    {"powerlaw:100,0.5,95", TULLE_INVALID_ARGUMENT, "MEAN must be from 1"},
    {"powerlaw:100,4,9,50", TULLE_INVALID_ARGUMENT, "WIDTH is missing"},
    {"powerlaw:100,4,9,101,3", TULLE_INVALID_ARGUMENT, "LOCAL_PERCENT must be from 0 to 100"},
    {"powerlaw:100,4,9,50,3,10", TULLE_INVALID_ARGUMENT, "LEAST is more than MAX"},
    {"powerlaw:100,4,90,50,3,8", TULLE_INVALID_ARGUMENT, "MEAN is less than 11.5"},
    {"powerlaw:100,4,90,50,3,1,80", TULLE_INVALID_ARGUMENT, "MAX is more than COLS"},
    {"powerlaw:100,4,90,50,3,1,100,1", TULLE_INVALID_ARGUMENT, "usage: powerlaw:"},
    {"peaks:10,4,11,3", TULLE_INVALID_ARGUMENT, "MANY is more than ROWS"},
    {"peaks:10,11,4,3", TULLE_INVALID_ARGUMENT, "FEW is more than ROWS"},
    {"peaks:10,4,6,3,0,0,0,1,5", TULLE_INVALID_ARGUMENT, "MANY is more than COLS"},
    {"peaks:10,4,6,3,0,50", TULLE_INVALID_ARGUMENT, "WIDTH is missing"},
    {"peaks:10,4,6,0", TULLE_INVALID_ARGUMENT, "APART must be from 1"},
    {"peaks:10,4,6,3,101", TULLE_INVALID_ARGUMENT, "EMPTY must be from 0 to 100"},
    {"rmat:31,1", TULLE_INVALID_ARGUMENT, "SCALE must be from 1 to 30"},
    {"rmat:4,1,50,20", TULLE_INVALID_ARGUMENT, "C is missing"},
    {"rmat:4,1,50,30,30", TULLE_INVALID_ARGUMENT, "A + B + C is more than 100"},
    {"banded:4", TULLE_INVALID_ARGUMENT, "WIDTH is missing"},
    {"banded:4,1,101", TULLE_INVALID_ARGUMENT, "FILL_PERCENT must be from 0 to 100"},
    {"dense_rows:4,5,1", TULLE_INVALID_ARGUMENT, "PER_ROW is more than N"},
    {"dense_rows:4,1,5", TULLE_INVALID_ARGUMENT, "COUNT is more than N"},
    {"rail:4,9,5", TULLE_INVALID_ARGUMENT, "PER_COLUMN is more than ROWS"},
    {"tile:p2d5", TULLE_INVALID_ARGUMENT, "SPEC or K is missing"},
    {"tile::4", TULLE_INVALID_ARGUMENT, "SPEC or K is missing"},
    {"tile:p2d5:3:0", TULLE_INVALID_ARGUMENT, "K must be from 1"},
    {"tile:p2d5:3:x", TULLE_INVALID_ARGUMENT, "K is not a number"},
    {"tile:p2d5:x:2", TULLE_INVALID_ARGUMENT, "NX is not a number"},
    {"p2d5:50000", TULLE_TOO_LARGE, "more than 2147483647 rows"},
    {"p3d7:2147483647", TULLE_TOO_LARGE, "more than 2147483647 rows"},
    {"blocks:64,2147483647,2147483647,2147483647", TULLE_TOO_LARGE, "more than 2147483647 rows"},
    {"tile:p2d5:30:2147483647", TULLE_TOO_LARGE, ""},
};

static void check_bad(tulle_ctx *ctx, const bad_spec *bad) {
    tulle_mat *A = (tulle_mat *)ctx;
    tulle_status status = tulle_generate(ctx, bad->spec, 1, TULLE_F64, &A);
    const tulle_error *error = tulle_last_error();
    if (status != bad->status || !strstr(error->message, bad->says)) {
        fail_msg("\"%s\" gives %s: %s", bad->spec, tulle_status_name(status), error->message);
    }
    assert_int_equal(error->status, status);
    assert_null(A);
    assert_null(strchr(error->message, '\n'));
}

static void refuse(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (size_t i = 0; i < sizeof bad_specs / sizeof *bad_specs; i++) {
        check_bad(ctx, &bad_specs[i]);
    }
    char endless[2000];
    memset(endless, 'x', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    check_bad(ctx, &(bad_spec){endless, TULLE_INVALID_ARGUMENT, "longer than 1023 characters"});

    tulle_mat *A = NULL;
    assert_int_equal(tulle_generate(NULL, "p2d5:3", 1, TULLE_F64, &A), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_generate(ctx, NULL, 1, TULLE_F64, &A), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_generate(ctx, "p2d5:3", 1, TULLE_F64, NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_generate(ctx, "p2d5:3", 1, (tulle_type)9, &A), TULLE_INVALID_ARGUMENT);
    assert_null(A);
}

static void test_refused(void **state) {
    (void)state;
    on_each_place(refuse);
}

static int stop_at(void *user, const char *what, int64_t done, int64_t total) {
    int *calls_left = user;
    assert_non_null(what);
    assert_true(done >= 0 && done <= total);
    return (*calls_left)-- == 0;
}

/* Cancelled at each report in turn, until the matrix is made. */
static void cancel(tulle_ctx *ctx, const char *where) {
    static const char *const specs[] = {"p2d5:8,8", "rmat:5,4", "rail:5,20,2", "tile:fem:20:2"};
    bool cpu = strncmp(where, "cpu", 3) == 0;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        tulle_mat *A = NULL;
        int reports = 0;
        for (tulle_status status = TULLE_CANCELLED; status != TULLE_OK; reports++) {
            int calls_left = reports;
            must(tulle_ctx_set_progress(ctx, stop_at, &calls_left));
            status = tulle_generate(ctx, specs[i], 1, TULLE_F32, &A);
            if (status != TULLE_OK) {
                assert_int_equal(status, TULLE_CANCELLED);
                assert_null(A);
            }
        }
        assert_true(reports > (cpu ? 2 : 0));
        tulle_mat_destroy(A);
    }
    must(tulle_ctx_set_progress(ctx, NULL, NULL));
}

static void test_cancelled(void **state) {
    (void)state;
    on_each_place(cancel);
}

/* Fails the n-th request for memory from now on; true when there are fewer. A GPU's pool may give
 * back what it keeps and ask again, so that the matrix is made all the same. */
static bool fail_once(const char *where, const char *spec, int64_t n, int *failures) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    c.requests = 0;
    c.fail_at = n;
    tulle_mat *A = NULL;
    tulle_status status = tulle_generate(ctx, spec, 1, TULLE_F64, &A);
    bool enough = c.requests < n;
    c.fail_at = 0;
    if (status != TULLE_OK) assert_int_equal(status, TULLE_OUT_OF_MEMORY);
    assert_true((status == TULLE_OK) == (A != NULL));
    assert_true(status == TULLE_OK || !enough);
    *failures += status != TULLE_OK;
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    return enough;
}

static void run_out(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    static const char *const specs[] = {"p2d5:5,5", "powerlaw:30,3,20", "rmat:4,3", "rail:5,20,2",
                                        "tile:fem:20:2"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        int failures = 0;
        for (int64_t n = 1; !fail_once(where, specs[i], n, &failures);) n++;
        assert_true(failures > 0);
    }
}

static void test_out_of_memory(void **state) {
    (void)state;
    once_on_each_place(run_out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
