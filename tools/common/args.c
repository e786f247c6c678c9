/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/args.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tools/common/args_files.h"
#include "tools/common/error.h"
#include "tools/common/help.h"
#include "tools/common/numbers.h"
#include "tools/common/output.h"
#include "tools/common/say.h"
#include "tools/common/suggest.h"

/* getopt_long returns FIRST_LONG + i for long option i, and HELP for --help, which all commands
 * have. */
enum { FIRST_LONG = 256, HELP = FIRST_LONG + TOOL_MOST_OPTIONS };

/* The tables of getopt_long for one command. */
typedef struct getopt_tables {
    char letters[3 + 2 * TOOL_MOST_OPTIONS];
    struct option longs[TOOL_MOST_OPTIONS + 2];
} getopt_tables;

tool_common tool_common_defaults(void) {
    return (tool_common){.on = "auto", .type = TULLE_F64, .seed = 1};
}

static void fill_tables(const tool_command *command, getopt_tables *tables) {
    char *letter = tables->letters;
    *letter++ = ':';
    *letter++ = 'h';
    int count = command->option_count;
    if (count > TOOL_MOST_OPTIONS) {
        fprintf(stderr, "tulle: %s has more than %d options\n", command->name, TOOL_MOST_OPTIONS);
        abort();
    }
    for (int i = 0; i < count; i++) {
        const tool_option *option = &command->options[i];
        bool has_value = option->kind != TOOL_FLAG && option->kind != TOOL_ONE;
        int takes = option->kind == TOOL_FILE ? optional_argument
                    : has_value               ? required_argument
                                              : no_argument;
        tables->longs[i] =
            (struct option){.name = option->name, .has_arg = takes, .val = FIRST_LONG + i};
        if (option->letter) *letter++ = option->letter;
        if (option->letter && has_value) *letter++ = ':';
    }
    tables->longs[count] = (struct option){.name = "help", .val = HELP};
    tables->longs[count + 1] = (struct option){0};
    *letter = '\0';
}

static const tool_option *option_of(const tool_command *command, int code) {
    if (code >= FIRST_LONG) return &command->options[code - FIRST_LONG];
    for (int i = 0; i < command->option_count; i++) {
        if (command->options[i].letter == code) return &command->options[i];
    }
    return NULL;
}

/* Returns the place of a word, in any case, in "a|b|c", or -1. */
static int find_choice(const char *choices, const char *word) {
    size_t length = strlen(word);
    int place = 0;
    for (const char *start = choices;; place++) {
        size_t span = strcspn(start, "|");
        if (span == length && strncasecmp(start, word, span) == 0) return place;
        if (start[span] == '\0') return -1;
        start += span + 1;
    }
}

static int set_int(const tool_command *command, const tool_option *option, const char *value) {
    if (tool_parse_int(value, option->min, option->max, option->target)) return TOOL_OK;
    if (option->max == INT64_MAX) {
        return tool_misuse(command->name, "--%s: '%s' is not a whole number of at least %" PRId64,
                           option->name, value, option->min);
    }
    return tool_misuse(command->name,
                       "--%s: '%s' is not a whole number from %" PRId64 " to %" PRId64,
                       option->name, value, option->min, option->max);
}

static int set_bytes(const tool_command *command, const tool_option *option, const char *value) {
    if (tool_parse_bytes(value, option->target)) return TOOL_OK;
    return tool_misuse(command->name, "--%s: '%s' is no size, as 800M, 2G or 4GiB are",
                       option->name, value);
}

static int set_choice(const tool_command *command, const tool_option *option, const char *value) {
    int place = find_choice(option->value, value);
    if (place < 0) {
        return tool_misuse(command->name, "--%s: '%s' is none of %s", option->name, value,
                           option->value);
    }
    *(int *)option->target = (int)option->min + place;
    return TOOL_OK;
}

