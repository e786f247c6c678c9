/* SPDX-License-Identifier: Apache-2.0 */
/* The papers whose experiments can be repeated: each has a file with its matrices and the steps
 * that are measured on each matrix. To add a paper: a file here with a `const paper_description
 * paper_NUMBER`, and a row in PAPERS. */
#ifndef PAPERS_PAPER_H
#define PAPERS_PAPER_H

#include <stdbool.h>
#include <stdint.h>

/* One thing that is measured for a paper; one of kernel, rule, formats, peers, tuned, fem, newton,
 * batch and timeline is set. The steps of fem, newton, batch and timeline have problems of their
 * own; the other steps are measured on each matrix of the paper. A paper with an op measures
 * operations that make matrices. */
typedef struct paper_step {
    const char *experiment; /* name, such as "coop"; several steps may belong to one experiment */
    /* A kernel and its parameters, "NAME:param=VALUE,..."; a value is a number, several with |
     * between them, * for all that the kernel has, or @ for the one that the rule of Reguly and
     * Giles picks for the matrix. In papers with an op, values are numbers, and "*" is every kernel
     * but the one that the library takes by itself. */
    const char *kernel;
    const char *rule;    /* name of a rule whose pick is measured; in papers with an op, any name:
                            the kernel that the library takes is measured */
    const char *formats; /* formats of the matrix, in each of which every kernel is measured: names
                            with commas, or * */
    const char *kernels; /* steps of formats: names of the only kernels; NULL: all kernels */
    bool by_length;      /* steps of formats: true: all is measured again with the rows by falling
                            length */
    bool ordered;        /* steps of formats: true: entries of COO by rows, by columns and shuffled
                            are measured, and nothing else */
    bool solved;         /* steps of formats: true: solutions of a linear system are measured */
    bool peers;          /* true: every other library is measured */
    bool tuned;          /* true: the tuner is measured while a system with the matrix is solved */
    const char *domain; /* steps of the tuner and of newton: kernel and parameters of the search, as
                           in tulle_tuner_options, which starts at the pick of the rule of Reguly
                           and Giles; NULL: the search is tulle's own */
    bool fem;           /* true: solutions on meshes, by operators, are measured */
    bool newton;        /* true: the tuner is measured during Newton's method, in f64 */
    bool profiled;      /* steps of a kernel or batch: true: the profiler can count */
    bool quickly;       /* true: measurements take a tenth of the usual time. Steps of batch: true:
                           a call takes long, so there is one sample of each, by row alone, not on
                           streams; the profiler sees few and small tasks, and one core of the host
                           runs a single task, whose time stands for each */
    bool printed;       /* steps of a kernel: true: it runs as in the paper (printed.c) */
    bool capped;        /* true: large matrices are measured, once each, with capped memory */
    /* An operation of the benchmark on many tasks at once, such as "batch_dot", with blocks of 4, 8
     * and 16 columns, in all ways of running a batch; if peers is true, also by other libraries. */
    const char *batch;
    int64_t rows;    /* number of rows of a task, for batch and timeline */
    bool scaled;     /* steps of batch: true: numbers of tasks grow, tasks have 4 columns, and the
                        published kernels run on 8 to 64 streams; false: there are 30 tasks */
    int most_filled; /* largest block for which as many tasks as fill a GPU, two per multiprocessor,
                        are measured as well; 0: none */
    bool one_core;   /* steps of batch: true: one core of the host is measured as well */
    bool timeline;   /* true: the times at which threads of the host take tasks are noted */
    /* Names of the only matrices of the step, ending with NULL; NULL: all matrices of the paper. */
    const char *const *only, *const *quick_only;
} paper_step;

typedef struct paper_description {
    int number;
    const char *title; /* authors and title */
    const char *op;    /* operation that makes matrices, "spgemm"; NULL: products with vectors */
    /* Matrices, ending with NULL; like:NAME gives way to a real NAME where there is one. */
    const char *const *matrices;
    const char *const *quick; /* tiny matrices for a try, ending with NULL */
    /* Matrices of capped steps, among `matrices` or among `quick`, ending with NULL. */
    const char *const *large, *const *quick_large;
    int64_t cap, quick_cap; /* most bytes of a capped step, the matrix included */
    bool many_streams; /* true: a GPU is to have as many hardware queues as CUDA allows, 32 instead
                          of 8, since streams that share a queue wait for each other */
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
