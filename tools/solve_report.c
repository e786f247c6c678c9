/* SPDX-License-Identifier: Apache-2.0 */
#include "solve_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sparse_report.h"
#include "tools/common/names.h"
#include "tools/common/table.h"

double tool_solve_iteration_ms(const tool_solve_summary *s) {
    const tulle_solve_report *r = &s->result.report;
    return r->iterations > 0 ? r->solve_ms / (double)r->iterations : 0;
}

static double share_of_b(const tool_solve_summary *s, double norm) {
    return norm == 0 ? 0 : norm / s->result.b_norm;
}

double tool_solve_relative(const tool_solve_summary *s) {
    return share_of_b(s, s->result.residual);
}

double tool_solve_wanted(const tool_solve_summary *s) {
    const bool other = s->task.precond.kind != TOOL_NO_PRECOND &&
                       s->task.options.norm == TULLE_PRECONDITIONED_NORM;
    return other ? (double)NAN : share_of_b(s, s->result.report.limit);
}

static void print_system(const tool_solve_summary *s) {
    const tool_solve_task *t = &s->task;
    printf("  system    A%s x = b, b ", t->op == TULLE_T ? "'" : "");
    if (strcmp(t->b, "ones") == 0) {
        printf("all ones");
    } else if (strcmp(t->b, "random") == 0) {
        printf("random with seed %" PRIu64, t->seed);
    } else {
        printf("from %s", t->b);
    }
    if (t->guess) printf(", x from %s", t->guess);
    if (t->options.constant_null_space) printf(", without their constant parts");
    printf("\n");
}

static void print_format(const tool_solve_summary *s) {
    const tulle_mat_info *info = &s->result.info;
    char bytes[TOOL_HUMAN], time[TOOL_HUMAN];
    if (info->format == TULLE_CSR) return;
    printf("  format    %s", tool_format_name(info->format));
    if (info->format == TULLE_BSR) {
        printf(", blocks of %" PRId64 " x %" PRId64, info->storage.block, info->storage.block);
    }
    printf(", %s, made in %s\n", tool_human_bytes((double)tool_matrix_bytes(info), bytes),
           tool_human_seconds(1e-3 * s->result.convert_ms, time));
}

static void print_method(const tool_solve_summary *s) {
    const tulle_solve_options *o = &s->task.options;
    printf("  method    %s", tulle_method_name(o->method));
    if (o->method == TULLE_GMRES && o->restart > 0) {
        printf(", begun anew every %d iterations", o->restart);
    }
    printf("\n");
}

static void print_precond(const tool_solve_summary *s) {
    const tulle_factor_info *f = &s->result.factors;
    const char *title = tool_precond_title(s->task.precond.kind);
    char name[TOOL_PRECOND_NAME], entries[TOOL_HUMAN], levels[TOOL_HUMAN];
    printf("  precond   %s", tool_precond_name(s->task.precond, name));
    if (title) printf(", %s", title);
    if (f->rows > 0) {
        printf(" of %s %s in %s levels", tool_human_count(f->nnz_l + f->nnz_u, entries),
               f->block > 1 ? "blocks" : "entries", tool_human_count(f->levels, levels));
    }
    printf("\n");
}

static void print_times(const tool_solve_summary *s) {
    const tool_solve_result *r = &s->result;
    char all[TOOL_HUMAN], one[TOOL_HUMAN], precond[TOOL_HUMAN], count[TOOL_HUMAN];
    printf("  setup     %s",
           tool_human_seconds(1e-3 * (r->precond_ms + r->create_ms + r->report.setup_ms), all));
    if (s->task.precond.kind != TOOL_NO_PRECOND) {
        printf(", of which the preconditioner took %s",
               tool_human_seconds(1e-3 * r->precond_ms, precond));
    }
    printf("\n");
    printf("  solve     %s: %s iterations of %s\n",
           tool_human_seconds(1e-3 * r->report.solve_ms, all),
           tool_human_count(r->report.iterations, count),
           tool_human_seconds(1e-3 * tool_solve_iteration_ms(s), one));
}

static void print_outcome(const tool_solve_summary *s) {
    const tulle_outcome outcome = s->result.report.outcome;
    printf("  outcome   %s", tulle_outcome_name(outcome));
    if (outcome != TULLE_CONVERGED) printf(", %s", tulle_outcome_text(outcome));
    printf("\n");
}

static void print_residual(const tool_solve_summary *s) {
    const tool_solve_result *r = &s->result;
    const double wanted = tool_solve_wanted(s);
    printf("  residual  |b - A%s x| / |b| is %.3g, computed in long double",
           s->task.op == TULLE_T ? "'" : "", tool_solve_relative(s));
    if (isfinite(wanted)) printf("; %.3g was wanted", wanted);
    if (r->report.outcome == TULLE_CONVERGED) printf(": %s", r->right ? "right" : "WRONG");
    printf("\n");
}

void tool_solve_print(const tool_solve_summary *summary) {
    tool_operand_print(&summary->A);
    tool_sparse_print_place(&summary->device);
    print_system(summary);
    print_format(summary);
    print_method(summary);
    print_precond(summary);
    print_times(summary);
    print_outcome(summary);
    print_residual(summary);
    if (summary->task.output) printf("  written   %s\n", summary->task.output);
}
