/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes blocks of k vectors in host memory, column after column, as Matrix Market
 * files. */
#ifndef TOOL_VECTOR_FILE_H
#define TOOL_VECTOR_FILE_H

#include "tulle/tulle.h"

/* Reads a matrix of n rows and k columns into n k numbers of the type. */
tulle_status tool_load_vectors(const char *path, tulle_type type, int64_t n, int64_t k,
                               void *vectors);

/* Reads a matrix of any size into rows x columns numbers of the type, to be freed. */
tulle_status tool_load_array(const char *path, tulle_type type, int64_t *rows, int64_t *columns,
                             void **numbers);

/* Fills a block from "ones", "random" or a file: on the place, and, column after column, on the
 * host. */
tulle_status tool_fill_block(tulle_ctx *ctx, const char *from, uint64_t seed, tulle_vec *block,
                             void *host);

/* Writes n k numbers as an array of k columns, so that reading gives the same bits. The file
 * appears whole or not at all. */
tulle_status tool_save_vectors(const char *path, tulle_type type, int64_t n, int64_t k,
                               const void *vectors);

#endif
