/* SPDX-License-Identifier: Apache-2.0 */
/* Notes are taken of a file's numbers that the type cannot hold, and of what reading made of
 * them. */
#ifndef TOOL_NOTES_H
#define TOOL_NOTES_H

#include "tulle/io.h"

/* Prints a line on standard error for numbers that became 0, and one for integers that were
 * rounded: how many there are, and in which line of the file the first is; nothing where there are
 * none. */
void tool_say_notes(const char *path, const tulle_file_info *file, tulle_type type);

#endif
