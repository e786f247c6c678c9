/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

/* That of src/backend_gpu.cu, which comes with all kernels, stands in for this one in a static
 * build. */
namespace tulle_emu {
__attribute__((weak)) const tulle__services *services;
}

namespace harness {

static char last_report[2048];
static tulle__place the_place;

static tulle_status keep_report(tulle_status status, const char *, const char *, int64_t,
                                const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): va_start is not seen */
    vsnprintf(last_report, sizeof last_report, format, arguments);
    va_end(arguments);
    return status;
}

static tulle_status scratch_alloc(tulle_ctx *, size_t bytes, void **pointer) {
    return GPU_SYMBOL(allocate)(the_place.device, bytes, pointer);
}

static void scratch_free(tulle_ctx *, void *pointer) {
    GPU_SYMBOL(release)(the_place.device, pointer);
}

static const tulle__services services = {keep_report, scratch_alloc, scratch_free, nullptr};

int open(void **) {
    gpu::services = &services;
    return GPU_SYMBOL(open)(0, &the_place.device);
}

int reset(void **) {
    char resident[12];
    snprintf(resident, sizeof resident, "%d", TULLE__EMU_RESIDENT);
    return tulle__emu_set_order("forward") || tulle__emu_set_resident(resident);
}

const tulle__place *place() {
    return &the_place;
}

const char *report() {
    return last_report;
}

void expect_ok(tulle_status status) {
    if (status != TULLE_OK) fail_msg("status %d: %s", status, last_report);
}

void expect_fault(tulle_status status, const char *part) {
    if (status != TULLE_DEVICE_FAULT) fail_msg("status %d, not a fault: %s", status, part);
    if (!strstr(last_report, part)) fail_msg("'%s' does not say '%s'", last_report, part);
}

}  // namespace harness
