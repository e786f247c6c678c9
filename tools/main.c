/* SPDX-License-Identifier: Apache-2.0 */
/* The tulle program: finds the subcommand and runs it. */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "papers/like/like.h"
#include "subcommands.h"
#include "tools/common/error.h"
#include "tools/common/generators.h"
#include "tools/common/progress.h"
#include "tools/common/suggest.h"
#include "tulle/tulle.h"

typedef struct subcommand {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} subcommand;

static const subcommand subcommands[] = {
#define X(name, summary) {#name, summary, tulle_tool_##name},
    TOOL_SUBCOMMANDS(X)
#undef X
};

enum { COUNT = sizeof subcommands / sizeof *subcommands };

static int print_overview(FILE *file) {
    fprintf(file,
            "Usage: tulle COMMAND [OPTION]... [OPERAND]...\n\n"
            "Sparse linear algebra on NVIDIA GPUs and CPUs.\n\nCommands:\n");
    for (int i = 0; i < COUNT; i++) {
        fprintf(file, "  %-9s  %s\n", subcommands[i].name, subcommands[i].summary);
    }
    fprintf(
        file,
        "\n'tulle help COMMAND' or 'tulle COMMAND --help' says more; 'tulle --version' prints the\n"
        "version.\n\nExit codes: 0 success, 1 the work failed or what was verified is wrong, 2 "
        "bad\n"
        "input or command line, 3 no memory or no device, 130 interrupted.\n\nExamples:\n"
        "  tulle info p3d7:20\n  tulle help spmv\n");
    return TOOL_OK;
}

static int print_version(void) {
    printf("tulle %s (commit %s)\n", tulle_version(), tulle_commit());
    return TOOL_OK;
}

static const subcommand *find(const char *name) {
    for (int i = 0; i < COUNT; i++) {
        if (strcmp(subcommands[i].name, name) == 0) return &subcommands[i];
    }
    return NULL;
}

static int unknown(const char *name) {
    tool_suggestions close = tool_suggest(name);
    for (int i = 0; i < COUNT; i++) tool_suggest_offer(&close, subcommands[i].name);
    return tool_misuse("", "there is no command '%s'%s", name, tool_suggest_text(&close));
}

static int help(int argc, char **argv) {
    if (argc < 3) return print_overview(stdout);
    const subcommand *found = find(argv[2]);
    if (!found) return unknown(argv[2]);
    char option[] = "--help";
    char *arguments[] = {argv[2], option, NULL};
    return found->run(2, arguments);
}

static int dispatch(int argc, char **argv) {
    if (argc < 2) {
        print_overview(stderr);
        return TOOL_BAD_INPUT;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0) return print_version();
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return print_overview(stdout);
    if (strcmp(word, "help") == 0) return help(argc, argv);
    const subcommand *found = find(word);
    return found ? found->run(argc - 1, argv + 1) : unknown(word);
}

int main(int argc, char **argv) {
    setlocale(LC_CTYPE, "");
    tool_catch_interrupt();
    tool_generators_add(&paper_like_generator);
    return tool_finish(dispatch(argc, argv));
}
