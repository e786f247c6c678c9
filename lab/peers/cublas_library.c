/* SPDX-License-Identifier: Apache-2.0 */
#ifdef TULLE_PEER_CUBLAS
#include "lab/peers/cublas_library.h"

#include <dlfcn.h>
#include <stdio.h>

#include "lab/peers/cuda_library.h"
#include "tools/common/error.h"

cublas_library cublas;

static const char *find_functions(void) {
#define F(name)                                                                                    \
    *(void **)&cublas.name = dlsym(cublas.handle, #name);                                          \
    if (!cublas.name) return #name;
#define T(name) F(cublasS##name) F(cublasD##name)
    CUBLAS_FUNCTIONS(F, T)
#undef T
#undef F
    return NULL;
}

static tulle_status load(void) {
    if (cublas.handle) return TULLE_OK;
    cublas.handle = cuda_library_open("cublas", "TULLE_CUBLAS");
    if (!cublas.handle) return TULLE_NOT_FOUND;
    const char *missing = find_functions();
    if (!missing) return TULLE_OK;
    dlclose(cublas.handle);
    cublas.handle = NULL;
    return tool_record(TULLE_NOT_FOUND, "libcublas has no %s: it is too old", missing);
}

tulle_status cublas_available(char version[BENCH_VERSION]) {
    tulle_status status = load();
    if (status != TULLE_OK) return status;
    int part[3] = {0, 0, 0};
    const libraryPropertyType kind[3] = {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL};
    for (int i = 0; i < 3; i++) {
        if (cublas.cublasGetProperty(kind[i], &part[i]) != CUBLAS_STATUS_SUCCESS) {
            return tool_record(TULLE_UNSUPPORTED, "libcublas does not say its version");
        }
    }
    snprintf(version, BENCH_VERSION, "cuBLAS %d.%d.%d", part[0], part[1], part[2]);
    return TULLE_OK;
}

tulle_status cublas_status(cublasStatus_t status, const char *call) {
    if (status == CUBLAS_STATUS_SUCCESS) return TULLE_OK;
    tulle_status meaning = TULLE_INVALID_ARGUMENT;
    if (status == CUBLAS_STATUS_NOT_SUPPORTED) meaning = TULLE_UNSUPPORTED;
    if (status == CUBLAS_STATUS_ALLOC_FAILED) meaning = TULLE_OUT_OF_MEMORY;
    if (status == CUBLAS_STATUS_EXECUTION_FAILED) meaning = TULLE_DEVICE_FAULT;
    return tool_record(meaning, "%s: %s", call, cublas.cublasGetStatusString(status));
}

/* Gives the library the scratch that its manual asks for on a Hopper GPU. With scratch of its
 * user's the library allocates none, which it could not do in a graph. */
static tulle_status give_scratch(tulle_ctx *ctx, cublasHandle_t handle, tulle_vec **scratch) {
    enum { MEBIBYTES = 32 };
    const int64_t bytes = (int64_t)MEBIBYTES << 20;
    tulle_vec_info info;
    tulle_status status =
        tulle_vec_create(ctx, TULLE_F64, bytes / (int64_t)sizeof(double), scratch);
    if (status == TULLE_OK) status = tulle_vec_describe(*scratch, &info);
    if (status != TULLE_OK) return status;
    CUBLAS_TRY(cublasSetWorkspace_v2, handle, info.data, (size_t)bytes);
    return TULLE_OK;
}

tulle_status cublas_open(tulle_ctx *ctx, bool host, cublasHandle_t *handle, tulle_vec **scratch) {
    CUBLAS_TRY(cublasCreate_v2, handle);
    CUBLAS_TRY(cublasSetStream_v2, *handle, (cudaStream_t)tulle_ctx_stream(ctx));
    CUBLAS_TRY(cublasSetPointerMode_v2, *handle,
               host ? CUBLAS_POINTER_MODE_HOST : CUBLAS_POINTER_MODE_DEVICE);
    return give_scratch(ctx, *handle, scratch);
}

#endif
