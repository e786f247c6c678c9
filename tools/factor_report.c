/* SPDX-License-Identifier: Apache-2.0 */
#include "factor_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "done.h"
#include "sparse_report.h"
#include "tools/common/names.h"
#include "tools/common/say.h"
#include "tools/common/table.h"

static void print_task(const tool_factor_summary *s) {
    const tulle_factor_options *o = &s->task.options;
    tool_say("  task      %s of A%s, ", o->kind == TULLE_CHOLESKY ? "L L'" : "L U",
             s->task.dominant ? ", whose diagonal was made dominant" : "");
    if (o->fill == TULLE_FILL_ALL) {
        tool_say("all fill");
    } else if (o->fill > 0) {
        tool_say("fill up to level %d", o->fill);
    } else {
        tool_say("no fill");
    }
    if (o->reads != TULLE_READS_ALL) {
        tool_say(", from the %s triangle", o->reads == TULLE_READS_LOWER ? "lower" : "upper");
    } else if (o->kind == TULLE_CHOLESKY) {
        tool_say(", from the lower triangle%s",
                 s->task.order == TOOL_ORDER_NONE ? "" : " in its order");
    }
    if (o->modified > 0) tool_say(", modified by %g", o->modified);
    if (o->shift != 0) tool_say(", the diagonal shifted by %g", o->shift);
    if (o->inverted) tool_say(", diagonal blocks inverted");
    tool_say("\n");
    if (s->task.kernel) tool_say("  kernel    %s\n", s->task.kernel);
}

static void print_format(const tool_factor_summary *s) {
    const tool_factor_result *r = &s->result;
    char bytes[TOOL_HUMAN], time[TOOL_HUMAN];
    if (r->info.format != TULLE_CSR) {
        tool_say("  format    %s, blocks of %" PRId64 " x %" PRId64 ", %s, made in %s\n",
                 tool_format_name(r->info.format), r->info.storage.block, r->info.storage.block,
                 tool_human_bytes((double)tool_matrix_bytes(&r->info), bytes),
                 tool_human_seconds(1e-3 * r->convert_ms, time));
    }
    if (r->order_ms > 0) {
        tool_say("  order     %s, in %s\n", tool_order_title(s->task.order),
                 tool_human_seconds(1e-3 * r->order_ms, time));
    }
}

static double ratio(const tulle_factor_info *f) {
    return f->nnz_a > 0 ? (double)(f->nnz_l + f->nnz_u) / (double)f->nnz_a : 0;
}

static void print_factors(const tulle_factor_info *f) {
    char l[TOOL_HUMAN], u[TOOL_HUMAN], bytes[TOOL_HUMAN];
    tool_say("  factors   L has %s", tool_human_count(f->nnz_l, l));
    if (f->kind == TULLE_LU) tool_say(" and U %s", tool_human_count(f->nnz_u, u));
    tool_say(" %s, %.3g times A's; %s, %s\n", f->block > 1 ? "blocks" : "entries", ratio(f),
             tool_type_name(f->type), tool_human_bytes((double)f->bytes, bytes));
    tool_say("  levels    %s, of %s rows\n", tool_human_count(f->levels, l),
             tool_human_count(f->rows, u));
}

static void print_calls(const tool_factor_summary *s, const char *what, const tool_timing *t) {
    char time[TOOL_HUMAN], low[TOOL_HUMAN], high[TOOL_HUMAN];
    if (!(t->ms > 0)) return;
    tool_say("  %s    %s (median of %" PRId64 "; deciles %s, %s)", what,
             tool_human_seconds(1e-3 * t->ms, time), s->task.repeat,
             tool_human_seconds(1e-3 * t->q10, low), tool_human_seconds(1e-3 * t->q90, high));
}

