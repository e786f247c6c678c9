/* SPDX-License-Identifier: Apache-2.0 */
#include "core/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/print.h"

/* Bytes of the parts of a record: a message holds a file's name, a line and a text. */
enum { NAME_ROOM = 64, FILE_ROOM = 1024, PLACE_ROOM = 24, TEXT_ROOM = 1536 };
enum { MESSAGE_ROOM = FILE_ROOM + PLACE_ROOM + TEXT_ROOM };

/* The record and the room for its strings, one for each thread. */
typedef struct {
    tulle_error error;
    char function[NAME_ROOM], argument[NAME_ROOM], file[FILE_ROOM], message[MESSAGE_ROOM];
} record;

static _Thread_local record last = {.error = {.status = TULLE_OK,
                                              .function = "",
                                              .argument = "",
                                              .row = -1,
                                              .file = "",
                                              .line = 0,
                                              .message = ""}};

const tulle_error *tulle_last_error(void) {
    return &last.error;
}

static const char *keep(char *room, size_t size, const char *text) {
    snprintf(room, size, "%s", text ? text : "");
    return room;
}

/* The name of the public function that the caller called: the inline one, which names no size. */
static const char *keep_function(char *room, size_t size, const char *name) {
    static const char ending[] = "_sized";
    keep(room, size, name);
    const size_t length = strlen(room), end = sizeof ending - 1;
    if (length > end && strcmp(room + length - end, ending) == 0) room[length - end] = '\0';
    return room;
}

/* Makes the text one line, whatever a file name or a file's content put into it. */
static void make_one_line(char *text) {
    for (char *c = text; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = ' ';
    }
}

/* true: failures that only mean that another way is to be tried leave no record. */
static _Thread_local bool trying;

void tulle__error_trying(bool on) {
    trying = on;
}

tulle_status tulle__fail_v(tulle_status status, const char *function, const char *argument,
                           int64_t row, const char *format, va_list arguments) {
    if (trying && tulle__no_way(status)) return status;
    char text[MESSAGE_ROOM];
    tulle__print_v(text, sizeof text, format, arguments);
    make_one_line(text);
    last.error =
        (tulle_error){.status = status,
                      .function = keep_function(last.function, sizeof last.function, function),
                      .argument = keep(last.argument, sizeof last.argument, argument),
                      .row = row,
                      .file = "",
                      .line = 0,
                      .message = keep(last.message, sizeof last.message, text)};
    return status;
}

tulle_status tulle__fail(tulle_status status, const char *function, const char *argument,
                         int64_t row, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    tulle__fail_v(status, function, argument, row, format, arguments);
    va_end(arguments);
    return status;
}

tulle_status tulle__fail_file(tulle_status status, const char *file, int64_t line,
                              const char *format, ...) {
    char name[FILE_ROOM], text[TEXT_ROOM], place[PLACE_ROOM] = "";
    snprintf(name, sizeof name, "%s", file ? file : "");
    make_one_line(name);
    va_list arguments;
    va_start(arguments, format);
    tulle__print_v(text, sizeof text, format, arguments);
    va_end(arguments);
    if (line > 0) snprintf(place, sizeof place, ":%lld", (long long)line);
    tulle__fail(status, NULL, NULL, -1, "%s%s: %s", name, place, text);
    last.error.file = keep(last.file, sizeof last.file, name);
    last.error.line = line;
    return status;
}

const char *tulle__human_bytes(double bytes, char buffer[TULLE__HUMAN]) {
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};
    size_t unit = 0;
    while (bytes >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
        bytes /= 1000;
        unit++;
    }
    tulle__print(buffer, TULLE__HUMAN, unit == 0 || bytes >= 99.95 ? "%.0f %s" : "%.1f %s", bytes,
                 units[unit]);
    return buffer;
}

tulle_status tulle__check_aligned(const char *function, const char *argument, const void *array,
                                  int64_t alignment) {
    if ((uintptr_t)array % (uintptr_t)alignment == 0) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, argument, -1,
                       "%s is used in place, and its address is not a multiple of %d bytes: align "
                       "it to its type",
                       argument, (int)alignment);
}
