/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/help.h"

#include <stdio.h>
#include <string.h>

#include "tools/common/program.h"
#include "tools/common/say.h"
#include "tools/common/terminal.h"

/* Lines are at most WIDEST characters wide, since longer ones are hard to read; text beside a label
 * has at least LEAST, however narrow the window is. */
enum { WIDEST = 80, LEAST = 30, PARAGRAPH = 4096 };

/* Writes "  -o, --output FILE" and returns the width of the text. */
static int write_option(const tool_option *option, char *text, size_t room) {
    char letter[8] = "    ";
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    const bool may_be_missing = option->kind == TOOL_FILE;
    return snprintf(text, room, "  %s--%s%s%s%s", letter, option->name,
                    may_be_missing  ? "[="
                    : option->value ? " "
                                    : "",
                    option->value ? option->value : "", may_be_missing ? "]" : "");
}

/* Prints a text broken between words, the second line and all others starting at column `place`. */
static void print_words(const char *text, int place) {
    const int columns = tool_terminal_of(stdout).columns;
    const int most = columns < WIDEST ? columns : WIDEST;
    const int room = most - place < LEAST ? LEAST : most - place;
    const size_t spaces = strspn(text, " ");
    for (size_t length; (length = tool_text_fit(text, room)) > 0;) {
        printf("%.*s\n", (int)length, text);
        text += length;
        text += strspn(text, " ");
        if (*text) printf("%*s", place + (int)spaces, "");
    }
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

/* Returns true if a line of a text goes on in the next one: neither stands for itself, as the lines
 * of tables do. */
static bool goes_on(const char *line, const char *next) {
    return line[0] != ' ' && line[0] != '\n' && next[0] != ' ' && next[0] != '\n' && next[0];
}

/* Prints a text, whose lines are broken anew where they belong together. */
static void print_text(const char *text) {
    char paragraph[PARAGRAPH] = "";
    while (*text) {
        const size_t span = strcspn(text, "\n"), length = strlen(paragraph);
        const char *next = text + span + (text[span] == '\n');
        const bool on = goes_on(text, next);
        if (span == 0) printf("\n");
        snprintf(paragraph + length, sizeof paragraph - length, "%.*s%s", (int)span, text,
                 on ? " " : "");
        if (!on) {
            print_words(paragraph, 0);
            paragraph[0] = '\0';
        }
        text = next;
    }
}

static void print_option(const tool_option *option, int width) {
    char text[128];
    write_option(option, text, sizeof text);
    printf("%-*s  ", width, text);
    print_words(option->help, width + 2);
}

void tool_help_briefly(const tool_command *command) {
    static const tool_option help = {.name = "help", .letter = 'h', .help = "print this text"};
    bool has_operands = command->operands[0] != '\0';
    printf("Usage: %s %s [OPTION]...%s%s\n\n", tool_program_name(), command->name,
           has_operands ? " " : "", command->operands);
    print_text(command->about);
    printf("\nOptions:\n");
    int width = widest_option(command);
    for (int i = 0; i < command->option_count; i++) print_option(&command->options[i], width);
    print_option(&help, width);
    printf("\nExamples:\n");
    for (const char *const *example = command->examples; *example; example++) {
        printf("  %s\n", *example);
    }
}

void tool_help(const tool_command *command) {
    tool_help_briefly(command);
    if (strstr(command->operands, "MATRIX")) {
        printf("\n");
        print_text(
            "MATRIX is a file (Matrix Market, Harwell-Boeing, Rutherford-Boeing or PETSc's binary\n"
            "form, also .gz, .xz, .zst or .tar.gz; SciPy's .npz; .tulle), - for standard input,\n"
            "the specification of a generator (see tulle gen --list), or the name of a matrix in\n"
            "the folder that the environment variable TULLE_MATRICES names.\n");
    }
    if (strstr(command->operands, "MESH")) {
        printf("\n");
        print_text(
            "MESH is a file of Gmsh's (.msh, version 4.1 or 2.2) or VTK's (.vtu), also .gz, .xz\n"
            "or .zst, - for standard input, or the specification of a generator (see tulle mesh\n"
            "make --list).\n");
    }
}
