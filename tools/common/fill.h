/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_FILL_H
#define TOOL_FILL_H

/* Reads the value of the option --fill: "all", which is TULLE_FILL_ALL, or a level. Returns an exit
 * code: TOOL_OK, or TOOL_BAD_INPUT with its message printed. text NULL: the option was not given,
 * and *fill stays. */
int tool_fill_parse(const char *command, const char *text, int *fill);

#endif
