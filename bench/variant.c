/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/error.h"
#include "tools/common/kernel_name.h"
#include "tools/common/suggest.h"
#include "trials/making.h"
#include "trials/op.h"
#include "tulle/advanced.h"

void bench_variants_add(bench_variants *list, trial_choice choice, const char *spec,
                        const bench_peer_found *peer) {
    if (list->count == list->room) {
        int room = list->room ? 2 * list->room : 32;
        bench_variant *item = tool_alloc((size_t)room, sizeof *item);
        if (list->count) memcpy(item, list->item, (size_t)list->count * sizeof *item);
        free(list->item);
        list->item = item;
        list->room = room;
    }
    bench_variant *next = &list->item[list->count++];
    *next = (bench_variant){.choice = choice, .peer = peer};
    snprintf(next->spec, sizeof next->spec, "%s", spec);
    const char *name = peer ? peer->peer->name : spec;
    snprintf(next->request, sizeof next->request, "%s%s%s", trial_choice_name(choice),
             name[0] ? " " : "", name);
}

/* A kernel that may run on one kind of problem. */
typedef struct candidate {
    tulle_backend backend;
    int number;
    tulle_kernel_info info;
    bool forced, planned; /* the kernel runs without a plan; the kernel gains from a plan */
} candidate;

static bool open_candidate(const bench_kind *kind, int number, candidate *c) {
    *c = (candidate){.backend = kind->backend, .number = number};
    if (tulle_kernel_describe(kind->backend, number, &c->info) != TULLE_OK) return false;
    tulle_format format = kind->layout->layout.format;
    bool transposed = kind->trans == TULLE_T;
    bool direct = transposed ? c->info.transposed : c->info.forward;
    bool block = trial_is_block(&kind->block), csr = format == TULLE_CSR;
    bool other = c->info.format != format;
    const bool by_block = csr || format == TULLE_BSR;
    const char *operation = block && by_block ? "spmm" : "spmv";
    c->forced = direct && !other && !c->info.needs_plan;
    c->planned = !block && csr && c->info.forward && (transposed || other || c->info.has_plan);
    return (!other || c->planned) && c->info.supports[kind->type][kind->index] &&
           strcmp(c->info.operation, operation) == 0;
}

static void add_spec(bench_variants *list, const candidate *c, const char *spec) {
    if (c->forced) bench_variants_add(list, TRIAL_FORCED, spec, NULL);
    if (c->planned) bench_variants_add(list, TRIAL_PLAN, spec, NULL);
}

/* Adds a variant for each combination of the values of parameter p and those after it, written
 * behind `spec`. */
static void add_sweep(bench_variants *list, const candidate *c, int p, const char *spec) {
    tulle_param_info param;
    if (p == c->info.param_count ||
        tulle_kernel_param(c->backend, c->number, p, &param) != TULLE_OK) {
        add_spec(list, c, spec);
        return;
    }
    for (int v = 0; v < param.value_count; v++) {
        char longer[BENCH_SPEC];
        int length = snprintf(longer, sizeof longer, "%s%c%s=%d", spec, p == 0 ? ':' : ',',
                              param.name, param.values[v]);
        if (length < BENCH_SPEC) add_sweep(list, c, p + 1, longer);
    }
}

static void add_asked(const bench_settings *settings, const candidate *c, bench_variants *list) {
    for (int k = 0; k < settings->kernels.count; k++) {
        const char *asked = settings->kernels.item[k];
        if (!tool_kernel_is(asked, &c->info)) continue;
        char spec[BENCH_SPEC];
        snprintf(spec, sizeof spec, "%s%s", c->info.name, asked + strcspn(asked, ":"));
        bool open = !strchr(spec, ':');
        if (settings->sweep && open) {
            add_sweep(list, c, 0, spec);
        } else {
            add_spec(list, c, spec);
        }
    }
}

static void add_kernel(const bench_settings *settings, const candidate *c, bench_variants *list) {
    if (settings->kernels.count) {
        add_asked(settings, c, list);
    } else if (settings->sweep) {
        add_sweep(list, c, 0, c->info.name);
    } else {
        add_spec(list, c, c->info.name);
    }
}

