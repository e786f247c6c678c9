/* SPDX-License-Identifier: Apache-2.0 */
#include "svg_page.h"

#include <stdbool.h>

#include "tools/common/utf8.h"

void tool_svg_text(FILE *file, const char *text) {
    while (*text) {
        size_t length = tool_utf8_length(text);
        bool plain = length > 1 || (length == 1 && *text >= ' ' && *text != 0x7F);
        if (*text == '&') {
            fputs("&amp;", file);
        } else if (*text == '<') {
            fputs("&lt;", file);
        } else if (*text == '>') {
            fputs("&gt;", file);
        } else if (plain) {
            fwrite(text, 1, length, file);
        } else {
            fputc('?', file);
        }
        text += length ? length : 1;
    }
}

void tool_svg_begin(FILE *file, double wide, double high, double left, const char *title) {
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" role=\"img\" font-family=\"sans-serif\" font-size=\"12\">\n"
            "<title>",
            wide, high, wide, high);
    tool_svg_text(file, title);
    fprintf(file, "</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
    fprintf(file, "<text x=\"%.0f\" y=\"22\" font-size=\"15\">", left);
    tool_svg_text(file, title);
    fprintf(file, "</text>\n");
}

void tool_svg_end(FILE *file) {
    fprintf(file, "</svg>\n");
}
