/* SPDX-License-Identifier: Apache-2.0 */
/* The papers whose experiments can be repeated, one file each: which matrices, and what is measured
 * on each of them. To add one: a file here with a `const paper_description paper_NUMBER`, and a row
 * in PAPERS. */
#ifndef PAPERS_PAPER_H
#define PAPERS_PAPER_H

#include <stdbool.h>
#include <stdint.h>

/* One thing that is measured on the matrices of a paper; one of the pointers, or peers, tuned,
 * fem, newton or timeline, is set. Those from batch on have no matrix. */
typedef struct paper_step {
    const char *experiment; /* "coop"; several steps may belong to one */
    /* A kernel and its parameters, "NAME:param=VALUE,..."; a value is a number, several with |
     * between them, * for all that the kernel has, or @ for the one that the rule of Reguly and
     * Giles picks for the matrix. Of what makes matrices: values are numbers, and "*" is every
     * kernel but the one that the library takes by itself. */
    const char *kernel;
    const char *rule;    /* what this rule picks; of what makes matrices: what the library takes */
    const char *formats; /* every kernel on the matrix in these formats: names with commas, or * */
    const char *kernels; /* of formats: these kernels alone; NULL: all */
    bool by_length;      /* of formats: then once more with the rows by falling length */
    bool ordered;        /* of formats: as COO alone, by rows, by columns and shuffled */
    bool solved;         /* of formats: a linear system with the matrix, in each of them */
    bool peers;          /* every other library */
    bool tuned;          /* the tuner while a system with the matrix is solved */
    const char *domain;  /* of tuned and newton: from the rule of Reguly and Giles, over these
                            parameters alone, as in tulle_tuner_options; NULL: as tulle tunes */
    bool fem;            /* solutions on meshes of its own, by operators: once a type */
    bool newton;         /* and during Newton's method, on a matrix of its own: in f64 */
    bool profiled;       /* of the kernel or batch: the profiler's counters can be asked for */
    bool quickly;        /* there are many: with a tenth of the time for each; of tasks, a call
                            takes long: a sample of each, by row, grouped and as published; under
                            the profiler few tasks, and on one core of the host one, for all */
    bool printed;        /* of the kernel: as the paper ran it (printed.c) */
    bool capped;         /* of the large matrices alone, a sample each, with capped memory */
    /* An operation of the benchmark on many tasks at once, "batch_dot", blocks of 4, 8 and 16
     * columns, in all ways; with peers, also by other libraries. */
    const char *batch;
    int64_t rows;    /* of a task, or of the time line's */
    bool scaled;     /* with more and more tasks of 4 columns, on 8 to 64 streams and without; else
                        30 tasks */
    int most_filled; /* the largest block for which there are also as many tasks as fill a GPU, two
                        a multiprocessor; 0: none */
    bool one_core;   /* beside it the same on one core of the host */
    bool timeline;   /* when which thread of the host took which task */
    /* Those of the paper's matrices, then NULL, which it is for; NULL: all of them. */
    const char *const *only, *const *quick_only;
} paper_step;

typedef struct paper_description {
    int number;
    const char *title; /* authors and title */
    const char *op;    /* "spgemm": of what makes matrices; NULL: products with vectors */
    const char *const
        *matrices;            /* then NULL; like:NAME gives way to a real NAME where there is one */
    const char *const *quick; /* the same, tiny, for a try */
    const char *const *large, *const *quick_large; /* those of them for capped steps */
    int64_t cap, quick_cap; /* most bytes of such a step, the matrix included */
    bool many_streams; /* a GPU is to have as many hardware queues as CUDA allows, 32 instead of 8:
                          streams that share one wait for each other */
    const paper_step *steps;
    int step_count;
} paper_description;

#define PAPERS(X)                                                                                  \
    X(1)                                                                                           \
    X(2)                                                                                           \
    X(3)                                                                                           \
    X(4)                                                                                           \
    X(5)

#define X(number) extern const paper_description paper_##number;
PAPERS(X)
#undef X

#endif
