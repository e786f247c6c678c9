/* SPDX-License-Identifier: Apache-2.0 */
#ifdef TULLE_PEER_CUSPARSE
#include "bench/peers/cusparse_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "error.h"

cusparse_library cusparse;

static bool open_library(void) {
    static const char *const names[] = {"libcusparse.so.12", "libcusparse.so.13", "libcusparse.so",
                                        "/usr/local/cuda/lib64/libcusparse.so.12",
                                        "/usr/local/cuda/lib64/libcusparse.so"};
    const char *chosen = getenv("TULLE_CUSPARSE");
    if (chosen && chosen[0]) {
        cusparse.handle = dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
        return cusparse.handle != NULL;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names && !cusparse.handle; i++) {
        cusparse.handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    return cusparse.handle != NULL;
}

static const char *find_functions(void) {
#define F(name)                                                                                    \
    *(void **)&cusparse.name = dlsym(cusparse.handle, #name);                                      \
    if (!cusparse.name) return #name;
    CUSPARSE_FUNCTIONS(F)
#undef F
    return NULL;
}

static tulle_status load(void) {
    if (cusparse.handle) return TULLE_OK;
    if (!open_library()) {
        return tool_record(TULLE_NOT_FOUND,
                           "libcusparse cannot be opened (name it in TULLE_CUSPARSE): %s",
                           dlerror());
    }
    const char *missing = find_functions();
    if (!missing) return TULLE_OK;
    dlclose(cusparse.handle);
    cusparse.handle = NULL;
    return tool_record(TULLE_NOT_FOUND, "libcusparse has no %s: it is too old", missing);
}

tulle_status cusparse_available(char version[BENCH_VERSION]) {
    tulle_status status = load();
    if (status != TULLE_OK) return status;
    int part[3] = {0, 0, 0};
    const libraryPropertyType kind[3] = {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL};
    for (int i = 0; i < 3; i++) {
        if (cusparse.cusparseGetProperty(kind[i], &part[i]) != CUSPARSE_STATUS_SUCCESS) {
            return tool_record(TULLE_UNSUPPORTED, "libcusparse does not say its version");
        }
    }
    snprintf(version, BENCH_VERSION, "cuSPARSE %d.%d.%d", part[0], part[1], part[2]);
    return TULLE_OK;
}

tulle_status cusparse_status(cusparseStatus_t status, const char *call) {
    if (status == CUSPARSE_STATUS_SUCCESS) return TULLE_OK;
    tulle_status meaning = TULLE_INVALID_ARGUMENT;
    if (status == CUSPARSE_STATUS_NOT_SUPPORTED) meaning = TULLE_UNSUPPORTED;
    if (status == CUSPARSE_STATUS_ALLOC_FAILED) meaning = TULLE_OUT_OF_MEMORY;
    if (status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES) meaning = TULLE_OUT_OF_MEMORY;
    if (status == CUSPARSE_STATUS_EXECUTION_FAILED) meaning = TULLE_DEVICE_FAULT;
    return tool_record(meaning, "%s: %s", call, cusparse.cusparseGetErrorString(status));
}

#endif
