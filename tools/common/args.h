/* SPDX-License-Identifier: Apache-2.0 */
/* Parses command lines: a table of options gives the parsing and the help text. */
#ifndef TOOL_ARGS_H
#define TOOL_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "tulle/types.h"

typedef enum tool_kind {
    TOOL_FLAG,  /* target: bool */
    TOOL_ONE,   /* target: int, which becomes 1: the second word of a choice */
    TOOL_TEXT,  /* target: const char * */
    TOOL_INT,   /* target: int64_t, from min to max */
    TOOL_REAL,  /* target: double, finite */
    TOOL_BYTES, /* target: int64_t, "2G" */
    TOOL_LIST,  /* target: tool_list; may be given again and again */
    TOOL_FILE,  /* target: const char *; --NAME is "-", --NAME=FILE or --NAME FILE.json a file */
    TOOL_CHOICE /* target: int, min plus the place of the word, in any case, in value,
                   "f32|f64" */
} tool_kind;

/* The values of an option that was given any number of times. */
typedef struct tool_list {
    const char *item[256];
    int count;
} tool_list;

typedef struct tool_option {
    const char *name; /* "kernel" for --kernel */
    char letter;      /* 'o' for -o; 0: none */
    tool_kind kind;
    void *target;
    const char *value; /* the name of the value in the help: "FILE"; for a choice, its words */
    const char *help;  /* one line of help, with the default */
    int64_t min, max;  /* TOOL_INT; of TOOL_CHOICE min is the number of the first word */
    /* for TOOL_TEXT and TOOL_FILE: the value names a file that is written anew */
    bool replaces;
    /* for a file that is written: "-" means standard output, and reports then go to standard
     * error */
    bool is_result;
} tool_option;

/* Largest number of options that a command may have, without --help. */
enum { TOOL_MOST_OPTIONS = 64 };

typedef struct tool_command tool_command;
struct tool_command {
    const char *name;
    const char *operands;        /* operands as the help shows them: "MATRIX [FILE]" */
    const char *about;           /* text that says what the command does, in lines as printed */
    const char *const *examples; /* whole command lines that work, then NULL */
    const tool_option *options;
    int option_count;
    int min_operands, max_operands;
    /* number, from 1 on, of the operand that names the file for the result, which may be "-"; 0:
     * none does */
    int result_operand;
    /* prints the help and returns an exit code; NULL: help is printed from this table */
    int (*help)(const tool_command *command);
};

/* Holds a parsed command line. With `stop` the program is to end with `code`: help was printed, or
 * the command line was wrong. */
typedef struct tool_parsed {
    bool stop;
    int code;
    int count;
    char **operand;
} tool_parsed;

/* Parses a command line, or prints help for --help and -h. Names of options must be written out: a
 * beginning that is short for one option today may be short for another one tomorrow, or in another
 * command. */
tool_parsed tool_parse(const tool_command *command, int argc, char **argv);

/* Values of the options that several subcommands share; each subcommand takes those that it
 * uses. */
typedef struct tool_common {
    const char *on; /* name of a place, as for tulle_ctx_create */
    int type;       /* tulle_type */
    int64_t seed;
    int64_t memory; /* bytes that the place may hold at a time; 0: any number */
    const char
        /* file for JSON; NULL: no JSON; "-": JSON on standard output, instead of the report */
        *json;
    bool quiet;
} tool_common;

/* Returns the defaults: place "auto", f64, seed 1. */
tool_common tool_common_defaults(void);

/* An option that was not given holds this number, where 0 is a value. */
enum { TOOL_NOT_GIVEN = -1 };

/* These macros are rows of an option table. */
#define TOOL_ON(c)                                                                                 \
    {                                                                                              \
        .name = "on", .kind = TOOL_TEXT, .target = &(c)->on, .value = "PLACE",                     \
        .help = "auto (default), cpu, cpu:THREADS, cuda, cuda:DEVICE or emulated"                  \
    }