static int add_to_list(const tool_command *command, const tool_option *option, const char *value) {
    tool_list *list = option->target;
    int room = sizeof list->item / sizeof *list->item;
    if (list->count == room) {
        return tool_misuse(command->name, "--%s: at most %d of them", option->name, room);
    }
    list->item[list->count++] = value;
    return TOOL_OK;
}

static int set(const tool_command *command, const tool_option *option, const char *value) {
    switch (option->kind) {
        case TOOL_FLAG:
            *(bool *)option->target = true;
            return TOOL_OK;
        case TOOL_ONE:
            *(int *)option->target = 1;
            return TOOL_OK;
        case TOOL_FILE:
            if (!value) value = "-";
            if (!value[0]) return tool_misuse(command->name, "--%s=: name a file", option->name);
            *(const char **)option->target = value;
            return TOOL_OK;
        case TOOL_TEXT:
            *(const char **)option->target = value;
            return TOOL_OK;
        case TOOL_INT:
            return set_int(command, option, value);
        case TOOL_BYTES:
            return set_bytes(command, option, value);
        case TOOL_CHOICE:
            return set_choice(command, option, value);
        case TOOL_LIST:
            return add_to_list(command, option, value);
        case TOOL_REAL:
            break;
    }
    if (tool_parse_real(value, option->target)) return TOOL_OK;
    return tool_misuse(command->name, "--%s: '%s' is not a finite number", option->name, value);
}

static int unknown_option(const tool_command *command, const char *given) {
    char name[64], known[TOOL_MOST_OPTIONS][64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(given, "="), given);
    tool_suggestions close = tool_suggest(name);
    for (int i = 0; i < command->option_count; i++) {
        snprintf(known[i], sizeof known[i], "--%s", command->options[i].name);
        tool_suggest_offer(&close, known[i]);
    }
    tool_suggest_offer(&close, "--help");
    return tool_misuse(command->name, "unknown option %s%s", name, tool_suggest_text(&close));
}

static const char *long_name(const tool_command *command, int code) {
    return code == HELP ? "help" : command->options[code - FIRST_LONG].name;
}

/* Returns true if the word is a long option by its whole name; getopt_long takes the beginning of a
 * name, too. */
static bool is_written_out(const char *word, const char *name) {
    const size_t length = strlen(name);
    return strncmp(word + 2, name, length) == 0 &&
           (word[2 + length] == '\0' || word[2 + length] == '=');
}

static bool is_json_name(const char *word) {
    const size_t length = strlen(word);
    return (length > 5 && strcmp(word + length - 5, ".json") == 0) ||
           (length > 6 && strcmp(word + length - 6, ".jsonl") == 0);
}

/* Takes the next word as the file of an option whose value may be missing, if the word looks like
 * such a file: no matrix has such a name. */
static void take_file(const tool_command *command, int code, int argc, char **argv) {
    const bool is_file =
        code >= FIRST_LONG && code < HELP && command->options[code - FIRST_LONG].kind == TOOL_FILE;
    if (is_file && !optarg && optind < argc && is_json_name(argv[optind])) optarg = argv[optind++];
}

/* Handles what getopt_long returned for a word of the command line. */
static int handle(const tool_command *command, int code, const char *word) {
    const bool failed = code == '?' || code == ':';
    const int meant = failed ? optopt : code;
    const bool is_long = meant >= FIRST_LONG;
    if (is_long && !is_written_out(word, long_name(command, meant)))
        return unknown_option(command, word);
    if (code == ':') return tool_misuse(command->name, "'%s' needs a value", word);
    if (failed && is_long)
        return tool_misuse(command->name, "'%s': this option takes no value", word);
    if (failed && meant) return tool_misuse(command->name, "unknown option -%c", meant);
    if (failed) return unknown_option(command, word);
    return set(command, option_of(command, code), optarg);
}

/* Returns the operands that are missing behind `count` given ones; all of them where the command
 * has several ways to give operands. */
