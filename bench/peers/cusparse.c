/* SPDX-License-Identifier: Apache-2.0 */
/* cuSPARSE: both CSR algorithms of its generic API, with and without cusparseSpMV_preprocess. The
 * library is opened at run time; its header gives the types. */
#ifdef TULLE_PEER_CUSPARSE
#include <cusparse.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/peers.h"
#include "clock.h"
#include "error.h"

/* Functions of the library, each with the type that the header declares. */
#define FUNCTIONS(F)                                                                               \
    F(cusparseCreate)                                                                              \
    F(cusparseDestroy)                                                                             \
    F(cusparseSetStream)                                                                           \
    F(cusparseGetProperty)                                                                         \
    F(cusparseGetErrorString)                                                                      \
    F(cusparseCreateConstCsr)                                                                      \
    F(cusparseDestroySpMat)                                                                        \
    F(cusparseCreateConstDnVec)                                                                    \
    F(cusparseCreateDnVec)                                                                         \
    F(cusparseDestroyDnVec)                                                                        \
    F(cusparseSpMV_bufferSize)                                                                     \
    F(cusparseSpMV_preprocess)                                                                     \
    F(cusparseSpMV)

static struct {
    void *handle;
#define F(name) __typeof__(&name) name;
    FUNCTIONS(F)
#undef F
} library;

enum { ALG1 = 0, ALG2 = 1, PREPROCESS = 2 };

typedef struct cusparse_task {
    tulle_ctx *ctx;
    cusparseHandle_t handle;
    cusparseConstSpMatDescr_t A;
    cusparseConstDnVecDescr_t x;
    cusparseDnVecDescr_t y;
    tulle_dense *scratch;
    void *buffer;
    cusparseOperation_t op;
    cusparseSpMVAlg_t algorithm;
    cudaDataType type;
    union {
        float f32;
        double f64;
    } one, zero;
} cusparse_task;

