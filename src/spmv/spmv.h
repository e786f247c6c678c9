/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptor of a kernel for y := alpha op(A) x + beta y, and what it is given. To add a
 * kernel: write src/spmv/NAME.c (CPU) or NAME.cu (GPU) with one descriptor, tulle__cpu_spmv_NAME or
 * GPU_SYMBOL(spmv_NAME), and add a row to kernels.h. */
#ifndef TULLE_SPMV_SPMV_H
#define TULLE_SPMV_SPMV_H

#include "core/backend.h"
#include "core/types.h"

enum {
    TULLE__FORWARD = 1,      /* computes A x */
    TULLE__TRANSPOSED = 2,   /* computes A^T x from the same arrays */
    TULLE__REPEATABLE = 4,   /* A x is bitwise the same from run to run, for any thread count */
    TULLE__REPEATABLE_T = 8, /* A^T x is */
    TULLE__NEEDS_PLAN = 16,  /* runs with prepared data only */
    TULLE__REFERENCE = 32,   /* the kernel of last resort of its backend and format */
    TULLE__BLOCKS = 64,      /* multiplies blocks of vectors (tulle_spmm); else one vector */
    TULLE__F32_VALUES = 128  /* takes f32 values under an f64 product */
};

enum { TULLE__MAX_PARAMS = 4 };

/* What a call asks for: op(A) times one vector (tulle_spmv), or times more (tulle_spmm). */
typedef struct tulle__spmv_call {
    tulle_trans op;
    int64_t vectors;                 /* columns of X and Y */
    tulle_layout x_layout, y_layout; /* of X and Y, where there are several */
} tulle__spmv_call;

/* All that a choice may depend on: not the number of CPU threads, since kernels add in different
 * orders and a product must be bitwise the same for any number. */
typedef struct tulle__spmv_shape {
    int64_t rows, cols, nnz; /* of A as stored */
    tulle_format format;
    tulle_type type;
    tulle_index index;
    tulle_trans trans;
    int64_t vectors;                 /* as in the call */
    tulle_layout x_layout, y_layout; /* as in the call */
    bool narrow; /* values are f32 though the type is f64; products and sums are f64 */
    const tulle__stats *stats; /* of A as stored */
    const tulle_storage *storage;
    const tulle_device_info *device;
} tulle__spmv_shape;

/* One call. alpha and beta: a number, or an address (of the computed type) if it is not NULL. */
typedef struct tulle__spmv_task {
    tulle__spmv_shape shape;
    const tulle__place *place;
    /* formats.h */
    const void *offsets, *rows_of, *cols_of, *order, *lengths, *mask, *codes, *values;
    const void *marks; /* matrix/marks.h; NULL: there are none */
    const void *x;
    void *y;
    int64_t ldx, ldy; /* leading dimensions of blocks of vectors */
    tulle_scalar alpha, beta;
    const int *params;
    const void *prepared; /* what prepare made, or NULL */
    void *workspace;      /* at least what workspace() asked for */
} tulle__spmv_task;

/* One run-time parameter of a kernel and the values that make sense. */
typedef struct tulle__param {
    const char *name, *help;
    int count;
    const int *values;
} tulle__param;

/* TULLE_UNSUPPORTED from run or prepare means "not my case": the next kernel is tried. */
typedef tulle_status (*tulle__spmv_run)(const tulle__spmv_task *task);

typedef struct tulle__spmv_kernel {
    const char *name;    /* "spmv_csr_vector" */
    const char *summary; /* one line for people */
    const char *source;  /* paper and section, or where the idea is from */
    tulle_format format;
    unsigned flags;
    int min_architecture; /* 0: any */
    int param_count;
    const tulle__param *params;
    /* The kernel's own rule: fills all its parameters. NULL: it has none. */
    void (*defaults)(const tulle__spmv_shape *shape, int *params);
    /* Whether it can take this case at all. NULL: always. */
    bool (*eligible)(const tulle__spmv_shape *shape, const int *params);
    /* Bytes of scratch. NULL: none. */
    size_t (*workspace)(const tulle__spmv_shape *shape, const int *params);
    /* Bytes of prepared data, and the function that fills them. NULL: nothing to prepare. */
    size_t (*prepared_bytes)(const tulle__spmv_shape *shape, const int *params);
    tulle_status (*prepare)(const tulle__spmv_task *task, void *prepared);
    /* Bytes that the algorithm itself loads and stores (x once for each entry). */
    int64_t (*bytes)(const tulle__spmv_shape *shape, const int *params, bool beta_zero);
    /* The model behind the rule: how many bytes a plain copy would move in the same time. */
    double (*cost)(const tulle__spmv_shape *shape, const int *params);
    tulle__spmv_run run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT];
} tulle__spmv_kernel;

/* A kernel with its parameters. */
typedef struct tulle__spmv_spec {
    const tulle__spmv_kernel *kernel;
    int params[TULLE__MAX_PARAMS];
    unsigned given; /* bit p: params[p] was given by the user */
} tulle__spmv_spec;

#endif