/* Returns whether any kernel gains from a plan, so that asking for a plan is worth a row. */
static bool plans_help(const bench_kind *kind) {
    candidate c;
    for (int i = 0; i < tulle_kernel_count(kind->backend); i++) {
        bool its_own = open_candidate(kind, i, &c) && c.info.format == kind->layout->layout.format;
        if (its_own && c.planned) return true;
    }
    return false;
}

/* Returns whether a kernel gets rows; one that needs a plan in another format gets them only where
 * the user asked for the kernel. */
static bool wanted(const bench_settings *settings, const bench_kind *kind, const candidate *c) {
    return settings->kernels.count > 0 || c->info.format == kind->layout->layout.format;
}

/* Adds " WORD TEXT" behind every request, where there is a text. */
static void name_more(bench_variants *list, const char *word, const char *text) {
    for (int i = 0; i < list->count && text[0]; i++) {
        char *request = list->item[i].request;
        size_t length = strlen(request);
        snprintf(request + length, BENCH_REQUEST - length, " %s %s", word, text);
    }
}

/* Adds the peers for CSR, or BSR, that multiply with the problem's vectors. */
static void add_peers(const bench_peer_set *peers, const bench_kind *kind, bench_variants *list) {
    const tulle_format format = kind->layout->layout.format;
    for (int i = 0; i < peers->count; i++) {
        const bench_peer *peer = peers->item[i].peer;
        bool multiplies = !peer->op && format == (peer->bsr ? TULLE_BSR : TULLE_CSR);
        if (multiplies && peer->blocks == trial_is_block(&kind->block)) {
            bench_variants_add(list, TRIAL_PEER, "", &peers->item[i]);
        }
    }
}

/* Returns whether what the library chooses by itself gets rows: unless kernels are named and no
 * choice is. */
static bool own_choice_is_asked(const bench_settings *settings) {
    return settings->kernels.count == 0 || settings->chosen != 0;
}

static void list_products(const bench_settings *settings, const bench_peer_set *peers,
                          const bench_kind *kind, bench_variants *list) {
    if (own_choice_is_asked(settings)) {
        bench_variants_add(list, TRIAL_RULE, "", NULL);
        if (plans_help(kind)) bench_variants_add(list, TRIAL_PLAN, "", NULL);
        if (kind->layout->layout.format == TULLE_CSR && !trial_is_block(&kind->block)) {
            bench_variants_add(list, TRIAL_OPTIMISE, "", NULL);
        }
    }
    for (int i = 0; i < tulle_kernel_count(kind->backend); i++) {
        candidate c;
        if (open_candidate(kind, i, &c) && wanted(settings, kind, &c)) {
            add_kernel(settings, &c, list);
        }
    }
    add_peers(peers, kind, list);
}

/* Adds the kernels of an operation other than products; the default kernel, where its name is
 * known, has no row of its own beside the rule's, unless the user asked for it. */
static void add_operation(const bench_settings *settings, const bench_kind *kind,
                          const char *operation, const char *own, bench_variants *list) {
    if (own_choice_is_asked(settings)) bench_variants_add(list, TRIAL_RULE, "", NULL);
    for (int i = 0; operation && i < tulle_kernel_count(kind->backend); i++) {
        candidate c = {.backend = kind->backend, .number = i, .forced = true};
        if (tulle_kernel_describe(kind->backend, i, &c.info) != TULLE_OK) continue;
        bool its = strcmp(c.info.operation, operation) == 0;
        bool known = !settings->kernels.count && strcmp(c.info.name, own) == 0;
        bool plain = known && !settings->sweep;
        if (its && !plain && c.info.supports[kind->type][kind->index]) {
            add_kernel(settings, &c, list);
        }
    }
}

static void add_peers_of(const bench_peer_set *peers, const char *operation, bench_variants *list) {
    for (int i = 0; i < peers->count; i++) {
        if (strcmp(bench_peer_op(peers->item[i].peer), operation) == 0) {
            bench_variants_add(list, TRIAL_PEER, "", &peers->item[i]);
        }
    }
}

/* Adds the options of a hierarchy to tulle's own requests. */
static void name_hierarchy(bench_variants *list, const char *options) {
    for (int i = 0; i < list->count; i++) {
        char *request = list->item[i].request;
        const size_t length = strlen(request);
        if (list->item[i].choice == TRIAL_PEER) continue;
        snprintf(request + length, BENCH_REQUEST - length, " with %s", options);
    }
}

