/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors in host memory, from and to Matrix Market files. */
#ifndef TOOL_VECTOR_FILE_H
#define TOOL_VECTOR_FILE_H

#include "tulle/status.h"
#include "tulle/types.h"

/* Reads a matrix of n rows and one column into n numbers of the type. */
tulle_status tool_load_vector(const char *path, tulle_type type, int64_t n, void *vector);

/* Writes n numbers as an array of one column, so that reading gives the same bits. The file
 * appears whole or not at all. */
tulle_status tool_save_vector(const char *path, tulle_type type, int64_t n, const void *vector);

#endif
