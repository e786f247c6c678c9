/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the tests of reading and writing share. */
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

/* A context of two CPU threads, which io_start makes beside the folder and io_end gives up: setup
 * and teardown of a group of tests. */
extern tulle_ctx *io_cpu;
int io_start(void **state);
int io_end(void **state);

void io_write_file(const char *path, const void *bytes, size_t size);
char *io_read_file(const char *path, size_t *size);

/* Loads a text; fails the test when that fails. */
tulle_mat *io_load_text(tulle_ctx *ctx, const char *text, tulle_type type, tulle_file_info *info);

/* Returns 1 if both matrices have the same shape, pattern and bits, else 0. */
int io_equal(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat *B);

/* A file in memory, and its name in messages. */
typedef struct {
    const void *bytes;
    size_t size;
    const char *name;
} io_file;

tulle_status io_load(tulle_ctx *ctx, io_file file, tulle_type type, tulle_mat **A,
                     tulle_file_info *info);

/* Fails unless a file has the matrix of a Matrix Market text. */
void io_expect(tulle_ctx *ctx, io_file file, const char *text, tulle_type type);

/* Fails unless a file is refused with a status and a message of one line, which has `part` and
 * begins with the name of the file and, unless `line` is 0, the line; and unless all memory is
 * given back. */
void io_expect_complaint(tulle_ctx *ctx, io_file file, tulle_type type, tulle_status status,
                         int64_t line, const char *part);

/* Fails unless loading a file, whose sizes are false, gives a status and takes less than `most`
 * bytes of memory. */
void io_expect_little_memory(io_file file, tulle_status status, size_t most);

/* Fails unless a file loads or is refused properly with each request for memory failing in turn, of
 * which there are more than `least`. */
void io_expect_survival(io_file file, int64_t least);

/* A growing text. */
typedef struct {
    char *bytes;
    size_t size, room;
} io_text;

void io_print(io_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "coordinate real general" with so many random entries, a comment now and then. */
io_text io_random_text(int64_t rows, int64_t cols, int64_t entries, int with_comments);

#endif
