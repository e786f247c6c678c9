/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: names of places, settings, memory, callbacks, the error record, the registry. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "places.h"
#include "tulle/advanced.h"

static void test_place_names(void **state) {
    (void)state;
    static const char *const bad[] = {"",       "gpu",    "cpu:",       "cpu:0",
                                      "cpu:-1", "cpu:x",  "cpu:2x",     "cpu:9999999999",
                                      "cuda:",  "cuda:a", "emulated:1", "CPU"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tulle_ctx *ctx = (tulle_ctx *)1;
        assert_int_equal(tulle_ctx_create(bad[i], NULL, &ctx), TULLE_INVALID_ARGUMENT);
        assert_null(ctx);
        assert_string_equal(tulle_last_error()->argument, "where");
    }
    tulle_ctx *ctx = NULL;
    assert_int_equal(tulle_ctx_create("cpu:3", NULL, &ctx), TULLE_OK);
    tulle_device_info info;
    assert_int_equal(tulle_ctx_device(ctx, &info), TULLE_OK);
    assert_int_equal(info.threads, 3);
    assert_int_equal(info.backend, TULLE_CPU);
    tulle_ctx_destroy(ctx);
    assert_int_equal(tulle_ctx_create("auto", NULL, &ctx), TULLE_OK);
    assert_int_equal(tulle_ctx_device(ctx, &info), TULLE_OK);
    assert_int_equal(info.backend, tulle_device_count(TULLE_CUDA) > 0 ? TULLE_CUDA : TULLE_CPU);
    tulle_ctx_destroy(ctx);
}

