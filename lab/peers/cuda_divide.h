/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel of one thread that divides numbers in device memory, which cuBLAS has no function for:
 * its users write one. */
#ifndef BENCH_PEERS_CUDA_DIVIDE_H
#define BENCH_PEERS_CUDA_DIVIDE_H

#include <cuda.h>

#include "bench/peer.h"

typedef struct cuda_divide {
    CUmodule module;
    CUfunction function;
} cuda_divide;

/* Numbers in device memory. */
typedef struct cuda_fractions {
    void *to, *a, *b, *c, *d;
} cuda_fractions;

/* Opens the kernel for numbers of a type, on the thread's current device; a struct of zeros may be
 * closed, too. */
tulle_status cuda_divide_open(tulle_type type, cuda_divide *divide);
void cuda_divide_close(cuda_divide *divide);

/* Starts to[0] := (a / b) (c / d) and to[1] := -to[0] in a stream. */
tulle_status cuda_divide_start(const cuda_divide *divide, void *stream,
                               const cuda_fractions *fractions);

#endif
