/* SPDX-License-Identifier: Apache-2.0 */
/* The user's file of measurements (tune/cache.h has the form of its lines), for code that needs
 * a line of it and has no context. */
#ifndef TULLE_CORE_CACHE_FILE_H
#define TULLE_CORE_CACHE_FILE_H

#include <stdbool.h>
#include <stddef.h>

enum { TULLE__CACHE_PATH = 4096 };

/* The first line of the file, by which it is known. */
#define TULLE__CACHE_HEADING "# Results of tuning, written by tulle; tabs between the fields.\n"

/* Makes the default path: $XDG_CACHE_HOME/tulle/tuning.txt, or in ~/.cache; "" where neither is
 * known. Returns its length as snprintf does. */
int tulle__cache_default_path(char path[TULLE__CACHE_PATH]);

/* Finds the next field of the last whole line that begins with the key and a tab; false: there
 * is none, or it does not fit. */
bool tulle__cache_file_find(const char *path, const char *key, char *field, size_t room);

/* Adds lines at the end of a regular file that is there, is empty or begins with the heading;
 * nothing happens where that fails. */
void tulle__cache_file_append(const char *path, const char *lines);

#endif
