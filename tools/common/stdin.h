/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_STDIN_H
#define TOOL_STDIN_H

#include <stdint.h>

/* Reads all of standard input (release with free), up to more blank lines than a file may have;
 * NULL and a failure recorded (TULLE_IO_ERROR) where reading fails. */
void *tool_read_stdin(int64_t *size);

#endif