#define TOOL_TYPE(c)                                                                               \
    {                                                                                              \
        .name = "type", .kind = TOOL_CHOICE, .target = &(c)->type, .value = "f32|f64",             \
        .help = "type of the values (default f64)", .min = TULLE_F32                               \
    }
#define TOOL_SEED(c)                                                                               \
    {                                                                                              \
        .name = "seed", .kind = TOOL_INT, .target = &(c)->seed, .value = "NUMBER",                 \
        .help = "seed of what is random (default 1)", .min = 0, .max = INT64_MAX                   \
    }
#define TOOL_MEMORY(c)                                                                             \
    {                                                                                              \
        .name = "memory", .kind = TOOL_BYTES, .target = &(c)->memory, .value = "SIZE",             \
        .help = "hold at most so much, matrices included: 2G (default any)"                        \
    }
#define TOOL_JSON(c)                                                                               \
    {                                                                                              \
        .name = "json", .kind = TOOL_FILE, .target = &(c)->json, .value = "FILE",                  \
        .help = "print JSON, for programs, or write it to a file", .replaces = true                \
    }
#define TOOL_KERNEL(text)                                                                          \
    {                                                                                              \
        .name = "kernel", .letter = 'k', .kind = TOOL_TEXT, .target = (text), .value = "SPEC",     \
        .help = "this kernel: NAME or NAME:param=value,... (see tulle kernels)"                    \
    }
#define TOOL_FACTOR(called, number, usual)                                                         \
    {                                                                                              \
        .name = (called), .kind = TOOL_REAL, .target = (number), .value = "NUMBER",                \
        .help = "(default " usual ")"                                                              \
    }
/* Every command that has an op(A), which is A or its transpose, takes it by these two options.
 * target: int, a tulle_trans. */
#define TOOL_TRANSPOSE(turned, what)                                                               \
    { .name = "transpose", .letter = 't', .kind = TOOL_ONE, .target = (turned), .help = (what) }
#define TOOL_TRANS(turned, what)                                                                   \
    {                                                                                              \
        .name = "trans", .kind = TOOL_CHOICE, .target = (turned), .value = "N|T",                  \
        .help = what " (default), or its transpose"                                                \
    }
#define TOOL_TURN(called, flag, what)                                                              \
    { .name = (called), .kind = TOOL_FLAG, .target = (flag), .help = (what) }
#define TOOL_OUTPUT(text, what)                                                                    \
    {                                                                                              \
        .name = "output", .letter = 'o', .kind = TOOL_TEXT, .target = (text), .value = "FILE",     \
        .help = what "; - for standard output", .replaces = true, .is_result = true                \
    }
/* The option says how often to time a call; `usual` is the default as the help describes it. */
#define TOOL_REPEAT(count, usual)                                                                  \
    {                                                                                              \
        .name = "repeat", .letter = 'n', .kind = TOOL_INT, .target = (count), .value = "N",        \
        .help = "time N more calls (default " usual ")", .min = 0, .max = 1000000                  \
    }
#define TOOL_CHECK(flag)                                                                           \
    {                                                                                              \
        .name = "check", .kind = TOOL_FLAG, .target = (flag),                                      \
        .help = "compare the result with its definition in long double"                            \
    }
/* The option chooses the index type of a matrix that is made. target: int, 0 where the option was
 * not given, else one of tulle_index plus 1. */
#define TOOL_INDEX(choice)                                                                         \
    {                                                                                              \
        .name = "index", .kind = TOOL_CHOICE, .target = (choice), .value = "auto|32/32|64/32|64",  \
        .help = "bits of C's offsets and columns (default auto: what holds it)"                    \
    }
#define TOOL_QUIET(c)                                                                              \
    {                                                                                              \
        .name = "quiet", .letter = 'q', .kind = TOOL_FLAG, .target = &(c)->quiet,                  \
        .help = "no progress line and no closing remark"                                           \
    }

#endif
