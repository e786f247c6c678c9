/* SPDX-License-Identifier: Apache-2.0 */
/* The head of a kernel, which does not depend on its operation: the first member of each
 * operation's own descriptor (spmv/spmv.h). Registry, specifications, forcing and describing
 * know no more. */
#ifndef TULLE_CORE_KERNEL_H
#define TULLE_CORE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "core/types.h"
#include "tulle/export.h"
#include "tulle/status.h"

TULLE_BEGIN

/* Flags: promises and needs of a kernel. Bits from 8 on are its operation's. */
enum {
    TULLE__FORWARD = 1,      /* computes with A */
    TULLE__TRANSPOSED = 2,   /* computes with A^T from the same arrays */
    TULLE__REPEATABLE = 4,   /* A x is bitwise the same from run to run, for any thread count */
    TULLE__REPEATABLE_T = 8, /* A^T x is bitwise the same from run to run, for any thread count */
    TULLE__NEEDS_PLAN = 16,  /* runs with prepared data only */
    TULLE__REFERENCE =
        32, /* the reference kernel of its back end and format, which is tried last */
    TULLE__HISTORICAL = 64, /* follows a paper, for comparison: the kernel runs only when it is
                               named, unless it is also the reference kernel of its format */
    TULLE__DEFAULT = 128    /* a kernel that core/select.h tries where none is forced */
};

enum { TULLE__MAX_PARAMS = 4, TULLE__OWN_FLAGS = 256 };

/* One run-time parameter of a kernel and the values that make sense. */
typedef struct tulle__param {
    const char *name, *help;
    int count;
    const int *values;
} tulle__param;

typedef struct tulle__kernel {
    const char *name;    /* name, e.g. "spmv_csr_vector" */
    const char *also;    /* a second name, of which its back end has no other; NULL: none */
    const char *summary; /* summary in one line */
    const char *source;  /* paper and section, or the origin of the idea */
    tulle_format format;
    unsigned flags;
    int param_count;
    const tulle__param *params;
} tulle__kernel;

/* The kernels of an operation on one back end. */
typedef struct tulle__kernels {
    const tulle__kernel *const *item;
    int count;
} tulle__kernels;

/* Functions of an operation that the registry calls for its kernels. */
typedef struct tulle__operation {
    const char *name;
    bool (*supports)(const tulle__kernel *kernel, tulle_type type, tulle_index index);
    bool (*prepares)(const tulle__kernel *kernel); /* true when plans of the kernel hold prepared
                                                      data */
    const char *const *published; /* names of the operation's kernels in published/, whether they
                                     were compiled or not; NULL ends the list. NULL: it has none */
} tulle__operation;

/* A kernel with its parameters. */
typedef struct tulle__spec {
    const tulle__kernel *kernel;
    int params[TULLE__MAX_PARAMS];
    unsigned given; /* parameters that the user gave: bit p for params[p] */
} tulle__spec;

struct tulle__backend;

/* Parses "NAME:param=value,...": looks the kernel up and checks the parameters that are given,
 * for a public function with a parameter named spec. operation: number of the kernel's
 * operation. */
tulle_status tulle__spec_parse(const struct tulle__backend *backend, const char *function,
                               const char *text, tulle__spec *spec, int *operation);

/* tulle__spec_parse for a function that takes kernels of one operation alone; other kernels are
 * refused. */
tulle_status tulle__spec_parse_of(const struct tulle__backend *backend, const char *function,
                                  int operation, const char *text, tulle__spec *spec);

/* True when a kernel with these parameters is one that the specification asks for. */
bool tulle__spec_allows(const tulle__spec *asked, const tulle__spec *spec);

/* Writes parameters as "coop=8,repeat=1"; "" without parameters. */
void tulle__params_text(const tulle__spec *spec, char *text, size_t room);

TULLE_END
#endif
