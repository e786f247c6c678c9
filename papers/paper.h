/* SPDX-License-Identifier: Apache-2.0 */
/* The papers whose experiments can be repeated, one file each: which matrices, and what is measured
 * on each of them. To add one: a file here with a `const paper_description paper_NUMBER`, and a row
 * in PAPERS. */
#ifndef PAPERS_PAPER_H
#define PAPERS_PAPER_H

#include <stdbool.h>

/* One thing that is measured on every matrix of a paper; one of the pointers, or peers, is set. */
typedef struct paper_step {
    const char *experiment; /* "coop"; several steps may belong to one */
    /* A kernel and its parameters, "NAME:param=VALUE,..."; a value is a number, several with |
     * between them, * for all that the kernel has, or @ for the one that the rule of Reguly and
     * Giles picks for the matrix. */
    const char *kernel;
    const char *rule;    /* what this rule picks */
    const char *formats; /* every kernel on the matrix in these formats: names with commas, or * */
    bool peers;          /* every other library */
    bool profiled;       /* of the kernel: the profiler's counters can be asked for */
    bool quickly;        /* there are many: with a tenth of the time for each */
} paper_step;

typedef struct paper_description {
    int number;
    const char *title; /* authors and title */
    const char *const
        *matrices;            /* then NULL; like:NAME gives way to a real NAME where there is one */
    const char *const *quick; /* the same, tiny, for a try */
    const paper_step *steps;
    int step_count;
} paper_description;

#define PAPERS(X)                                                                                  \
    X(1)                                                                                           \
    X(2)                                                                                           \
    X(5)

#define X(number) extern const paper_description paper_##number;
PAPERS(X)
#undef X

#endif