static const char *operands_missing(const tool_command *command, int count) {
    const char *rest = command->operands;
    if (strchr(rest, '|')) return rest;
    while (count-- > 0) rest += strcspn(rest, " ") + 1;
    return rest;
}

static int check_operands(const tool_command *command, int count, char **operand) {
    if (count < command->min_operands) {
        return tool_misuse(command->name, "what is missing: %s", operands_missing(command, count));
    }
    if (count > command->max_operands) {
        return tool_misuse(command->name, "'%s' is too much", operand[command->max_operands]);
    }
    return TOOL_OK;
}

/* Checks, before the work, that each file for JSON can be written. */
static int check_json(const tool_command *command) {
    for (int i = 0; i < command->option_count; i++) {
        const tool_option *option = &command->options[i];
        const bool is_file = option->kind == TOOL_FILE && option->replaces;
        const char *path = is_file ? *(const char *const *)option->target : NULL;
        tulle_status status = path ? tool_check_text_output(path, &tool_file_json) : TULLE_OK;
        if (status != TULLE_OK) return tool_fail(status);
    }
    return TOOL_OK;
}

/* Sends the report to standard error where a result goes to standard output; no two results may go
 * there. */
static int share_stdout(const tool_command *command, int count, char **operand) {
    const int place = command->result_operand;
    const bool has_operand = place > 0 && place <= count && strcmp(operand[place - 1], "-") == 0;
    const tool_option *result = NULL, *report = NULL;
    for (int i = 0; i < command->option_count; i++) {
        const tool_option *option = &command->options[i];
        const bool is_text = option->kind == TOOL_TEXT || option->kind == TOOL_FILE;
        const char *value = is_text ? *(const char *const *)option->target : NULL;
        if (!value || strcmp(value, "-") != 0) continue;
        if (option->is_result && (result || has_operand)) {
            return tool_misuse(command->name, "%s%s and --%s are both standard output",
                               result ? "--" : "", result ? result->name : "FILE", option->name);
        }
        if (option->is_result) result = option;
        if (option->kind == TOOL_FILE) report = option;
    }
    if (!result && !has_operand) return TOOL_OK;
    tool_say_on(stderr);
    if (!report) return TOOL_OK;
    return tool_misuse(
        command->name, "%s%s and --%s are both standard output: name a file, as --%s=FILE",
        result ? "--" : "", result ? result->name : "FILE", report->name, report->name);
}

static tool_parsed help(const tool_command *command) {
    if (command->help) return (tool_parsed){.stop = true, .code = command->help(command)};
    tool_help(command);
    return (tool_parsed){.stop = true, .code = TOOL_OK};
}

tool_parsed tool_parse(const tool_command *command, int argc, char **argv) {
    getopt_tables tables;
    fill_tables(command, &tables);
    bool helps = false; /* --help was given; words behind it are not judged */
    opterr = 0;
    optind = 0; /* 0 makes GNU's getopt start anew */
    for (;;) {
        int code = getopt_long(argc, argv, tables.letters, tables.longs, NULL);
        if (code == -1) break;
        take_file(command, code, argc, argv);
        bool apart = code != '?' && code != ':' && optarg && optarg == argv[optind - 1];
        const char *word = argv[optind - (apart ? 2 : 1)];
        if (code == 'h' || (code == HELP && is_written_out(word, "help"))) {
            helps = true;
            continue;
        }
        if (helps && (code == '?' || code == ':')) continue;
        int failed = code == HELP ? unknown_option(command, word) : handle(command, code, word);
        if (failed) return (tool_parsed){.stop = true, .code = failed};
    }
    if (helps) return help(command);
    int count = argc - optind;
    int failed = check_operands(command, count, argv + optind);
    if (!failed) failed = tool_args_check_files(command, count, argv + optind);
    if (!failed) failed = share_stdout(command, count, argv + optind);
    if (!failed) failed = check_json(command);
    return (tool_parsed){
        .stop = failed != TOOL_OK, .code = failed, .count = count, .operand = argv + optind};
}
