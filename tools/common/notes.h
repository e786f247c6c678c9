/* SPDX-License-Identifier: Apache-2.0 */
/* Reports the numbers of a file that the type cannot hold, and the numbers that reading made of
 * them. */
#ifndef TOOL_NOTES_H
#define TOOL_NOTES_H

#include "tulle/io.h"

/* Prints a line on standard error for numbers that became 0, and one for integers that were
 * rounded: their number, and the line of the file with the first of them; nothing where there are
 * none. */
void tool_say_notes(const char *path, const tulle_file_info *file, tulle_type type);

#endif
