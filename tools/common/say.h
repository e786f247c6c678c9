/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of commands for people: lines that are broken between words where the terminal is too
 * narrow, what follows standing below its like, with verdicts in colour where there is colour. */
#ifndef TOOL_SAY_H
#define TOOL_SAY_H

#include <stdio.h>

/* Sends reports to this stream from now on; until then they go to standard output. */
void tool_say_on(FILE *file);

/* Returns the stream that reports go to. */
FILE *tool_said(void);

/* As printf; a line is written when it is whole. */
void tool_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same to another stream; a line that is not whole is the same one. */
void tool_say_to(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns how many characters UTF-8 text takes. */
int tool_text_width(const char *text, size_t length);

/* The bytes of the text that fit into so many characters, broken between words, or, where the first
 * word is too long, behind it; without the space that follows. */
size_t tool_text_fit(const char *text, int width);

#endif
