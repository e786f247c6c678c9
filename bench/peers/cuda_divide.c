/* SPDX-License-Identifier: Apache-2.0 */
#ifdef TULLE_PEER_CUBLAS
#include "bench/peers/cuda_divide.h"

#include <dlfcn.h>

#include "tools/common/error.h"

/* One thread; the driver compiles it for the device. */
#define DIVIDE(type)                                                                               \
    ".version 6.0\n"                                                                               \
    ".target sm_60\n"                                                                              \
    ".address_size 64\n"                                                                           \
    ".visible .entry divide(.param .u64 to, .param .u64 a, .param .u64 b) {\n"                     \
    "    .reg .u64 %to, %a, %b;\n"                                                                 \
    "    .reg ." type                                                                              \
    " %x, %y;\n"                                                                                   \
    "    ld.param.u64 %to, [to];\n"                                                                \
    "    ld.param.u64 %a, [a];\n"                                                                  \
    "    ld.param.u64 %b, [b];\n"                                                                  \
    "    cvta.to.global.u64 %to, %to;\n"                                                           \
    "    cvta.to.global.u64 %a, %a;\n"                                                             \
    "    cvta.to.global.u64 %b, %b;\n"                                                             \
    "    ld.global." type                                                                          \
    " %x, [%a];\n"                                                                                 \
    "    ld.global." type                                                                          \
    " %y, [%b];\n"                                                                                 \
    "    div.rn." type                                                                             \
    " %x, %x, %y;\n"                                                                               \
    "    st.global." type                                                                          \
    " [%to], %x;\n"                                                                                \
    "    ret;\n"                                                                                   \
    "}\n"

static const char *const code[] = {[TULLE_F32] = DIVIDE("f32"), [TULLE_F64] = DIVIDE("f64")};

/* By the names that the driver exports. */
#define DRIVER_FUNCTIONS(F)                                                                        \
    F(cuGetErrorName)                                                                              \
    F(cuModuleLoadData)                                                                            \
    F(cuModuleUnload)                                                                              \
    F(cuModuleGetFunction)                                                                         \
    F(cuLaunchKernel)

static struct {
    void *handle;
#define F(name) __typeof__(&name) name;
    DRIVER_FUNCTIONS(F)
#undef F
} driver;

static const char *find_functions(void) {
#define F(name)                                                                                    \
    *(void **)&driver.name = dlsym(driver.handle, #name);                                          \
    if (!driver.name) return #name;
    DRIVER_FUNCTIONS(F)
#undef F
    return NULL;
}

static tulle_status load(void) {
    if (driver.handle) return TULLE_OK;
    driver.handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver.handle) return tool_record(TULLE_NOT_FOUND, "%s", dlerror());
    const char *missing = find_functions();
    if (!missing) return TULLE_OK;
    dlclose(driver.handle);
    driver.handle = NULL;
    return tool_record(TULLE_NOT_FOUND, "libcuda.so.1 has no %s: the driver is too old", missing);
}

#define DRIVER_TRY(name, ...)                                                                      \
    do {                                                                                           \
        CUresult code_ = driver.name(__VA_ARGS__);                                                 \
        if (code_ != CUDA_SUCCESS) return failed(code_, #name);                                    \
    } while (0)

static tulle_status failed(CUresult result, const char *call) {
    const char *name = NULL;
    (void)driver.cuGetErrorName(result, &name);
    return tool_record(TULLE_DEVICE_FAULT, "%s: %s", call, name ? name : "an unknown error");
}

tulle_status cuda_divide_open(tulle_type type, cuda_divide *divide) {
    tulle_status status = load();
    if (status != TULLE_OK) return status;
    DRIVER_TRY(cuModuleLoadData, &divide->module, code[type]);
    DRIVER_TRY(cuModuleGetFunction, &divide->function, divide->module, "divide");
    return TULLE_OK;
}

void cuda_divide_close(cuda_divide *divide) {
    if (divide->module) (void)driver.cuModuleUnload(divide->module);
    *divide = (cuda_divide){.module = NULL};
}

tulle_status cuda_divide_start(const cuda_divide *divide, void *stream, void *to, void *a,
                               void *b) {
    void *arguments[] = {(void *)&to, (void *)&a, (void *)&b};
    DRIVER_TRY(cuLaunchKernel, divide->function, 1, 1, 1, 1, 1, 1, 0, (CUstream)stream, arguments,
               NULL);
    return TULLE_OK;
}

#endif
