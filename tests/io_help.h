/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of reading and writing share. */
#ifndef TESTS_IO_HELP_H
#define TESTS_IO_HELP_H

#include <stddef.h>
#include <stdint.h>

#include "tulle/io.h"
#include "tulle/tulle.h"

/* A folder of this test's own, and paths in it (static storage, four at a time). */
void io_folder_make(void);
void io_folder_remove(void);
const char *io_path(const char *name);
int io_folder_files(void);

void io_write_file(const char *path, const void *bytes, size_t size);
char *io_read_file(const char *path, size_t *size);

/* Loads a text; fails the test when that fails. */
tulle_mat *io_load_text(tulle_ctx *ctx, const char *text, tulle_type type, tulle_file_info *info);

/* Whether both matrices have the same shape, pattern and bits. */
int io_equal(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat *B);

/* A growing text. */
typedef struct {
    char *bytes;
    size_t size, room;
} io_text;

void io_print(io_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "coordinate real general" with so many random entries, a comment now and then. */
io_text io_random_text(int64_t rows, int64_t cols, int64_t entries, int with_comments);

#endif
