/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of the cost models of the CSR kernels for GPUs (csr_vector.cu, csr_merge.cu,
 * csr_adaptive.cu), from which the rule "tulle" picks. scripts/tuning.py fits them to measurements;
 * docs/tuning.md, which it makes too, has the data and how well they do on matrices that they were
 * not fitted to. */
#ifndef TULLE_TUNE_CSR_COSTS_H
#define TULLE_TUNE_CSR_COSTS_H

/* csr_vector: bytes as if copied, for each byte that must be moved: of equal rows, and more for
 * each standard deviation of the rows' lengths in means. */
#define TULLE__VECTOR_EVEN 1.0
#define TULLE__VECTOR_UNEVEN 0.25
/* csr_vector: microseconds of a flight of loads, for the lanes that walk the longest row alone. */
#define TULLE__VECTOR_FLIGHT 0.3
/* csr_merge: launches, and bytes as if copied for each byte that must be moved. */
#define TULLE__MERGE_LAUNCHES 2.0
#define TULLE__MERGE_BYTES 1.25
/* csr_adaptive: bytes as if copied, as for csr_vector. */
#define TULLE__ADAPTIVE_EVEN 1.15
#define TULLE__ADAPTIVE_UNEVEN 0.15
/* Both: microseconds of a flight of loads, for a block that walks a row alone. */
#define TULLE__BLOCK_FLIGHT 1.5

#endif
