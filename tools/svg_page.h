/* SPDX-License-Identifier: Apache-2.0 */
/* SVG pictures have this in common. */
#ifndef TOOL_SVG_PAGE_H
#define TOOL_SVG_PAGE_H

#include <stdio.h>

/* A white page of so many pixels with a title, which stands `left` from its side. */
void tool_svg_begin(FILE *file, double wide, double high, double left, const char *title);
void tool_svg_end(FILE *file);

/* Text with what SVG does not take as it is in another way. */
void tool_svg_text(FILE *file, const char *text);

#endif
