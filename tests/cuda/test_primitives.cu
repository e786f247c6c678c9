/* SPDX-License-Identifier: Apache-2.0 */
/* The names of gpu.cuh on a GPU, without libtulle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

extern "C" {
#include <cmocka.h>
}

#include "../emulator/primitives.cuh"

namespace tulle_cuda {
const tulle__services *services;
}

static tulle__place the_place;
static char report[2048];

static tulle_status keep_report(tulle_status status, const char *, const char *, int64_t,
                                const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report, sizeof report, format, arguments);
    va_end(arguments);
    return status;
}

static const tulle__services services = {keep_report, nullptr, nullptr, nullptr};

static int open_device(void **) {
    gpu::services = &services;
    tulle_status status = GPU_SYMBOL(open)(0, &the_place.device);
    if (status == TULLE_OK) status = GPU_SYMBOL(stream_create)(the_place.device, &the_place.stream);
    if (status != TULLE_OK) fprintf(stderr, "%s\n", report);
    return status;
}

static void check_all(bool (*check)(const tulle__place *)) {
    if (!check(&the_place)) fail_msg("%s", report);
}

static void large_shared(void **) {
    tulle_device_info info;
    assert_int_equal(GPU_SYMBOL(describe)(the_place.device, &info), TULLE_OK);
    assert_true(
        primitives::check_large_shared(&the_place, static_cast<size_t>(info.shared_per_block)));
}

#include "../emulator/primitives_list.h"

int main(void) {
    return cmocka_run_group_tests(all_tests, open_device, nullptr);
}
