/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_OUTPUT_H
#define TOOL_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "tools/common/kind.h"

/* Checks that a matrix can be written to a path: "-", or its ending says how (.mtx or .tulle, and
 * .gz, .xz or .zst behind), and what is there already is a file, and one of a matrix. Fails with
 * TULLE_INVALID_ARGUMENT or TULLE_IO_ERROR. */
tulle_status tool_check_output(const char *path);

/* The same for a plain text file of any name; one of another kind is not replaced. */
tulle_status tool_check_text_output(const char *path, const tool_file_kind *kind);

/* Writes to a file; errors of the file itself are looked for later. */
typedef tulle_status (*tool_write_fn)(FILE *file, const void *what);

/* Makes a text file whole, or leaves what was there before. Fails with what write fails with, or
 * with TULLE_IO_ERROR. */
tulle_status tool_write_text(const char *path, const tool_file_kind *kind, tool_write_fn write,
                             const void *what);

/* Has a call write to the file whose name it gets: path, or, where path is "-", a temporary file
 * with that ending (".mtx"), which then goes to standard output. Fails with what write fails with,
 * or with TULLE_IO_ERROR. */
typedef tulle_status (*tool_write_path_fn)(const char *path, void *user);
tulle_status tool_write_path(const char *path, const char *ending, tool_write_path_fn write,
                             void *user);

/* Returns what a report calls a path: "standard output" for "-". */
const char *tool_output_name(const char *path);

/* True if the name is that of a Matrix Market array as it is written: plain text. */
bool tool_is_array_name(const char *path);

/* True if the name asks for the binary form. */
bool tool_is_binary_name(const char *path);

#endif
