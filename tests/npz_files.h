/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices of scipy.sparse.save_npz that tests build in memory, in one archive at a time. */
#ifndef TESTS_NPZ_FILES_H
#define TESTS_NPZ_FILES_H

#include "io_help.h"
#include "zip_files.h"

extern tulle_ctx *npz_cpu; /* context of a test program */
extern zip_file npz;       /* archive that a test builds */

/* Set-up and tear-down of a test program: make and destroy the context. */
int npz_start(void **state);
int npz_end(void **state);

/* Begins an archive of a matrix whose form has a name, which is stored in a type of NumPy's. */
void npz_begin(const char *form, const char *type);

/* Puts a number of a type of NumPy's into a file, such as the numbers of an array. */
void npz_put(little_file *file, const char *type, double number);

/* Adds an array of numbers of a type of NumPy's. */
void npz_add(const char *name, const char *type, const char *shape, const double *numbers,
             int count);

#define NPZ_ADD(name, type, shape, ...)                                                            \
    npz_add(name ".npy", type, shape, (const double[]){__VA_ARGS__},                               \
            sizeof(double[]){__VA_ARGS__} / sizeof(double))

/* Makes the archive of the matrix [1 0 2; 0 0 3] in rows, the same as the text NPZ_SMALL. */
void npz_make_csr(const char *index, const char *value);

#define NPZ_SMALL "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1\n1 3 2\n2 3 3\n"

/* Returns the archive as a file named "z". */
io_file npz_file(void);

tulle_status npz_load(tulle_type type, tulle_mat **A, tulle_file_info *info);

/* Fails unless the archive has the matrix of a text. */
void npz_expect(const char *text, tulle_type type);

/* Fails unless the archive is refused with a status and a message that has `part`. */
void npz_expect_complaint(tulle_type type, tulle_status status, const char *part);

#endif
