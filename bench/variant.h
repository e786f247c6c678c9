/* SPDX-License-Identifier: Apache-2.0 */
/* What is measured on one problem: the library's own choice, each kernel, each plan, each peer. */
#ifndef BENCH_VARIANT_H
#define BENCH_VARIANT_H

#include "bench/layouts.h"
#include "bench/peers.h"
#include "bench/settings.h"
#include "tools/common/kernel_name.h"

/* Who chose the kernel. */
typedef enum bench_choice {
    BENCH_RULE,
    BENCH_PLAN,
    BENCH_OPTIMISE,
    BENCH_FORCED,
    BENCH_PEER
} bench_choice;

const char *bench_choice_name(bench_choice choice); /* "rule" */

enum { BENCH_SPEC = TOOL_KERNEL_SPEC, BENCH_REQUEST = 192 };

typedef struct bench_variant {
    bench_choice choice;
    char spec[BENCH_SPEC]; /* a kernel's; BENCH_RULE: a rule's; "" for the context's own rule, and
                              for the plan of its kernel */
    const bench_peer_found *peer;
    bool pooled;                 /* of what makes matrices: memory comes from a pool */
    char request[BENCH_REQUEST]; /* a name for all of this: "forced spmv_csr" */
} bench_variant;

typedef struct bench_variants {
    bench_variant *item;
    int count, room;
} bench_variants;

/* What variants are for. */
typedef struct bench_kind {
    tulle_backend backend;
    tulle_type type;
    tulle_index index;
    tulle_trans trans;
    bench_block block;
    const bench_layout *layout;
} bench_kind;

/* All that the settings ask for and the kernels' own descriptions allow; plans with CSR and vectors
 * only, in other formats where their kernels are asked for; peers with CSR. The peers must outlive
 * the list. */
void bench_variants_list(const bench_settings *settings, const bench_peer_set *peers,
                         const bench_kind *kind, bench_variants *list);
void bench_variants_free(bench_variants *list);

/* The same for an operation that makes a matrix, whose default is the kernel `own` ("": it has no
 * kernels): the default and each other kernel, then the peers; and bench_variants_pool of that. */
void bench_variants_make(const bench_settings *settings, const bench_peer_set *peers,
                         const bench_kind *kind, const bench_maker *maker, const char *own,
                         bench_variants *list);

/* The same for an action, with each kernel, since which one is the default nobody says. */
void bench_variants_act(const bench_settings *settings, const bench_peer_set *peers,
                        const bench_kind *kind, const bench_actor *actor, int detail,
                        bench_variants *list);

/* Where the place keeps memory, each of them once more, with a pool. */
void bench_variants_pool(bench_variants *list, tulle_backend backend);

/* One more: a kernel's specification, a rule's name ("" for the context's own), or a peer. */
void bench_variants_add(bench_variants *list, bench_choice choice, const char *spec,
                        const bench_peer_found *peer);

/* Whether every --kernel names a kernel of the backend; an exit code of the tool. */
int bench_check_kernels(tulle_ctx *ctx, const bench_settings *settings, tulle_backend backend);

#endif
