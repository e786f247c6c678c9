/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of the cost models of the CSR kernels for GPUs (csr_vector.cu, csr_merge.cu,
 * csr_adaptive.cu), from which the rule "tulle" picks. lab/tuning.py fits them to measurements;
 * docs/tuning.md, which it makes too, has the data and how well they do on matrices that they were
 * not fitted to. */
#ifndef TULLE_SPMV_GPU_CSR_COSTS_H
#define TULLE_SPMV_GPU_CSR_COSTS_H

/* csr_vector: bytes as if copied, for each byte that must be moved: of equal rows, and the
 * addition for each standard deviation of the rows' lengths, in means. */
#define TULLE__VECTOR_EVEN 1.0
#define TULLE__VECTOR_UNEVEN 0.1
/* csr_vector: microseconds of a flight of loads from the cache, and the addition of a busy
 * memory. */
#define TULLE__VECTOR_FLIGHT 0.4
#define TULLE__VECTOR_BUSY 0.7
/* csr_vector: share of the time that the flights of all warps would take one after the other. */
#define TULLE__VECTOR_FLIGHTS 0.6
/* csr_merge: launches, and bytes as if copied for each byte that must be moved. */
#define TULLE__MERGE_LAUNCHES 2.8
#define TULLE__MERGE_BYTES 1.15
/* csr_adaptive: bytes as if copied, as for csr_vector. */
#define TULLE__ADAPTIVE_EVEN 1.25
#define TULLE__ADAPTIVE_UNEVEN 0.02
/* csr_merge and csr_adaptive: bytes as if copied for each row that has entries, from memory. */
#define TULLE__ROW_BYTES 8.0
/* csr_vector and csr_adaptive: microseconds of a flight of loads, for a block that walks a row
 * alone, from the cache; and csr_vector: the addition of a busy memory. */
#define TULLE__BLOCK_FLIGHT 1.0
#define TULLE__BLOCK_BUSY 1.5

#endif
