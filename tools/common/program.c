/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/program.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tools/common/suggest.h"
#include "tulle/tulle.h"

static const char *name = "tulle";

const char *tool_program_name(void) {
    return name;
}

static int print_overview(const tool_program *program, FILE *file) {
    fprintf(file, "Usage: %s COMMAND [OPTION]... [OPERAND]...\n\n%s\n\nCommands:\n", name,
            program->purpose);
    for (int i = 0; i < program->count; i++) {
        fprintf(file, "  %-9s  %s\n", program->subcommands[i].name,
                program->subcommands[i].summary);
    }
    fprintf(file,
            "\n'%s help COMMAND' or '%s COMMAND --help' says more; '%s --version'\n"
            "prints the version.\n\nExit codes: 0 success, 1 the work failed or what was verified "
            "is wrong, 2 "
            "bad\n"
            "input or command line, 3 no memory or no device, 130 interrupted.\n\nExamples:\n",
            name, name, name);
    for (const char *const *line = program->examples; *line; line++) fprintf(file, "  %s\n", *line);
    return TOOL_OK;
}

static int print_version(void) {
    printf("%s %s (commit %s)\n", name, tulle_version(), tulle_commit());
    return TOOL_OK;
}

static const tool_subcommand *find(const tool_program *program, const char *word) {
    for (int i = 0; i < program->count; i++) {
        if (strcmp(program->subcommands[i].name, word) == 0) return &program->subcommands[i];
    }
    return NULL;
}

static int unknown(const tool_program *program, const char *word) {
    tool_suggestions close = tool_suggest(word);
    for (int i = 0; i < program->count; i++) {
        tool_suggest_offer(&close, program->subcommands[i].name);
    }
    return tool_misuse("", "there is no command '%s'%s", word, tool_suggest_text(&close));
}

static int help(const tool_program *program, int argc, char **argv) {
    if (argc < 3) return print_overview(program, stdout);
    const tool_subcommand *found = find(program, argv[2]);
    if (!found) return unknown(program, argv[2]);
    char option[] = "--help";
    char *arguments[] = {argv[2], option, NULL};
    return found->run(2, arguments);
}

static int dispatch(const tool_program *program, int argc, char **argv) {
    if (argc < 2) {
        print_overview(program, stderr);
        return TOOL_BAD_INPUT;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0) return print_version();
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        return print_overview(program, stdout);
    }
    if (strcmp(word, "help") == 0) return help(program, argc, argv);
    const tool_subcommand *found = find(program, word);
    return found ? found->run(argc - 1, argv + 1) : unknown(program, word);
}

int tool_program_run(const tool_program *program, int argc, char **argv) {
    name = program->name;
    setlocale(LC_CTYPE, "");
    tool_catch_interrupt();
    return tool_finish(dispatch(program, argc, argv));
}
