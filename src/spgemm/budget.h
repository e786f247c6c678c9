/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a call that makes sparse products: what the call may need, what it has needed, and
 * what the context's cap has refused it. The files that run a call say here what has happened
 * (operands have been brought, entries have been counted), and get from here what they report;
 * budget.c and refusals.c alone count bytes, and alone use the fields of tulle__spgemm_budget. All
 * memory is that of the context's pool. */
#ifndef TULLE_SPGEMM_BUDGET_H
#define TULLE_SPGEMM_BUDGET_H

#include "algebra/plus.h"
#include "spgemm/spgemm.h"
#include "tulle/spgemm.h"

/* The state of a call, defined in product.h. */
typedef struct tulle__spgemm_run tulle__spgemm_run;

/* Memory of a context before and during a call. */
typedef struct tulle__spgemm_measure {
    size_t before, kept; /* bytes in use, and kept unused in the pool, before the call */
    size_t high;         /* largest bytes in use before the call */
    size_t peak;         /* largest bytes that the call has had in use; set by measure_close */
} tulle__spgemm_measure;

/* Begin and end the measurement of a call: memory in use at its beginning is not the call's. */
void tulle__spgemm_measure_open(tulle_ctx *ctx, tulle__spgemm_measure *measure);
void tulle__spgemm_measure_close(tulle_ctx *ctx, tulle__spgemm_measure *measure);

typedef struct tulle__spgemm_budget {
    tulle__spgemm_measure call; /* memory of the whole call */
    size_t stage_use;           /* bytes in use before the stage or the sum at hand */
    size_t stage_kept;     /* bytes kept unused in the pool before the stage or the sum at hand */
    size_t operands;       /* bytes in use when the stage's operands had been brought */
    size_t high;           /* largest bytes in use until the stage's operands had been brought */
    double bound;          /* bound of the bytes that the call has needed so far */
    double predicted;      /* part of `bound` that was left when C's entries had been counted */
    size_t at_counted;     /* bytes in use that the kernel may come to, as known when it had counted
                              the entries of C */
    size_t c_blocks;       /* bytes of C's arrays, with the excess of their blocks */
    size_t later;          /* bytes of the largest scratch that a counted piece asks for when C is
                              there */
    double stage_suffices; /* bytes of a cap that surely suffices for the stage at hand; 0: none is
                              known */
    double call_suffices;  /* bytes of a cap that surely suffices for a call that is made in groups;
                              0: none is known */
    bool refused;          /* true when the cap has refused memory to the stage at hand, or to the
                              smallest piece or group */
    bool lean;             /* true when kernels are to use no scratch that only saves time */
} tulle__spgemm_budget;

/* Do tulle__spgemm_measure_open and _close for a run. */
void tulle__spgemm_budget_open(tulle__spgemm_run *run);
void tulle__spgemm_budget_close(tulle__spgemm_run *run);

/* Fills bound_bytes, predicted_bytes and peak_bytes of the report of a measured call. */
void tulle__spgemm_budget_report(const tulle__spgemm_run *run, tulle_spgemm_report *report);

/* Returns the bound of the bytes that a call needs, at most what the cap leaves; known: false when
 * the cap did not leave the memory for the analysis, so that what it leaves is the bound. */
int64_t tulle__spgemm_budget_bound(const tulle__spgemm_run *run, bool known);

/* Begins a stage, or a sum with D. */
void tulle__spgemm_budget_begin(tulle__spgemm_run *run);

/* Notes that the operands of the stage have been brought. */
void tulle__spgemm_budget_brought(tulle__spgemm_run *run);

/* Prepares the run's task for a kernel, and forgets the kernel that was tried before. */
void tulle__spgemm_budget_prepare(tulle__spgemm_run *run);

/* Notes that the kernel has set the task's multiplications and bound_bytes in its analysis. */
void tulle__spgemm_budget_analysed(tulle__spgemm_run *run);

/* Notes that the kernel has counted nnz entries of C, which gets memory next. */
void tulle__spgemm_budget_counted(tulle__spgemm_run *run, int64_t nnz);

/* Bounds the bytes of a stage whose product has been made, or analysed for a forecast, for which
 * task.c has the index type that C may have. */
void tulle__spgemm_budget_bound_stage(tulle__spgemm_run *run);

/* Bounds the bytes of the sum of the last product and D: of one that has been made; and of one
 * that is foreseen, which may find no block that fits in the memory that the product leaves in the
 * pool. */
void tulle__spgemm_budget_bound_sum(tulle__spgemm_run *run, const tulle__plus *sum);
void tulle__spgemm_budget_foresee_sum(tulle__spgemm_run *run, const tulle__plus *sum);

/* Begin and end a product in pieces (cap/pieces.c), whose bound is the cap. */
void tulle__spgemm_budget_begin_pieces(tulle__spgemm_run *run);
void tulle__spgemm_budget_end_pieces(tulle__spgemm_run *run);

/* Notes that a kernel has counted the entries of a piece. */
void tulle__spgemm_budget_piece_counted(tulle__spgemm_run *run);

/* Learns which cap suffices for the product, once its nnz entries have been counted: of the whole
 * product at once, by a kernel that was then refused memory; or of all pieces. */
void tulle__spgemm_budget_whole_counted(tulle__spgemm_run *run, int64_t nnz);
void tulle__spgemm_budget_pieces_counted(tulle__spgemm_run *run, int64_t nnz);

/* Begins a call in groups of C's rows (cap/groups.c), whose bound is the cap. */
void tulle__spgemm_budget_begin_groups(tulle__spgemm_run *run);

/* Learns which cap suffices for the call, once the groups' nnz entries of all rows of C have been
 * counted. */
void tulle__spgemm_budget_groups_counted(tulle__spgemm_run *run, int64_t rows, int64_t nnz);

/* Forgets what the cap has refused until now. */
void tulle__spgemm_watch_cap(tulle__spgemm_run *run);

/* Returns true when `status` is that of a request that the cap has refused since
 * tulle__spgemm_watch_cap. */
bool tulle__spgemm_cap_refused(tulle__spgemm_run *run, tulle_status status);

/* Says that the cap has refused memory to the stage at hand, or that it has not; and returns what
 * was said last. */
void tulle__spgemm_set_refused(tulle__spgemm_run *run, bool refused);
bool tulle__spgemm_is_refused(const tulle__spgemm_run *run);

/* Returns true when a call failed with `status` because the cap refused it memory. */
bool tulle__spgemm_stopped_by_cap(const tulle__spgemm_run *run, tulle_status status);

/* Returns true, after an attempt, when the cap stopped it, so that it may be tried once more;
 * *status is then that of giving back the pool's kept blocks. */
bool tulle__spgemm_was_refused(tulle__spgemm_run *run, tulle_status *status);

/* Frees the blocks that attempts have left in the pool, so that a smaller one gets blocks of its
 * own sizes. */
tulle_status tulle__spgemm_drop_kept(tulle__spgemm_run *run);

/* Fail a run whose smallest piece, or group, does not fit below the cap; the message tells a cap
 * that suffices, if one is known. what: names the piece, by its number `number`. */
tulle_status tulle__spgemm_piece_too_large(tulle__spgemm_run *run, const char *what,
                                           int64_t number);
tulle_status tulle__spgemm_group_too_large(tulle__spgemm_run *run, const char *what,
                                           int64_t number);

#endif
