/* SPDX-License-Identifier: Apache-2.0 */
#ifdef TULLE_PEER_CUSPARSE
#include "lab/peers/cusparse_library.h"

#include <dlfcn.h>
#include <stdio.h>

#include "lab/peers/cuda_library.h"
#include "tools/common/error.h"

cusparse_library cusparse;

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
    cusparse.handle = cuda_library_open("cusparse", "TULLE_CUSPARSE");
    if (!cusparse.handle) return TULLE_NOT_FOUND;
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

cusparse_scalar cusparse_number(tulle_type type, double number) {
    cusparse_scalar scalar = {.f64 = number};
    if (type == TULLE_F32) scalar.f32 = (float)number;
    return scalar;
}

cudaDataType cusparse_type(tulle_type type) {
    return type == TULLE_F32 ? CUDA_R_32F : CUDA_R_64F;
}

cusparseIndexType_t cusparse_index(int64_t bytes) {
    return bytes == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
}

cusparseOperation_t cusparse_operation(tulle_trans op) {
    return op == TULLE_N ? CUSPARSE_OPERATION_NON_TRANSPOSE : CUSPARSE_OPERATION_TRANSPOSE;
}

tulle_status cusparse_open(const tulle_ctx *ctx, cusparseHandle_t *handle) {
    CUSPARSE_TRY(cusparseCreate, handle);
    CUSPARSE_TRY(cusparseSetStream, *handle, (cudaStream_t)tulle_ctx_stream(ctx));
    return TULLE_OK;
}

tulle_status cusparse_describe_csr(const tulle_mat *A, cusparseConstSpMatDescr_t *descriptor) {
    tulle_mat_arrays a;
    tulle_mat_info info;
    tulle_status status = tulle_mat_view(A, &a);
    if (status == TULLE_OK) status = tulle_mat_describe(A, &info);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseCreateConstCsr, descriptor, info.rows, info.cols, info.nnz, a.offsets,
                 a.cols, a.values, cusparse_index(tulle_offset_size(info.index)),
                 cusparse_index(tulle_index_size(info.index)), CUSPARSE_INDEX_BASE_ZERO,
                 cusparse_type(info.type));
    return TULLE_OK;
}

tulle_status cusparse_describe_bsr(const tulle_mat *A, cusparseConstSpMatDescr_t *descriptor) {
    tulle_mat_arrays a;
    tulle_mat_info info;
    tulle_status status = tulle_mat_view(A, &a);
    if (status == TULLE_OK) status = tulle_mat_describe(A, &info);
    if (status != TULLE_OK) return status;
    const int64_t b = info.storage.block;
    if (b < 2 || info.storage.block_cols != b || info.rows % b != 0 || info.cols % b != 0) {
        return tool_record(TULLE_UNSUPPORTED,
                           "cuSPARSE's BSR: no whole and square blocks in this matrix");
    }
    CUSPARSE_TRY(cusparseCreateConstBsr, descriptor, info.rows / b, info.cols / b,
                 info.storage.stored / (b * b), b, b, a.offsets, a.cols, a.values,
                 cusparse_index(tulle_offset_size(info.index)),
                 cusparse_index(tulle_index_size(info.index)), CUSPARSE_INDEX_BASE_ZERO,
                 cusparse_type(info.type), CUSPARSE_ORDER_ROW);
    return TULLE_OK;
}

tulle_status cusparse_describe_triangle(const tulle_mat *A, tulle_part part,
                                        cusparseSpMatDescr_t *descriptor) {
    tulle_mat_arrays a;
    tulle_mat_info info;
    cusparseFillMode_t fill =
        part == TULLE_LOWER ? CUSPARSE_FILL_MODE_LOWER : CUSPARSE_FILL_MODE_UPPER;
    cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
    tulle_status status = tulle_mat_view(A, &a);
    if (status == TULLE_OK) status = tulle_mat_describe(A, &info);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseCreateCsr, descriptor, info.rows, info.cols, info.nnz, (void *)a.offsets,
                 (void *)a.cols, (void *)a.values, cusparse_index(tulle_offset_size(info.index)),
                 cusparse_index(tulle_index_size(info.index)), CUSPARSE_INDEX_BASE_ZERO,
                 cusparse_type(info.type));
    CUSPARSE_TRY(cusparseSpMatSetAttribute, *descriptor, CUSPARSE_SPMAT_FILL_MODE, &fill,
                 sizeof fill);
    CUSPARSE_TRY(cusparseSpMatSetAttribute, *descriptor, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal,
                 sizeof diagonal);
    return TULLE_OK;
}

static cusparseOrder_t order_of(tulle_layout layout) {
    return layout == TULLE_ROW_MAJOR ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
}

tulle_status cusparse_describe_input(const tulle_vec *X, cusparseConstDnMatDescr_t *descriptor) {
    tulle_vec_info x;
    tulle_status status = tulle_vec_describe(X, &x);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseCreateConstDnMat, descriptor, x.rows, x.cols, x.ld, x.data,
                 cusparse_type(x.type), order_of(x.layout));
    return TULLE_OK;
}

tulle_status cusparse_describe_output(const tulle_vec *Y, cusparseDnMatDescr_t *descriptor) {
    tulle_vec_info y;
    tulle_status status = tulle_vec_describe(Y, &y);
    if (status != TULLE_OK) return status;
    CUSPARSE_TRY(cusparseCreateDnMat, descriptor, y.rows, y.cols, y.ld, y.data,
                 cusparse_type(y.type), order_of(y.layout));
    return TULLE_OK;
}

tulle_status cusparse_scratch(tulle_ctx *ctx, size_t bytes, tulle_vec **scratch, void **buffer) {
    int64_t numbers = (int64_t)(bytes / sizeof(double)) + 1;
    tulle_status status = tulle_vec_create(ctx, TULLE_F64, numbers, scratch);
    tulle_vec_info info;
    if (status == TULLE_OK) status = tulle_vec_describe(*scratch, &info);
    if (status == TULLE_OK) *buffer = info.data;
    return status;
}

#endif