/* Adds the names that tell requests for one operation apart. */
static void name_requests(const bench_settings *settings, const bench_kind *kind,
                          const trial_operation *operation, bench_variants *list) {
    char block[TRIAL_BLOCK_TEXT], fill[16] = "";
    if (settings->wish.fill > 0) snprintf(fill, sizeof fill, "%d", settings->wish.fill);
    name_more(list, "as", trial_operation_detail(operation, kind->detail));
    name_more(list, "with fill", fill);
    if (settings->hierarchy.text) name_hierarchy(list, settings->hierarchy.text);
    name_more(list, "in", kind->layout->text);
    name_more(list, "of", trial_block_text(&kind->block, block));
}

/* Leaves out the variants of choices that are not asked for. */
static void keep_chosen(unsigned chosen, bench_variants *list) {
    int kept = 0;
    for (int i = 0; chosen && i < list->count; i++) {
        if (chosen >> list->item[i].choice & 1) list->item[kept++] = list->item[i];
    }
    if (chosen) list->count = kept;
}

void bench_variants_list(const bench_settings *settings, const bench_peer_set *peers,
                         const bench_kind *kind, const trial_operation *operation,
                         bench_variants *list) {
    const trial_maker *makes = operation->makes;
    *list = (bench_variants){0};
    if (operation == &trial_operation_spmv) {
        list_products(settings, peers, kind, list);
    } else {
        add_operation(settings, kind, operation->kernels, kind->own, list);
        add_peers_of(peers, operation->name, list);
        name_more(list, "for", operation->name);
    }
    keep_chosen(settings->chosen, list);
    if (makes) {
        const char *second = settings->second ? settings->second : makes->other;
        name_more(list, "with", second ? second : "");
        name_more(list, "in", operation->in_blocks ? kind->layout->text : "");
        bench_variants_pool(list, kind->backend);
    } else {
        name_requests(settings, kind, operation, list);
    }
}

/* Adds each variant once more, with a pool, on a GPU. A context on a CPU is measured with the few
 * blocks that it keeps, and times on the emulator mean nothing, so nothing is added there. */
void bench_variants_pool(bench_variants *list, tulle_backend backend) {
    int count = list->count;
    for (int i = 0; backend == TULLE_CUDA && i < count; i++) {
        bench_variant again = list->item[i];
        bench_variants_add(list, again.choice, again.spec, again.peer);
        bench_variant *pooled = &list->item[list->count - 1];
        *pooled = again;
        pooled->pooled = true;
        snprintf(pooled->request, BENCH_REQUEST, "%.*s, pooled", BENCH_REQUEST - 9, again.request);
    }
}

void bench_variants_free(bench_variants *list) {
    free(list->item);
    *list = (bench_variants){0};
}

static int no_kernel(const char *asked, tulle_backend backend) {
    char name[BENCH_SPEC];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(asked, ":"), asked);
    tool_suggestions close = tool_suggest(name);
    for (int i = 0; i < tulle_kernel_count(backend); i++) {
        tulle_kernel_info info;
        if (tulle_kernel_describe(backend, i, &info) != TULLE_OK) continue;
        tool_suggest_offer(&close, info.name);
    }
    return tool_misuse("bench", "--kernel: there is no kernel '%s' on this place%s", name,
                       tool_suggest_text(&close));
}

int bench_check_kernels(tulle_ctx *ctx, const bench_settings *settings, tulle_backend backend) {
    for (int k = 0; k < settings->kernels.count; k++) {
        const char *asked = settings->kernels.item[k];
        char spec[BENCH_SPEC];
        const trial_operation *operation = trial_operation_of(settings->op);
        if (!operation->kernels) {
            return tool_misuse("bench", "--kernel: --op %s has no kernels to choose from",
                               operation->name);
        }
        if (!tool_kernel_spec(backend, operation->kernels, asked, spec)) {
            return no_kernel(asked, backend);
        }
        if (tulle_ctx_force_kernel(ctx, spec) != TULLE_OK) {
            return tool_misuse("bench", "--kernel: %s", tool_error_line());
        }
    }
    return tulle_ctx_force_kernel(ctx, NULL) == TULLE_OK ? TOOL_OK : TOOL_FAILED;
}