static void print_times(const tool_factor_summary *s) {
    const tool_factor_result *r = &s->result;
    char time[TOOL_HUMAN];
    tool_say("  analysis  %s\n", tool_human_seconds(1e-3 * r->factors.analysis_ms, time));
    tool_say("  first     %s\n", tool_human_seconds(1e-3 * r->first_ms, time));
    if (!(r->update.ms > 0)) return;
    print_calls(s, "values", &r->update);
    if (r->factors.flops > 0) tool_say(", %.3g Gflop/s", 1e-6 * r->factors.flops / r->update.ms);
    tool_say("\n");
    print_calls(s, "solve ", &r->solve);
    tool_say("\n");
}

static void print_pivots(const tool_factor_summary *s) {
    const tulle_factor_report *p = &s->result.pivots;
    char count[TOOL_HUMAN];
    if (p->tiny == 0) {
        tool_say("  pivots    none is tiny\n");
        return;
    }
    tool_say("  pivots    %s %s, the first in row %" PRId64 "\n", tool_human_count(p->tiny, count),
             s->task.options.boost ? "were tiny and became larger" : "tiny", p->tiny_row);
}

static void print_error(const tool_factor_summary *s) {
    const tool_entry_error *e = &s->result.error;
    if (!s->task.check) {
        tool_say("  error     not checked\n");
    } else if (e->fault) {
        tool_say("  error     WRONG; (L U)[%" PRId64 ", %" PRId64 "] %s\n", e->row, e->column,
                 e->fault);
    } else if (e->units <= 1) {
        tool_say("  error     %.3g of the bound: right\n", e->units);
    } else {
        tool_say("  error     %.3g of the bound: WRONG; (L U)[%" PRId64 ", %" PRId64
                 "]: its last product is %.17g, should be %.17g by the others\n",
                 e->units, e->row, e->column, e->got, e->want);
    }
}

static void print_half_read(const tool_factor_result *r) {
    if (!r->half_read) return;
    tool_say("  symmetry  A is not symmetric, and L L' knows its lower triangle alone\n");
}

static void print_quality(const tool_factor_summary *s) {
    const tool_factor_quality *q = &s->result.quality;
    if (!s->task.check) return;
    tool_say("  growth    (L U)^-1 A makes the numbers of a random vector %.3g times as large\n",
             q->growth);
    if (q->steps == 0) return;
    tool_say("  quality   a step of Richardson's iteration leaves %.3g of the residual%s\n",
             q->left, q->left < 1 ? "" : ": it grows");
}

static void print_written(const char *name, const tool_written *w) {
    char bytes[TOOL_HUMAN], time[TOOL_HUMAN];
    if (!w->path) return;
    tool_say("  written   %s: %s, %s in %s\n", name, w->path,
             tool_human_bytes((double)w->file_bytes, bytes), tool_human_seconds(w->seconds, time));
}

void tool_factor_print_line(const void *user) {
    const tool_factor_summary *s = user;
    const tulle_factor_info *f = &s->result.factors;
    char rows[TOOL_HUMAN], nnz[TOOL_HUMAN], levels[TOOL_HUMAN];
    tool_say("%s of A: %s rows, %s %s, %.3g times A's, in %s levels",
             f->kind == TULLE_CHOLESKY ? "L L'" : "L U", tool_human_count(f->rows, rows),
             tool_human_count(f->nnz_l + f->nnz_u, nnz), f->block > 1 ? "blocks" : "entries",
             ratio(f), tool_human_count(f->levels, levels));
    tool_say_done(s->result.first_ms, s->task.kernel, &s->device);
    if (s->result.pivots.tiny > 0) print_pivots(s);
    print_half_read(&s->result);
    print_written("L", &s->result.l);
    print_written("U", &s->result.u);
}

void tool_factor_print(const void *user) {
    const tool_factor_summary *summary = user;
    tool_operand_print(&summary->A);
    tool_sparse_print_place(&summary->device);
    print_task(summary);
    print_format(summary);
    print_factors(&summary->result.factors);
    print_pivots(summary);
    print_error(summary);
    print_quality(summary);
    print_half_read(&summary->result);
    print_written("L", &summary->result.l);
    print_written("U", &summary->result.u);
    print_times(summary);
}

