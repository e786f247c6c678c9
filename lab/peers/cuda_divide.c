/* SPDX-License-Identifier: Apache-2.0 */
#ifdef TULLE_PEER_CUBLAS
#include "lab/peers/cuda_divide.h"

#include "lab/peers/cuda_driver.h"

/* One thread; the driver compiles it for the device. */
#define DIVIDE(type, size)                                                                         \
    ".version 6.0\n"                                                                               \
    ".target sm_60\n"                                                                              \
    ".address_size 64\n"                                                                           \
    ".visible .entry divide(.param .u64 to, .param .u64 a, .param .u64 b,\n"                       \
    "                       .param .u64 c, .param .u64 d) {\n"                                     \
    "    .reg .u64 %to, %a, %b, %c, %d;\n"                                                         \
    "    .reg ." type                                                                              \
    " %w, %x, %y, %z;\n"                                                                           \
    "    ld.param.u64 %to, [to];\n"                                                                \
    "    ld.param.u64 %a, [a];\n"                                                                  \
    "    ld.param.u64 %b, [b];\n"                                                                  \
    "    ld.param.u64 %c, [c];\n"                                                                  \
    "    ld.param.u64 %d, [d];\n"                                                                  \
    "    cvta.to.global.u64 %to, %to;\n"                                                           \
    "    cvta.to.global.u64 %a, %a;\n"                                                             \
    "    cvta.to.global.u64 %b, %b;\n"                                                             \
    "    cvta.to.global.u64 %c, %c;\n"                                                             \
    "    cvta.to.global.u64 %d, %d;\n"                                                             \
    "    ld.global." type                                                                          \
    " %w, [%a];\n"                                                                                 \
    "    ld.global." type                                                                          \
    " %x, [%b];\n"                                                                                 \
    "    ld.global." type                                                                          \
    " %y, [%c];\n"                                                                                 \
    "    ld.global." type                                                                          \
    " %z, [%d];\n"                                                                                 \
    "    div.rn." type                                                                             \
    " %w, %w, %x;\n"                                                                               \
    "    div.rn." type                                                                             \
    " %y, %y, %z;\n"                                                                               \
    "    mul.rn." type                                                                             \
    " %w, %w, %y;\n"                                                                               \
    "    neg." type                                                                                \
    " %x, %w;\n"                                                                                   \
    "    st.global." type                                                                          \
    " [%to], %w;\n"                                                                                \
    "    st.global." type " [%to + " size                                                          \
    "], %x;\n"                                                                                     \
    "    ret;\n"                                                                                   \
    "}\n"

static const char *const code[] = {
    [TULLE_F32] = DIVIDE("f32", "4"), [TULLE_F64] = DIVIDE("f64", "8")};

tulle_status cuda_divide_open(tulle_type type, cuda_divide *divide) {
    tulle_status status = cuda_driver_open();
    if (status != TULLE_OK) return status;
    CUDA_TRY(cuModuleLoadData, &divide->module, code[type]);
    CUDA_TRY(cuModuleGetFunction, &divide->function, divide->module, "divide");
    return TULLE_OK;
}

void cuda_divide_close(cuda_divide *divide) {
    if (divide->module) (void)cuda.cuModuleUnload(divide->module);
    *divide = (cuda_divide){.module = NULL};
}

tulle_status cuda_divide_start(const cuda_divide *divide, void *stream,
                               const cuda_fractions *fractions) {
    cuda_fractions f = *fractions;
    void *arguments[] = {(void *)&f.to, (void *)&f.a, (void *)&f.b, (void *)&f.c, (void *)&f.d};
    CUDA_TRY(cuLaunchKernel, divide->function, 1, 1, 1, 1, 1, 1, 0, (CUstream)stream, arguments,
             NULL);
    return TULLE_OK;
}

#endif
