/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/say.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/colour.h"
#include "tools/common/error.h"
#include "tools/common/terminal.h"

enum { LABEL_END = 12 };

static FILE *where;
static char *pending; /* text of a line whose end is still to come */
static size_t pending_room;

void tool_say_on(FILE *file) {
    where = file;
}

FILE *tool_said(void) {
    return where ? where : stdout;
}

/* Counts all bytes but UTF-8's continuation bytes. */
int tool_text_width(const char *text, size_t length) {
    int width = 0;
    for (size_t i = 0; i < length; i++) width += ((unsigned char)text[i] & 0xC0) != 0x80;
    return width;
}

size_t tool_text_fit(const char *text, int width) {
    size_t fits = 0;
    for (size_t end = 0;;) {
        while (text[end] == ' ') end++;
        end += strcspn(text + end, " ");
        if (fits > 0 && tool_text_width(text, end) > width) return fits;
        fits = end;
        if (text[end] == '\0') return fits;
    }
}

/* Returns the indent of a broken line's second line. That of "  place     cpu, ..." stands below
 * "cpu"; that of other lines has two spaces more than the first. */
static int hanging_indent(const char *line) {
    const size_t spaces = strspn(line, " ");
    const size_t label = spaces + strcspn(line + spaces, " ");
    const size_t text = label + strspn(line + label, " ");
    const bool labelled = spaces > 0 && (text - label > 1 || text == LABEL_END);
    return (int)(labelled && line[text] ? text : spaces + 2);
}

/* Writes a text in which "right" and "WRONG" behind a colon are coloured as verdicts. */
static void write_words(FILE *file, const char *text, size_t length) {
    static const struct {
        const char *word;
        tool_colour colour;
    } verdicts[] = {{": right", TOOL_GREEN}, {": WRONG", TOOL_RED}, {"FAILED", TOOL_RED}};
    for (size_t v = 0; v < sizeof verdicts / sizeof *verdicts; v++) {
        const char *found = strstr(text, verdicts[v].word);
        const size_t span = strlen(verdicts[v].word);
        if (!found || (size_t)(found - text) + span > length) continue;
        const size_t before = (size_t)(found - text);
        fwrite(text, 1, before, file);
        tool_paint(file, verdicts[v].colour, found, span);
        fwrite(found + span, 1, length - before - span, file);
        return;
    }
    fwrite(text, 1, length, file);
}

static void write_line(FILE *file, const char *line) {
    const int columns = tool_terminal_of(file).columns;
    int indent = hanging_indent(line), room = columns;
    if (indent > columns / 2) indent = 4;
    while (*line) {
        const size_t length = tool_text_fit(line, room);
        write_words(file, line, length);
        line += length;
        line += strspn(line, " ");
        if (*line) fprintf(file, "\n%*s", indent, "");
        room = columns - indent;
    }
    fputc('\n', file);
}

/* Writes the lines that are whole, and keeps the text behind them. */
static void write_lines(FILE *file) {
    char *line = pending;
    for (char *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        write_line(file, line);
    }
    memmove(pending, line, strlen(line) + 1);
}

/* Makes room for `more` bytes of text behind the pending `length` bytes. */
static void make_room(size_t length, size_t more) {
    const size_t wanted = length + more + 1;
    if (wanted <= pending_room) return;
    pending_room = 2 * wanted;
    char *larger = tool_alloc(pending_room, 1);
    if (pending) memcpy(larger, pending, length);
    free(pending);
    pending = larger;
}

static void add(FILE *file, const char *format, va_list arguments) {
    const size_t length = pending ? strlen(pending) : 0;
    va_list again;
    va_copy(again, arguments);
    const int more = vsnprintf(NULL, 0, format, again);
    va_end(again);
    make_room(length, more > 0 ? (size_t)more : 0);
    vsnprintf(pending + length, pending_room - length, format, arguments);
    write_lines(file);
}

void tool_say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add(tool_said(), format, arguments);
    va_end(arguments);
}

void tool_say_to(FILE *file, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add(file, format, arguments);
    va_end(arguments);
}
