/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptor of a kernel for y := alpha op(A) x + beta y, and the task that it is given. To
 * add a kernel: write src/spmv/cpu/NAME.c or src/spmv/gpu/NAME.cu with one descriptor,
 * tulle__cpu_spmv_NAME or GPU_SYMBOL(spmv_NAME), and add a row to kernels.h. */
#ifndef TULLE_SPMV_SPMV_H
#define TULLE_SPMV_SPMV_H

#include "core/kernel.h"
#include "core/place.h"
#include "format/view.h"
#include "matrix/block_lines.h"

/* A flag of these kernels alone: the kernel multiplies multivectors (tulle_spmm); else a vector. */
#define TULLE__MULTIVECTOR ((int)TULLE__OWN_FLAGS)

/* Description of a call: op(A) times one vector (tulle_spmv), or times a multivector
 * (tulle_spmm). */
typedef struct tulle__spmv_call {
    tulle_trans op;
    int64_t vectors;                 /* number of columns of X and Y */
    tulle_layout x_layout, y_layout; /* layouts of X and Y, where they have several columns */
} tulle__spmv_call;

/* Shape of a call: all that a choice may depend on. The number of CPU threads is not part of it,
 * since kernels add in different orders and a product must be bitwise the same for any number. */
typedef struct tulle__spmv_shape {
    int64_t rows, cols, nnz; /* sizes of A as stored */
    tulle_format format;
    tulle__values values; /* types of values, stored and computed */
    tulle_type type;      /* computed type: of x, y, products and sums */
    tulle_index index;
    tulle_trans trans;
    int64_t vectors;                 /* number of vectors, as in the call */
    tulle_layout x_layout, y_layout; /* layouts of X and Y, as in the call */
    const tulle__stats *stats;       /* statistics of A as stored */
    const tulle_storage *storage;
    const tulle_device_info *device;
    bool repeatable; /* the repeatable setting; true: nothing measured may decide */
} tulle__spmv_shape;

struct tulle__column_shares; /* spmv/shares.h, with the next one */
struct tulle__shared_work;

/* One call. alpha and beta: a number, or an address (of the computed type) if it is not NULL. */
typedef struct tulle__spmv_task {
    tulle__spmv_shape shape;
    const tulle__place *place;
    TULLE__EACH_ARRAY(TULLE__ARRAY_READ) /* arrays of tulle/formats.h */
    const void *values;
    const void *marks;                         /* marks of matrix/marks.h; NULL: there are none */
    const tulle__block_lines *lines;           /* lines that wants_lines asked for, else NULL */
    const struct tulle__column_shares *shares; /* shares that shared_work brought about, or NULL */
    const void *x;
    void *y;
    int64_t ldx, ldy; /* leading dimensions of multivectors */
    tulle_scalar alpha, beta;
    const int *params;
    const void *prepared;   /* data made by prepare, or NULL */
    int64_t prepared_count; /* number that prepare counted on the host, such as that of blocks to
                               launch */
    void *workspace;        /* scratch of at least workspace() bytes */
} tulle__spmv_task;

/* A kernel's functions run and prepare. TULLE_UNSUPPORTED means that the kernel does not take
 * the case: the next kernel is tried. */
typedef tulle_status (*tulle__spmv_run)(const tulle__spmv_task *task);

typedef struct tulle__spmv_kernel {
    tulle__kernel head;
    /* The kernel's own rule: fills all its parameters. NULL: it has none. */
    void (*defaults)(const tulle__spmv_shape *shape, int *params);
    /* Returns true when the kernel can take the case. NULL: always. */
    bool (*eligible)(const tulle__spmv_shape *shape, const int *params);
    /* Bytes of scratch. NULL: none. */
    size_t (*workspace)(const tulle__spmv_shape *shape, const int *params);
    /* Bytes of prepared data, and the function that fills them. NULL: nothing to prepare. count:
     * 0, or the number that run is to have in prepared_count, where only a walk over the matrix
     * tells it. */
    size_t (*prepared_bytes)(const tulle__spmv_shape *shape, const int *params);
    tulle_status (*prepare)(const tulle__spmv_task *task, void *prepared, int64_t *count);
    /* Returns true when the kernel walks block lines of BSR (matrix/block_lines.h) for trans.
     * NULL: never. */
    bool (*wants_lines)(const tulle__spmv_shape *shape, const int *params);
    /* Fills *work and returns true when threads may share the columns of this product
     * (spmv/shares.h). NULL: never. */
    bool (*shared_work)(const tulle__spmv_task *task, struct tulle__shared_work *work);
    /* Bytes that the algorithm itself loads and stores (x once for each entry). */
    int64_t (*bytes)(const tulle__spmv_shape *shape, const int *params, bool beta_zero);
    /* Cost by the kernel's model: bytes that a plain copy would move in the same time. */
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
