/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptor of a kernel for y := alpha op(A) x + beta y, and what it is given. To add a
 * kernel: write src/spmv/cpu/NAME.c or src/spmv/gpu/NAME.cu with one descriptor,
 * tulle__cpu_spmv_NAME or GPU_SYMBOL(spmv_NAME), and add a row to kernels.h. */
#ifndef TULLE_SPMV_SPMV_H
#define TULLE_SPMV_SPMV_H

#include "core/kernel.h"
#include "core/place.h"
#include "format/view.h"
#include "matrix/block_lines.h"

/* A flag of these kernels alone: multiplies multivectors (tulle_spmm); else a vector. */
#define TULLE__MULTIVECTOR ((int)TULLE__OWN_FLAGS)

/* What a call asks for: op(A) times one vector (tulle_spmv), or times a multivector (tulle_spmm).
 */
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
    tulle__values values; /* as stored and as computed with */
    tulle_type type;      /* the latter: of x, y, products and sums */
    tulle_index index;
    tulle_trans trans;
    int64_t vectors;                 /* as in the call */
    tulle_layout x_layout, y_layout; /* as in the call */
    const tulle__stats *stats;       /* of A as stored */
    const tulle_storage *storage;
    const tulle_device_info *device;
    bool repeatable; /* the setting: nothing measured may decide */
} tulle__spmv_shape;

/* One call. alpha and beta: a number, or an address (of the computed type) if it is not NULL. */
typedef struct tulle__spmv_task {
    tulle__spmv_shape shape;
    const tulle__place *place;
    TULLE__EACH_ARRAY(TULLE__ARRAY_READ) /* tulle/formats.h */
    const void *values;
    const void *marks;               /* matrix/marks.h; NULL: there are none */
    const tulle__block_lines *lines; /* what wants_lines asked for, else NULL */
    const void *x;
    void *y;
    int64_t ldx, ldy; /* leading dimensions of multivectors */
    tulle_scalar alpha, beta;
    const int *params;
    const void *prepared;   /* what prepare made, or NULL */
    int64_t prepared_count; /* what it counted on the host: how many blocks to launch, say */
    void *workspace;        /* at least what workspace() asked for */
} tulle__spmv_task;

/* TULLE_UNSUPPORTED from run or prepare means "not my case": the next kernel is tried. */
typedef tulle_status (*tulle__spmv_run)(const tulle__spmv_task *task);

typedef struct tulle__spmv_kernel {
    tulle__kernel head;
    /* The kernel's own rule: fills all its parameters. NULL: it has none. */
    void (*defaults)(const tulle__spmv_shape *shape, int *params);
    /* Whether it can take this case at all. NULL: always. */
    bool (*eligible)(const tulle__spmv_shape *shape, const int *params);
    /* Bytes of scratch. NULL: none. */
    size_t (*workspace)(const tulle__spmv_shape *shape, const int *params);
    /* Bytes of prepared data, and the function that fills them. NULL: nothing to prepare. count:
     * 0, or what run is to have in prepared_count, where only a walk over the matrix tells it. */
    size_t (*prepared_bytes)(const tulle__spmv_shape *shape, const int *params);
    tulle_status (*prepare)(const tulle__spmv_task *task, void *prepared, int64_t *count);
    /* Whether it walks block lines of BSR (matrix/block_lines.h) for trans. NULL: never. */
    bool (*wants_lines)(const tulle__spmv_shape *shape, const int *params);
    /* Bytes that the algorithm itself loads and stores (x once for each entry). */
    int64_t (*bytes)(const tulle__spmv_shape *shape, const int *params, bool beta_zero);
    /* The model behind the rule: how many bytes a plain copy would move in the same time. */
    double (*cost)(const tulle__spmv_shape *shape, const int *params);
    tulle__spmv_run run[TULLE__VALUES_COUNT][TULLE__INDEX_COUNT];
} tulle__spmv_kernel;

/* Kernels of tulle_spmm are of the same type. */
typedef tulle__spmv_kernel tulle__spmm_kernel;

/* The whole descriptor of a kernel of spmv or spmm. */
static inline const tulle__spmv_kernel *tulle__spmv_of(const tulle__kernel *kernel) {
    return (const tulle__spmv_kernel *)(const void *)kernel;
}

#endif
