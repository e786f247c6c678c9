/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_OUTPUT_H
#define TOOL_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "tools/common/kind.h"

/* Checks that a matrix can be written to a path: the path is "-", or its ending names the form
 * (.mtx or .tulle, and .gz, .xz or .zst behind), and a file that is there already is a matrix.
 * Fails with TULLE_INVALID_ARGUMENT or TULLE_IO_ERROR. */
tulle_status tool_check_output(const char *path);

/* Checks that a plain text file of any name can be written to a path; a file of another kind is not
 * replaced. */
tulle_status tool_check_text_output(const char *path, const tool_file_kind *kind);

/* Writes to a stream; the caller looks for errors of the stream later. */
typedef tulle_status (*tool_write_fn)(FILE *file, const void *what);

/* Writes a text file as a whole, or leaves the file that was there before. Fails with the status of
 * `write`, or with TULLE_IO_ERROR. */
tulle_status tool_write_text(const char *path, const tool_file_kind *kind, tool_write_fn write,
                             const void *what);

/* Calls a function that writes to the file whose name it gets: path, or, where path is "-", a
 * temporary file with this ending (".mtx"), which then goes to standard output. Fails with the
 * status of the function, or with TULLE_IO_ERROR. */
typedef tulle_status (*tool_write_path_fn)(const char *path, void *user);
tulle_status tool_write_path(const char *path, const char *ending, tool_write_path_fn write,
                             void *user);

/* Returns the name of a path in a report: "standard output" for "-". */
const char *tool_output_name(const char *path);

/* Returns true if the name is that of a Matrix Market array as the tool writes one: plain text. */
bool tool_is_array_name(const char *path);

/* Returns true if the name asks for the binary form. */
bool tool_is_binary_name(const char *path);

#endif
