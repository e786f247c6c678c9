/* SPDX-License-Identifier: Apache-2.0 */
/* Variants are the ways of computing that are measured on one problem: the library's own choice,
 * each kernel, each plan, each peer. */
#ifndef BENCH_VARIANT_H
#define BENCH_VARIANT_H

#include "bench/layouts.h"
#include "bench/peers.h"
#include "bench/settings.h"
#include "tools/common/kernel_name.h"
#include "trials/operation.h"

enum { BENCH_SPEC = TOOL_KERNEL_SPEC, BENCH_REQUEST = 192 };

typedef struct bench_variant {
    trial_choice choice;
    /* specification of a kernel; with TRIAL_RULE, name of a rule; "" for the context's own rule,
     * and for the plan of its kernel */
    char spec[BENCH_SPEC];
    const bench_peer_found *peer;
    /* memory comes from a pool; only for operations that make matrices */
    bool pooled;
    char request[BENCH_REQUEST]; /* name of the variant: "forced spmv_csr" */
} bench_variant;

typedef struct bench_variants {
    bench_variant *item;
    int count, room;
} bench_variants;

/* The kind of problem that variants are for. */
typedef struct bench_kind {
    tulle_backend backend;
    tulle_type type;
    tulle_index index;
    tulle_trans trans;
    trial_block block;
    const bench_layout *layout;
    int detail;      /* number of the operation's detail (trials/operation.h) */
    const char *own; /* kernel that the operation takes by itself; "": not known */
} bench_kind;

/* Lists the variants that the settings ask for and the kernels' own descriptions allow, and the
 * peers, which must outlive the list. Plans are only for products with CSR and vectors; plans in
 * other formats are listed only where their kernels are asked for. */
void bench_variants_list(const bench_settings *settings, const bench_peer_set *peers,
                         const bench_kind *kind, const trial_operation *operation,
                         bench_variants *list);
void bench_variants_free(bench_variants *list);

/* Adds each variant once more, with a pool, on a GPU. */
void bench_variants_pool(bench_variants *list, tulle_backend backend);

/* Adds one variant: a kernel's specification, a rule's name ("" for the context's own), or a
 * peer. */
void bench_variants_add(bench_variants *list, trial_choice choice, const char *spec,
                        const bench_peer_found *peer);

/* Checks that every --kernel names a kernel of the backend; returns an exit code of the tool. */
int bench_check_kernels(tulle_ctx *ctx, const bench_settings *settings, tulle_backend backend);

#endif
