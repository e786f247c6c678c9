/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as the shortest decimal text that reads back to the same bits. */
#ifndef TULLE_IO_FILE_SHORTEST_H
#define TULLE_IO_FILE_SHORTEST_H

#include <stdint.h>

enum { TULLE__NUMBER_ROOM = 32 };

/* Each writes at most TULLE__NUMBER_ROOM characters, no NUL, and returns where they end. The value
 * is finite, the integer not negative. */
char *tulle__write_f64(char *text, double value);
char *tulle__write_f32(char *text, float value);
char *tulle__write_integer(char *text, uint64_t value);

#endif