static void test_null_arguments(void **state) {
    (void)state;
    tulle_ctx *ctx = NULL;
    assert_int_equal(tulle_ctx_create("cpu", NULL, NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_ctx_create(NULL, NULL, &ctx), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_ctx_synchronize(NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_ctx_set_stream(NULL, NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_ctx_set_repeatable(NULL, true), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_ctx_set_rule(NULL, "tulle"), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_ctx_set_progress(NULL, NULL, NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_ctx_set_log(NULL, NULL, NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_ctx_memory(NULL, NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_ctx_reset_high(NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_ctx_trim(NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_ctx_device(NULL, NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_ctx_force_kernel(NULL, NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_ctx_flush_cache(NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_ctx_copy_bandwidth(NULL, NULL), TULLE_INVALID_ARGUMENT);
    assert_null(tulle_ctx_stream(NULL));
    tulle_ctx_destroy(NULL);
    tulle_clock_destroy(NULL);
}

static void test_statuses(void **state) {
    (void)state;
    assert_string_equal(tulle_status_name(TULLE_OUT_OF_MEMORY), "TULLE_OUT_OF_MEMORY");
    assert_string_equal(tulle_status_name((tulle_status)1234), "TULLE_UNKNOWN");
    assert_string_equal(tulle_status_text(TULLE_OK), "success");
    assert_true(strlen(tulle_status_text((tulle_status)1234)) > 0);
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", TULLE_VERSION_MAJOR, TULLE_VERSION_MINOR,
             TULLE_VERSION_PATCH);
    assert_string_equal(tulle_version(), version);
    assert_true(strlen(tulle_commit()) > 0);
    assert_int_equal(tulle_struct_size("tulle_mat_options"), sizeof(tulle_mat_options));
    assert_int_equal(tulle_struct_size("tulle_vec_info"), sizeof(tulle_vec_info));
    assert_int_equal(tulle_struct_size("tulle_mat"), -1);
    assert_int_equal(tulle_struct_size(NULL), -1);
}

static void settings(tulle_ctx *ctx, const char *where) {
    assert_int_equal(tulle_ctx_set_rule(ctx, "reguly_giles"), TULLE_OK);
    assert_int_equal(tulle_ctx_set_rule(ctx, "guess"), TULLE_NOT_FOUND);
    assert_int_equal(tulle_ctx_set_rule(ctx, NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_ctx_set_rule(ctx, "tulle"), TULLE_OK);
    assert_int_equal(tulle_ctx_synchronize(ctx), TULLE_OK);
    bool cpu = strncmp(where, "cpu", 3) == 0;
    assert_int_equal(tulle_ctx_set_stream(ctx, NULL), cpu ? TULLE_UNSUPPORTED : TULLE_OK);
    if (!is_slow(where)) {
        double gbs = 0;
        assert_int_equal(tulle_ctx_copy_bandwidth(ctx, &gbs), TULLE_OK);
        assert_true(gbs > 0.1);
        assert_int_equal(tulle_ctx_flush_cache(ctx), TULLE_OK);
    }
}

static void clocks(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_clock *clock = (tulle_clock *)1;
    assert_int_equal(tulle_clock_create(ctx, 0, &clock), TULLE_INVALID_ARGUMENT);
    assert_null(clock);
    assert_int_equal(tulle_clock_create(ctx, 2, &clock), TULLE_OK);
    assert_int_equal(tulle_clock_mark(clock, 2), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_clock_mark(clock, 0), TULLE_OK);
    double ms = -1;
    assert_int_equal(tulle_clock_between(clock, 0, 1, &ms), TULLE_INVALID_ARGUMENT);
    assert_non_null(strstr(tulle_last_error()->message, "never set"));
    assert_string_equal(tulle_last_error()->argument, "j");
    assert_int_equal(tulle_clock_mark(clock, 1), TULLE_OK);
    assert_int_equal(tulle_clock_between(clock, 0, 1, &ms), TULLE_OK);
    assert_true(ms >= 0);
    assert_int_equal(tulle_clock_between(clock, 0, -1, &ms), TULLE_INVALID_ARGUMENT);
    tulle_clock_destroy(clock);
}

static void forced_names(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_device_info device;
    int second_names = 0;
    assert_int_equal(tulle_ctx_device(ctx, &device), TULLE_OK);
    assert_int_equal(tulle_ctx_force_kernel(ctx, "spmv_nothing"), TULLE_NOT_FOUND);
    for (int i = 0; i < tulle_kernel_count(device.backend); i++) {
        tulle_kernel_info info;
        assert_int_equal(tulle_kernel_describe(device.backend, i, &info), TULLE_OK);
        assert_true(strlen(info.summary) > 0 && strlen(info.source) > 0);
        assert_true(info.forward || info.transposed);
        assert_int_equal(tulle_ctx_force_kernel(ctx, info.name), TULLE_OK);
        if (info.also) {
            assert_int_equal(tulle_ctx_force_kernel(ctx, info.also), TULLE_OK);
            second_names++;
        }
        char spec[128];
        snprintf(spec, sizeof spec, "%s:nonsense=1", info.name);
        assert_int_equal(tulle_ctx_force_kernel(ctx, spec), TULLE_INVALID_ARGUMENT);
        for (int p = 0; p < info.param_count; p++) {
            tulle_param_info param;
            assert_int_equal(tulle_kernel_param(device.backend, i, p, &param), TULLE_OK);
            snprintf(spec, sizeof spec, "%s:%s=%d", info.name, param.name, param.values[0]);
            assert_int_equal(tulle_ctx_force_kernel(ctx, spec), TULLE_OK);
            snprintf(spec, sizeof spec, "%s:%s=-7", info.name, param.name);
            assert_int_equal(tulle_ctx_force_kernel(ctx, spec), TULLE_INVALID_ARGUMENT);
            assert_non_null(strstr(tulle_last_error()->message, "is one of"));
        }
        tulle_param_info param;
        assert_int_equal(tulle_kernel_param(device.backend, i, info.param_count, &param),
                         TULLE_NOT_FOUND);
    }
    tulle_kernel_info info;
    tulle_param_info param;
    assert_int_equal(tulle_kernel_describe(device.backend, -1, &info), TULLE_NOT_FOUND);
    assert_int_equal(tulle_kernel_describe((tulle_backend)9, 0, &info), TULLE_INVALID_ARGUMENT);
    assert_string_equal(tulle_last_error()->argument, "backend");
    assert_int_equal(tulle_kernel_param(device.backend, -1, 0, &param), TULLE_NOT_FOUND);
    assert_string_equal(tulle_last_error()->function, "tulle_kernel_param");
    assert_int_equal(second_names, 2);
    assert_int_equal(tulle_ctx_force_kernel(ctx, NULL), TULLE_OK);
}

static void test_each_place(void **state) {
    (void)state;
    on_each_place(settings);
    on_each_place(clocks);
    on_each_place(forced_names);
}

/* A cap holds, and memory in use is what was asked for. */
static void test_memory(void **state) {
    (void)state;
    counting host = {0};
    tulle_allocator allocator = counting_allocator(&host);
    tulle_ctx_options options = {.host = &allocator, .memory_cap = 1 << 20};
    tulle_ctx *ctx = NULL;
    assert_int_equal(tulle_ctx_create("cpu:1", &options, &ctx), TULLE_OK);
    tulle_vec *x = NULL, *y = NULL;
    assert_int_equal(tulle_vec_create(ctx, TULLE_F64, 1 << 16, &x), TULLE_OK);
    tulle_memory_usage usage;
    assert_int_equal(tulle_ctx_memory(ctx, &usage), TULLE_OK);
    assert_int_equal(usage.in_use, 1 << 19);
    assert_int_equal(tulle_vec_create(ctx, TULLE_F64, 1 << 17, &y), TULLE_OUT_OF_MEMORY);
    assert_null(y);
    assert_non_null(strstr(tulle_last_error()->message, "cap of 1.0 MB"));
    tulle_vec_destroy(x);
    assert_int_equal(tulle_ctx_memory(ctx, &usage), TULLE_OK);
    assert_int_equal(usage.in_use, 0);
    assert_int_equal(usage.high, 1 << 19);
    assert_int_equal(tulle_ctx_reset_high(ctx), TULLE_OK);
    assert_int_equal(tulle_ctx_memory(ctx, &usage), TULLE_OK);
    assert_int_equal(usage.high, 0);
    tulle_ctx_destroy(ctx);
    assert_int_equal(host.live, 0);
}

/* A vector may outlive the caller's hold on its context. */
static void test_context_lives_on(void **state) {
    (void)state;
    tulle_ctx *ctx = NULL;
    tulle_vec *x = NULL;
    assert_int_equal(tulle_ctx_create("cpu:1", NULL, &ctx), TULLE_OK);
    assert_int_equal(tulle_vec_create(ctx, TULLE_F32, 10, &x), TULLE_OK);
    tulle_ctx_destroy(ctx);
    tulle_vec_info info;
    assert_int_equal(tulle_vec_describe(x, &info), TULLE_OK);
    ((float *)info.data)[9] = 1;
    tulle_vec_destroy(x);
}

/* Device memory that notes the stream it was last given back in. */
static void *take(void *user, size_t bytes, void *stream) {
    (void)user;
    (void)stream;
    return malloc(bytes);
}
static void give_back(void *user, void *pointer, size_t bytes, void *stream) {
    (void)bytes;
    *(void **)user = stream;
    free(pointer);
}

/* The caller's stream may go with the caller's hold on the context: what lives on does not use it.
 */
static void test_stream_goes_first(void **state) {
    (void)state;
    int callers_stream = 0;
    void *last = NULL;
    tulle_allocator device = {take, give_back, &last};
    tulle_ctx_options options = {.device = &device, .stream = &callers_stream};
    tulle_ctx *ctx = NULL;
    if (tulle_ctx_create("emulated", &options, &ctx) == TULLE_NO_DEVICE) {
        say_skipped("emulated: %s", tulle_last_error()->message);
        skip();
    }
    assert_ptr_equal(tulle_ctx_stream(ctx), &callers_stream);
    tulle_vec *x = NULL;
    assert_int_equal(tulle_vec_create(ctx, TULLE_F32, 10, &x), TULLE_OK);
    tulle_ctx_destroy(ctx);
    tulle_vec_destroy(x);
    assert_non_null(last);
    assert_ptr_not_equal(last, &callers_stream);
    assert_int_equal(tulle_ctx_create("cpu", &options, &ctx), TULLE_INVALID_ARGUMENT);
    assert_string_equal(tulle_last_error()->argument, "options");
}

static void test_context_without_memory(void **state) {
    (void)state;
    counting host = {0};
    tulle_allocator allocator = counting_allocator(&host);
    tulle_ctx_options options = {.host = &allocator};
    tulle_ctx *ctx = NULL;
    tulle_status status = TULLE_OUT_OF_MEMORY;
    for (int64_t n = 1; status != TULLE_OK; n++) {
        host = (counting){.fail_at = n};
        status = tulle_ctx_create("cpu:1", &options, &ctx);
        if (status == TULLE_OK) break;
        assert_int_equal(status, TULLE_OUT_OF_MEMORY);
        assert_null(ctx);
        assert_int_equal(host.live, 0);
    }
    tulle_ctx_destroy(ctx);
    assert_int_equal(host.live, 0);
}

static void test_cache_size(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t bytes; /* 0: refused */
    } sizes[] = {{"300M", 300 << 20},
                 {"65536", 65536},
                 {"48K", 48 << 10},
                 {"2G", INT64_C(2) << 30},
                 {"0", 0},
                 {"-1M", 0},
                 {"M", 0},
                 {"1.5M", 0},
                 {"8MB", 0},
                 {"8 M", 0},
                 {"8m", 0},
                 {"9000000000G", 0},
                 {"99999999999999999999", 0}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        setenv("TULLE_CACHE_SIZE", sizes[i].text, 1);
        tulle_ctx *ctx = NULL;
        tulle_status status = tulle_ctx_create("cpu:1", NULL, &ctx);
        assert_int_equal(status, sizes[i].bytes ? TULLE_OK : TULLE_INVALID_ARGUMENT);
        if (status != TULLE_OK) {
            assert_string_equal(tulle_last_error()->argument, "TULLE_CACHE_SIZE");
            assert_non_null(strstr(tulle_last_error()->message, sizes[i].text));
            continue;
        }
        tulle_device_info info;
        must(tulle_ctx_device(ctx, &info));
        assert_true(info.cache_bytes == sizes[i].bytes);
        tulle_ctx_destroy(ctx);
    }
    unsetenv("TULLE_CACHE_SIZE");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_place_names),
        cmocka_unit_test(test_null_arguments),
        cmocka_unit_test(test_statuses),
        cmocka_unit_test(test_each_place),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_context_lives_on),
        cmocka_unit_test(test_stream_goes_first),
        cmocka_unit_test(test_context_without_memory),
        cmocka_unit_test(test_cache_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
