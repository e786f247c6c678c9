/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "tools/common/colour.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/launcher.h"

/* Open MPI gives its processes a terminal, also where their output then goes to a file. */
static bool has_colour(FILE *file) {
    const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if ((refused && refused[0]) || tool_launched().found) return false;
    if (!terminal || !terminal[0] || strcmp(terminal, "dumb") == 0) return false;
    const int descriptor = fileno(file);
    return descriptor >= 0 && isatty(descriptor);
}

void tool_paint(FILE *file, tool_colour colour, const char *text, size_t length) {
    static const char *const begin[] = {
        [TOOL_RED] = "\x1b[1;31m", [TOOL_GREEN] = "\x1b[32m", [TOOL_YELLOW] = "\x1b[33m"};
    const bool painted = has_colour(file);
    if (painted) fputs(begin[colour], file);
    fwrite(text, 1, length, file);
    if (painted) fputs("\x1b[0m", file);
}
