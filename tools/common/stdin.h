/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_STDIN_H
#define TOOL_STDIN_H

#include <stdint.h>

/* All of standard input (release with free), but for what follows more blank lines than a file may
 * have; or NULL and a failure recorded (TULLE_IO_ERROR). */
void *tool_read_stdin(int64_t *size);

#endif