static void add_task(cJSON *json, const tool_factor_summary *s) {
    static const char *const reads[] = {"all", "lower", "upper"};
    const tulle_factor_options *o = &s->task.options;
    tool_json_text(json, "op", "factor");
    tool_json_text(json, "type", tool_type_name(s->result.info.type));
    tool_operand_add(json, "a", &s->A);
    (void)tool_matrix_add(json, "factorised", &s->result.info);
    tool_json_text(json, "kind", o->kind == TULLE_CHOLESKY ? "cholesky" : "lu");
    if (o->fill == TULLE_FILL_ALL) {
        tool_json_text(json, "fill", "all");
    } else {
        tool_json_int(json, "fill", o->fill);
    }
    tool_json_text(json, "reads", reads[o->reads]);
    tool_json_text(json, "order", tool_order_name(s->task.order));
    tool_json_bool(json, "dominant", s->task.dominant);
    tool_json_real(json, "modified", o->modified);
    tool_json_real(json, "shift", o->shift);
    tool_json_real(json, "tiny", o->tiny);
    tool_json_bool(json, "boost", o->boost);
    tool_json_bool(json, "inverted", o->inverted);
    tool_json_text(json, "kernel", s->task.kernel);
    tool_sparse_add_place(json, &s->device);
}

static void add_factors(cJSON *json, const tool_factor_result *r) {
    const tulle_factor_info *f = &r->factors;
    cJSON *item = tool_json_child(json, "factors");
    tool_json_text(item, "type", tool_type_name(f->type));
    tool_json_int(item, "block", f->block);
    tool_json_int(item, "nnz_a", f->nnz_a);
    tool_json_int(item, "nnz_l", f->nnz_l);
    tool_json_int(item, "nnz_u", f->nnz_u);
    tool_json_real(item, "ratio", ratio(f));
    tool_json_int(item, "bytes", f->bytes);
    tool_json_int(item, "levels", f->levels);
    tool_json_real(item, "flops", f->flops);
    item = tool_json_child(json, "pivots");
    tool_json_int(item, "tiny", r->pivots.tiny);
    tool_json_int(item, "tiny_row", r->pivots.tiny_row);
    tool_json_int(item, "bad", r->pivots.bad);
    tool_json_int(item, "bad_row", r->pivots.bad_row);
}

static void add_error(cJSON *json, const tool_factor_summary *s) {
    const tool_entry_error *error = &s->result.error;
    if (!s->task.check) return;
    tool_json_real(json, "err", error->units);
    if (error->units <= 1) return;
    cJSON *item = tool_json_child(json, "wrong");
    tool_json_int(item, "row", error->row);
    tool_json_int(item, "column", error->column);
    tool_json_text(item, "fault", error->fault);
    tool_json_real(item, "got", error->got);
    tool_json_real(item, "want", error->want);
}

static void add_calls(cJSON *json, const char *key, const tool_timing *t) {
    if (!(t->ms > 0)) return;
    cJSON *item = tool_json_child(json, key);
    tool_json_real(item, "ms", t->ms);
    tool_json_real(item, "ms_q10", t->q10);
    tool_json_real(item, "ms_q90", t->q90);
}

void tool_factor_print_json(const void *user) {
    const tool_factor_summary *summary = user;
    const tool_factor_result *r = &summary->result;
    cJSON *json = tool_json_object();
    add_task(json, summary);
    add_factors(json, r);
    add_error(json, summary);
    if (summary->task.check) {
        tool_json_real(json, "growth", r->quality.growth);
        tool_json_real(json, "richardson", r->quality.left);
        tool_json_int(json, "richardson_steps", r->quality.steps);
    }
    if (r->l.path) tool_json_text(json, "file_l", r->l.path);
    if (r->u.path) tool_json_text(json, "file_u", r->u.path);
    tool_json_real(json, "convert_ms", r->convert_ms);
    tool_json_real(json, "order_ms", r->order_ms);
    tool_json_real(json, "analysis_ms", r->factors.analysis_ms);
    tool_json_real(json, "first_ms", r->first_ms);
    add_calls(json, "update", &r->update);
    add_calls(json, "solve", &r->solve);
    tool_json_report(json);
}