static bool open_library(void) {
    static const char *const names[] = {"libcusparse.so.12", "libcusparse.so.13", "libcusparse.so",
                                        "/usr/local/cuda/lib64/libcusparse.so.12",
                                        "/usr/local/cuda/lib64/libcusparse.so"};
    const char *chosen = getenv("TULLE_CUSPARSE");
    if (chosen && chosen[0]) {
        library.handle = dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
        return library.handle != NULL;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names && !library.handle; i++) {
        library.handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    return library.handle != NULL;
}

static const char *find_functions(void) {
#define F(name)                                                                                    \
    *(void **)&library.name = dlsym(library.handle, #name);                                        \
    if (!library.name) return #name;
    FUNCTIONS(F)
#undef F
    return NULL;
}

static tulle_status load(void) {
    if (library.handle) return TULLE_OK;
    if (!open_library()) {
        return tool_record(TULLE_NOT_FOUND,
                           "libcusparse cannot be opened (name it in TULLE_CUSPARSE): %s",
                           dlerror());
    }
    const char *missing = find_functions();
    if (!missing) return TULLE_OK;
    dlclose(library.handle);
    library.handle = NULL;
    return tool_record(TULLE_NOT_FOUND, "libcusparse has no %s: it is too old", missing);
}

static tulle_status available(char version[BENCH_VERSION]) {
    tulle_status status = load();
    if (status != TULLE_OK) return status;
    int part[3] = {0, 0, 0};
    const libraryPropertyType kind[3] = {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL};
    for (int i = 0; i < 3; i++) {
        if (library.cusparseGetProperty(kind[i], &part[i]) != CUSPARSE_STATUS_SUCCESS) {
            return tool_record(TULLE_UNSUPPORTED, "libcusparse does not say its version");
        }
    }
    snprintf(version, BENCH_VERSION, "cuSPARSE %d.%d.%d", part[0], part[1], part[2]);
    return TULLE_OK;
}

static tulle_status status_of(cusparseStatus_t status, const char *call) {
    if (status == CUSPARSE_STATUS_SUCCESS) return TULLE_OK;
    tulle_status meaning = TULLE_INVALID_ARGUMENT;
    if (status == CUSPARSE_STATUS_NOT_SUPPORTED) meaning = TULLE_UNSUPPORTED;
    if (status == CUSPARSE_STATUS_ALLOC_FAILED) meaning = TULLE_OUT_OF_MEMORY;
    if (status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES) meaning = TULLE_OUT_OF_MEMORY;
    if (status == CUSPARSE_STATUS_EXECUTION_FAILED) meaning = TULLE_DEVICE_FAULT;
    return tool_record(meaning, "%s: %s", call, library.cusparseGetErrorString(status));
}

/* Leaves with the status of a call of the library that fails. */
#define TRY(name, ...)                                                                             \
    do {                                                                                           \
        tulle_status status_ = status_of(library.name(__VA_ARGS__), #name);                        \
        if (status_ != TULLE_OK) return status_;                                                   \
    } while (0)

static void set_types(cusparse_task *t, const bench_problem *problem) {
    bool f32 = problem->info.type == TULLE_F32;
    t->type = f32 ? CUDA_R_32F : CUDA_R_64F;
    t->op =
        problem->trans == TULLE_N ? CUSPARSE_OPERATION_NON_TRANSPOSE : CUSPARSE_OPERATION_TRANSPOSE;
    if (f32) {
        t->one.f32 = 1;
        t->zero.f32 = 0;
    } else {
        t->one.f64 = 1;
        t->zero.f64 = 0;
    }
}

static cusparseIndexType_t index_of(int64_t bytes) {
    return bytes == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
}

static tulle_status describe(cusparse_task *t, const bench_problem *problem) {
    tulle_mat_arrays arrays;
    tulle_dense_info x, y;
    tulle_status status = tulle_mat_view(problem->A, &arrays);
    if (status == TULLE_OK) status = tulle_dense_describe(problem->x, &x);
    if (status == TULLE_OK) status = tulle_dense_describe(problem->y, &y);
    if (status != TULLE_OK) return status;
    const tulle_mat_info *A = &problem->info;
    TRY(cusparseCreate, &t->handle);
    TRY(cusparseSetStream, t->handle, (cudaStream_t)tulle_ctx_stream(problem->ctx));
    TRY(cusparseCreateConstCsr, &t->A, A->rows, A->cols, A->nnz, arrays.offsets, arrays.cols,
        arrays.values, index_of(tulle_offset_size(A->index)), index_of(tulle_index_size(A->index)),
        CUSPARSE_INDEX_BASE_ZERO, t->type);
    TRY(cusparseCreateConstDnVec, &t->x, x.rows, x.data, t->type);
    TRY(cusparseCreateDnVec, &t->y, y.rows, y.data, t->type);
    return TULLE_OK;
}

/* The library's scratch, from the context's pool. */
static tulle_status make_buffer(cusparse_task *t, bench_peer_task *task) {
    size_t bytes = 0;
    TRY(cusparseSpMV_bufferSize, t->handle, t->op, &t->one, t->A, t->x, &t->zero, t->y, t->type,
        t->algorithm, &bytes);
    task->extra_bytes = (int64_t)bytes;
    tulle_status status =
        tulle_vec_create(t->ctx, TULLE_F64, (int64_t)(bytes / sizeof(double)) + 1, &t->scratch);
    tulle_dense_info info;
    if (status == TULLE_OK) status = tulle_dense_describe(t->scratch, &info);
    if (status == TULLE_OK) t->buffer = info.data;
    return status;
}

static tulle_status preprocess(cusparse_task *t, double *ms) {
    tulle_status status = tulle_ctx_synchronize(t->ctx);
    if (status != TULLE_OK) return status;
    double start = tool_now();
    TRY(cusparseSpMV_preprocess, t->handle, t->op, &t->one, t->A, t->x, &t->zero, t->y, t->type,
        t->algorithm, t->buffer);
    status = tulle_ctx_synchronize(t->ctx);
    *ms = 1e3 * (tool_now() - start);
    return status;
}

static void close_task(void *state) {
    cusparse_task *t = state;
    (void)tulle_ctx_synchronize(t->ctx);
    if (t->y) library.cusparseDestroyDnVec(t->y);
    if (t->x) library.cusparseDestroyDnVec(t->x);
    if (t->A) library.cusparseDestroySpMat(t->A);
    if (t->handle) library.cusparseDestroy(t->handle);
    tulle_dense_destroy(t->scratch);
    free(t);
}

static tulle_status prepare(const bench_peer *peer, const bench_problem *problem,
                            bench_peer_task *task) {
    cusparse_task *t = tool_alloc(1, sizeof *t);
    *task = (bench_peer_task){.state = t};
    t->ctx = problem->ctx;
    t->algorithm = peer->variant & ALG2 ? CUSPARSE_SPMV_CSR_ALG2 : CUSPARSE_SPMV_CSR_ALG1;
    set_types(t, problem);
    tulle_status status = describe(t, problem);
    if (status == TULLE_OK) status = make_buffer(t, task);
    if (status == TULLE_OK && peer->variant & PREPROCESS) status = preprocess(t, &task->prep_ms);
    if (status != TULLE_OK) close_task(t);
    return status;
}

static tulle_status run(void *state) {
    const cusparse_task *t = state;
    TRY(cusparseSpMV, t->handle, t->op, &t->one, t->A, t->x, &t->zero, t->y, t->type, t->algorithm,
        t->buffer);
    return TULLE_OK;
}

#define PEER(algorithm_name, flags)                                                                \
    const bench_peer bench_peer_##algorithm_name = {                                               \
        .name = #algorithm_name,                                                                   \
        .library = "cusparse",                                                                     \
        .gpu = true,                                                                               \
        .variant = flags,                                                                          \
        .available = available,                                                                    \
        .prepare = prepare,                                                                        \
        .run = run,                                                                                \
        .close = close_task,                                                                       \
    };

PEER(cusparse_csr_alg1, ALG1)
PEER(cusparse_csr_alg1_preprocess, ALG1 | PREPROCESS)
PEER(cusparse_csr_alg2, ALG2)
PEER(cusparse_csr_alg2_preprocess, ALG2 | PREPROCESS)

#endif
