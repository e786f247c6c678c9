/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "tools/common/terminal.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/common/numbers.h"

static int from_environment(const char *variable, int otherwise) {
    const char *text = getenv(variable);
    int64_t number = 0;
    return text && tool_parse_int(text, 10, 1000, &number) ? (int)number : otherwise;
}

tool_terminal tool_terminal_of(FILE *file) {
    tool_terminal terminal = {.columns = from_environment("COLUMNS", 80),
                              .lines = from_environment("LINES", 40),
                              .utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0};
    struct winsize size;
    const int descriptor = fileno(file);
    if (descriptor >= 0 && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 &&
        size.ws_row > 0) {
        terminal.columns = size.ws_col;
        terminal.lines = size.ws_row;
    }
    return terminal;
}
