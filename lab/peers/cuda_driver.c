/* SPDX-License-Identifier: Apache-2.0 */
#ifdef TULLE_PEER_CUBLAS
#include "lab/peers/cuda_driver.h"

#include <dlfcn.h>

#include "tools/common/error.h"

cuda_driver cuda;

static const char *find_functions(void) {
#define F(name)                                                                                    \
    *(void **)&cuda.name = dlsym(cuda.handle, #name);                                              \
    if (!cuda.name) return #name;
    CUDA_DRIVER_FUNCTIONS(F)
#undef F
    return NULL;
}

tulle_status cuda_driver_open(void) {
    if (cuda.handle) return TULLE_OK;
    cuda.handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!cuda.handle) return tool_record(TULLE_NOT_FOUND, "%s", dlerror());
    const char *missing = find_functions();
    if (!missing) return TULLE_OK;
    dlclose(cuda.handle);
    cuda.handle = NULL;
    return tool_record(TULLE_NOT_FOUND, "libcuda.so.1 has no %s: the driver is too old", missing);
}

tulle_status cuda_driver_status(CUresult result, const char *call) {
    if (result == CUDA_SUCCESS) return TULLE_OK;
    const char *name = NULL;
    (void)cuda.cuGetErrorName(result, &name);
    tulle_status meaning =
        result == CUDA_ERROR_OUT_OF_MEMORY ? TULLE_OUT_OF_MEMORY : TULLE_DEVICE_FAULT;
    return tool_record(meaning, "%s: %s", call, name ? name : "an unknown error");
}

#endif
