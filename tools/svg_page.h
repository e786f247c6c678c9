/* SPDX-License-Identifier: Apache-2.0 */
/* Parts that all SVG pictures have. */
#ifndef TOOL_SVG_PAGE_H
#define TOOL_SVG_PAGE_H

#include <stdio.h>

/* Begins a white page of wide x high pixels with a title, `left` pixels from the page's left side.
 */
void tool_svg_begin(FILE *file, double wide, double high, double left, const char *title);
void tool_svg_end(FILE *file);

/* Prints text, with references for the characters that SVG does not take as they are. */
void tool_svg_text(FILE *file, const char *text);

#endif
