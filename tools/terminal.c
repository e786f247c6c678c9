/* SPDX-License-Identifier: Apache-2.0 */
#include "terminal.h"

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

tool_terminal tool_terminal_of_stdout(void) {
    tool_terminal terminal = {.columns = from_environment("COLUMNS", 80),
                              .lines = from_environment("LINES", 40),
                              .utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0};
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
        terminal.columns = size.ws_col;
        terminal.lines = size.ws_row;
    }
    return terminal;
}
