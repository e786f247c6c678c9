/* SPDX-License-Identifier: Apache-2.0 */
#ifdef TULLE_PEER_CUSOLVER
#include "lab/peers/cusolver_library.h"

#include <dlfcn.h>
#include <stdio.h>

#include "lab/peers/cuda_library.h"
#include "tools/common/error.h"

cusolver_library cusolver;

static const char *find_functions(void) {
#define F(name)                                                                                    \
    *(void **)&cusolver.name = dlsym(cusolver.handle, #name);                                      \
    if (!cusolver.name) return #name;
#define T(name) F(cusolverDnS##name) F(cusolverDnD##name)
    CUSOLVER_FUNCTIONS(F, T)
#undef T
#undef F
    return NULL;
}

static tulle_status load(void) {
    if (cusolver.handle) return TULLE_OK;
    cusolver.handle = cuda_library_open("cusolver", "TULLE_CUSOLVER");
    if (!cusolver.handle) return TULLE_NOT_FOUND;
    const char *missing = find_functions();
    if (!missing) return TULLE_OK;
    dlclose(cusolver.handle);
    cusolver.handle = NULL;
    return tool_record(TULLE_NOT_FOUND, "libcusolver has no %s: it is too old", missing);
}

tulle_status cusolver_available(char version[BENCH_VERSION]) {
    tulle_status status = load();
    if (status != TULLE_OK) return status;
    int part[3] = {0, 0, 0};
    const libraryPropertyType kind[3] = {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL};
    for (int i = 0; i < 3; i++) {
        if (cusolver.cusolverGetProperty(kind[i], &part[i]) != CUSOLVER_STATUS_SUCCESS) {
            return tool_record(TULLE_UNSUPPORTED, "libcusolver does not say its version");
        }
    }
    snprintf(version, BENCH_VERSION, "cuSOLVER %d.%d.%d", part[0], part[1], part[2]);
    return TULLE_OK;
}

tulle_status cusolver_status(cusolverStatus_t status, const char *call) {
    if (status == CUSOLVER_STATUS_SUCCESS) return TULLE_OK;
    tulle_status meaning = TULLE_INVALID_ARGUMENT;
    if (status == CUSOLVER_STATUS_NOT_SUPPORTED) meaning = TULLE_UNSUPPORTED;
    if (status == CUSOLVER_STATUS_ALLOC_FAILED) meaning = TULLE_OUT_OF_MEMORY;
    if (status == CUSOLVER_STATUS_EXECUTION_FAILED) meaning = TULLE_DEVICE_FAULT;
    return tool_record(meaning, "cusolverDn %s: status %d", call, (int)status);
}

#endif
