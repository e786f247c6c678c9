/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/colour.h"
#include "tools/common/program.h"
#include "tools/common/progress.h"

enum { LINE_ROOM = 8192 };

static _Thread_local char recorded[LINE_ROOM];
static _Thread_local char line[LINE_ROOM];
static bool silent;
static char held[LINE_ROOM]; /* the first error that was held back; "": there is none */

void tool_silence(bool on) {
    silent = on;
}

int tool_exit_code(tulle_status status) {
    switch (status) {
        case TULLE_OK:
            return TOOL_OK;
        case TULLE_CANCELLED:
            return TOOL_INTERRUPTED;
        case TULLE_OUT_OF_MEMORY:
        case TULLE_NO_DEVICE:
        case TULLE_DEVICE_FAULT:
            return TOOL_NO_RESOURCE;
        default:
            return TOOL_BAD_INPUT;
    }
}

/* Makes one line of a text, whatever characters a file name put into it. */
static void make_one_line(char *text) {
    for (char *c = text; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = ' ';
    }
}

tulle_status tool_record(tulle_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(recorded, sizeof recorded, format, arguments);
    va_end(arguments);
    make_one_line(recorded);
    return status;
}

const char *tool_error_line(void) {
    if (recorded[0]) {
        memcpy(line, recorded, sizeof line);
        recorded[0] = '\0';
    } else {
        snprintf(line, sizeof line, "%s", tulle_last_error()->message);
    }
    return line;
}

int tool_fail(tulle_status status) {
    const char *text = tool_error_line();
    if (status == TULLE_CANCELLED) text = "interrupted";
    return tool_complain(tool_exit_code(status), "%s", text);
}

/* Prints one line on standard error: an error (red), a warning (yellow) or a remark. */
static void print(int code, const char *text) {
    static const char name[] = "tulle:";
    const bool warns = strstr(text, "warning: ");
    tool_progress_end();
    if (code != TOOL_OK || warns) {
        tool_paint(stderr, code != TOOL_OK ? TOOL_RED : TOOL_YELLOW, name, strlen(name));
    } else {
        fputs(name, stderr);
    }
    fprintf(stderr, " %s\n", text);
}

static void say(int code, const char *format, va_list arguments) {
    char text[LINE_ROOM];
    vsnprintf(text, sizeof text, format, arguments);
    if (!silent) {
        print(code, text);
    } else if (code != TOOL_OK && !held[0]) {
        memcpy(held, text, sizeof held);
    }
}

void tool_speak(void) {
    silent = false;
    if (held[0]) print(TOOL_FAILED, held);
    held[0] = '\0';
}

int tool_complain(int code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(code, format, arguments);
    va_end(arguments);
    return code;
}

int tool_misuse(const char *subcommand, const char *format, ...) {
    char message[LINE_ROOM];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    make_one_line(message);
    return tool_complain(TOOL_BAD_INPUT, "%s%s%s (see %s %s%s--help)", subcommand,
                         *subcommand ? ": " : "", message, tool_program_name(), subcommand,
                         *subcommand ? " " : "");
}

void *tool_alloc(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory) {
        silent = false; /* there is nobody else who knows */
        exit(tool_complain(TOOL_NO_RESOURCE, "out of memory: no room for %zu x %zu bytes", count,
                           size));
    }
    return memory;
}

int tool_finish(int code) {
    if (silent) return TOOL_OK;
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    if (errno == EPIPE) return code;
    return tool_complain(code ? code : TOOL_FAILED, "standard output: %s",
                         errno ? strerror(errno) : "cannot be written");
}
