/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the reports of commands for people: lines are broken between words where the terminal is
 * too narrow, a second line stands below the text of its label, and verdicts have colour where
 * there is colour. */
#ifndef TOOL_SAY_H
#define TOOL_SAY_H

#include <stdio.h>

/* Sends reports to this stream from now on; until then they go to standard output. */
void tool_say_on(FILE *file);

/* Returns the stream that reports go to. */
FILE *tool_said(void);

/* Prints as printf does; a line is written when it is whole. */
void tool_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints to another stream; text pending from a call without a line's end comes first, on the same
 * line. */
void tool_say_to(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the number of characters of a UTF-8 text. */
int tool_text_width(const char *text, size_t length);

/* Returns the number of the text's bytes that fit into `width` characters, broken between words,
 * or, where the first word is too long, behind that word; the space that follows does not count. */
size_t tool_text_fit(const char *text, int width);

#endif
