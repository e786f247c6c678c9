/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/peers/mkl_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/error.h"

mkl_library mkl;

static void *open_library(void) {
    static const char *const names[] = {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"};
    const char *chosen = getenv("TULLE_MKL");
    if (chosen && chosen[0]) return dlopen(chosen, RTLD_NOW | RTLD_GLOBAL);
    void *handle = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !handle; i++) {
        handle = dlopen(names[i], RTLD_NOW | RTLD_GLOBAL);
    }
    return handle;
}

static const char *find_functions(void) {
#define F(name, result, arguments)                                                                 \
    *(void **)&mkl.name = dlsym(mkl.handle, #name);                                                \
    if (!mkl.name) return #name;
    MKL_FUNCTIONS(F)
#undef F
    return NULL;
}

static tulle_status load(void) {
    if (mkl.handle) return TULLE_OK;
    mkl.handle = open_library();
    if (!mkl.handle) {
        return tool_record(TULLE_NOT_FOUND,
                           "libmkl_rt cannot be opened (pip install mkl, then name its "
                           "lib/libmkl_rt.so in TULLE_MKL): %s",
                           dlerror());
    }
    const char *missing = find_functions();
    if (!missing) {
        mkl.MKL_Set_Interface_Layer(MKL_INTERFACE_32);
        mkl.MKL_Set_Threading_Layer(MKL_THREADS_OF_GNU);
        return TULLE_OK;
    }
    dlclose(mkl.handle);
    mkl.handle = NULL;
    return tool_record(TULLE_NOT_FOUND, "libmkl_rt has no %s: it is too old", missing);
}

/* Finds the version, "2025.2" in "Intel(R) oneAPI Math Kernel Library Version 2025.2-Product Build
 * ..." */
tulle_status mkl_available(char version[BENCH_VERSION]) {
    static const char before[] = "Version ";
    tulle_status status = load();
    if (status != TULLE_OK) return status;
    char text[256] = "";
    mkl.mkl_get_version_string(text, sizeof text - 1);
    const char *number = strstr(text, before);
    if (!number) return tool_record(TULLE_UNSUPPORTED, "libmkl_rt does not say its version");
    number += sizeof before - 1;
    snprintf(version, BENCH_VERSION, "MKL %.*s", (int)strcspn(number, "- "), number);
    return TULLE_OK;
}

tulle_status mkl_create(const tulle_mat *A, mkl_matrix **made) {
    tulle_mat_arrays arrays;
    tulle_mat_info info;
    tulle_status status = tulle_mat_view(A, &arrays);
    if (status == TULLE_OK) status = tulle_mat_describe(A, &info);
    if (status != TULLE_OK) return status;
    int rows = (int)info.rows, cols = (int)info.cols;
    const int *offsets = arrays.offsets, *columns = arrays.cols;
    int code = info.type == TULLE_F32
                   ? mkl.mkl_sparse_s_create_csr(made, MKL_BASE_ZERO, rows, cols, offsets,
                                                 offsets + 1, columns, arrays.values)
                   : mkl.mkl_sparse_d_create_csr(made, MKL_BASE_ZERO, rows, cols, offsets,
                                                 offsets + 1, columns, arrays.values);
    return mkl_status(code, "mkl_sparse_create_csr");
}

tulle_status mkl_status(int status, const char *call) {
    if (status == MKL_OK) return TULLE_OK;
    tulle_status meaning = TULLE_INVALID_ARGUMENT;
    if (status == MKL_UNSUPPORTED) meaning = TULLE_UNSUPPORTED;
    if (status == MKL_NO_MEMORY) meaning = TULLE_OUT_OF_MEMORY;
    return tool_record(meaning, "%s: status %d", call, status);
}
