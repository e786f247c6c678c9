/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/help.h"

#include <stdio.h>
#include <string.h>

#include "tools/common/program.h"

/* "  -o, --output FILE", and how wide it is. */
static int write_option(const tool_option *option, char *text, size_t room) {
    char letter[8] = "    ";
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    return snprintf(text, room, "  %s--%s%s%s", letter, option->name, option->value ? " " : "",
                    option->value ? option->value : "");
}

static int widest_option(const tool_command *command) {
    char text[128];
    int widest = 0;
    for (int i = 0; i < command->option_count; i++) {
        int width = write_option(&command->options[i], text, sizeof text);
        if (width > widest) widest = width;
    }
    return widest;
}

void tool_help(const tool_command *command) {
    static const tool_option help = {.name = "help", .letter = 'h', .help = "print this text"};
    bool has_operands = command->operands[0] != '\0';
    printf("Usage: %s %s [OPTION]...%s%s\n\n%s\n\nOptions:\n", tool_program_name(), command->name,
           has_operands ? " " : "", command->operands, command->about);
    int width = widest_option(command);
    for (int i = 0; i <= command->option_count; i++) {
        const tool_option *option = i < command->option_count ? &command->options[i] : &help;
        char text[128];
        write_option(option, text, sizeof text);
        printf("%-*s  %s\n", width, text, option->help);
    }
    printf("\nExamples:\n");
    for (const char *const *example = command->examples; *example; example++) {
        printf("  %s\n", *example);
    }
    if (strstr(command->operands, "MATRIX")) {
        printf(
            "\nMATRIX is a file (Matrix Market, also .gz, .xz, .zst or .tar.gz, or .tulle), - for\n"
            "standard input, the specification of a generator (see tulle gen --list), or the name\n"
            "of a matrix in the folder that the environment variable TULLE_MATRICES names.\n");
    }
    if (strstr(command->operands, "MESH")) {
        printf(
            "\nMESH is a file of Gmsh's (.msh, version 4.1 or 2.2) or VTK's (.vtu), also .gz, .xz "
            "or .zst,\n"
            "- for standard input, or the specification of a generator (see tulle mesh make "
            "--list).\n");
    }
}
