/* SPDX-License-Identifier: Apache-2.0 */
/* Compares L U with A', entry by entry of the pattern. */
#include <float.h>
#include <omp.h>
#include <stdlib.h>

#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tools/common/verify_factor_parts.h"

/* A number of a row in the making: A' less the products with earlier rows, the sum of the
 * magnitudes of these products, and the number of rows that they come from. */
typedef struct number {
    long double rest, mass;
    int64_t rows;
} number;

/* Workspace of one thread. `where` holds for each column the place of its block in the row, plus
 * one; 0: the row has no such block. */
typedef struct scratch {
    int64_t *where;
    /* numbers of the row's blocks; numbers of a block that collects all products without a block */
    number *numbers, *dropped;
    tool_entry_error worst; /* the worst error outside of diagonal blocks that are off */
    tool_entry_error off;   /* the worst error in diagonal blocks that are off */
    int64_t off_count;
} scratch;

/* The row that is checked: `lower` blocks of L before the diagonal, then those of U from the
 * diagonal on; for L L^T, the diagonal block alone. */
typedef struct row {
    const tool_factored *f;
    scratch *s;
    int64_t i, lower, length;
} row;

static int64_t column_at(const row *r, int64_t at) {
    return at < r->lower ? tool_csr_column(r->f->l, tool_csr_offset(r->f->l, r->i) + at)
                         : tool_csr_column(r->f->u, tool_csr_offset(r->f->u, r->i) + at - r->lower);
}

/* Returns number q of the block at a place of the row. */
static long double value_at(const row *r, int64_t at, int64_t q) {
    const int64_t cells = (int64_t)r->f->claim->block * r->f->claim->block;
    return at < r->lower
               ? tool_csr_value(r->f->l, (tool_csr_offset(r->f->l, r->i) + at) * cells + q)
               : tool_csr_value(r->f->u,
                                (tool_csr_offset(r->f->u, r->i) + at - r->lower) * cells + q);
}

static row open_row(const tool_factored *f, scratch *s, int64_t i) {
    const int64_t cells = (int64_t)f->claim->block * f->claim->block;
    row r = {.f = f, .s = s, .i = i};
    r.lower = tool_csr_offset(f->l, i + 1) - tool_csr_offset(f->l, i) - 1;
    r.length = r.lower + 1;
    if (!f->symmetric) r.length = r.lower + tool_csr_offset(f->u, i + 1) - tool_csr_offset(f->u, i);
    for (int64_t at = 0; at < r.length; at++) s->where[column_at(&r, at)] = at + 1;
    for (int64_t q = 0; q < r.length * cells; q++) s->numbers[q] = (number){0, 0, 0};
    for (int64_t q = 0; q < cells; q++) s->dropped[q] = (number){0, 0, 0};
    return r;
}

static void close_row(const row *r) {
    for (int64_t at = 0; at < r->length; at++) r->s->where[column_at(r, at)] = 0;
}

static void take_matrix(const row *r) {
    const int64_t b = r->f->claim->block;
    const tool_csr *a = &r->f->a;
    const long double shifted = 1 + (long double)r->f->claim->options->shift;
    for (int64_t i = r->i * b; i < (r->i + 1) * b; i++) {
        for (int64_t e = tool_csr_offset(a, i); e < tool_csr_offset(a, i + 1); e++) {
            const int64_t j = tool_csr_column(a, e), at = r->s->where[j / b] - 1;
            const long double value = tool_csr_value(a, e);
            const bool shifts = i == j && i < r->f->claim->A->rows;
            r->s->numbers[(at * b + i % b) * b + j % b].rest += shifts ? value * shifted : value;
        }
    }
}

/* Subtracts L_ik U_kj from a block's numbers. */
static void take_product(const row *r, int64_t lower, int64_t entry, number *to) {
    const int b = r->f->claim->block;
    for (int q = 0; q < b * b; q++) {
        for (int m = 0; m < b; m++) {
            const long double u = tool_csr_value(r->f->u, (entry * b + m) * b + q % b);
            const long double product = value_at(r, lower, (int64_t)(q / b) * b + m) * u;
            to[q].rest -= product;
            to[q].mass += fabsl(product);
        }
        to[q].rows += b;
    }
}

static void take_rows(const row *r) {
    const tool_csr *u = r->f->u;
    const int64_t cells = (int64_t)r->f->claim->block * r->f->claim->block;
    for (int64_t at = 0; at < r->lower; at++) {
        const int64_t k = column_at(r, at);
        for (int64_t e = tool_behind_diagonal(r->f, k); e < tool_csr_offset(u, k + 1); e++) {
            const int64_t j = tool_csr_column(u, e), to = r->s->where[j];
            if (r->f->symmetric && j > r->i) break;
            if (to == 0 && r->f->claim->options->modified == 0) continue;
            take_product(r, at, e, to > 0 ? r->s->numbers + (to - 1) * cells : r->s->dropped);
        }
    }
}

/* Adds to the diagonal the products that modified factors drop, times their share. */
static void take_dropped(const row *r, tulle_type type) {
    const int64_t cells = (int64_t)r->f->claim->block * r->f->claim->block;
    const long double share = tool_rounded(type, r->f->claim->options->modified);
    number *diagonal = r->s->numbers + r->lower * cells;
    for (int64_t q = 0; q < cells && share > 0; q++) {
        diagonal[q].rest += share * r->s->dropped[q].rest;
        diagonal[q].mass += share * r->s->dropped[q].mass;
        diagonal[q].rows += r->s->dropped[q].rows;
    }
}

/* Returns the part that the row's own block has in number q of block `at`: L_ij U_jj, or U_ij;
 * *size is the magnitude by which its error is judged. */
static long double own_part(const row *r, int64_t at, int64_t q, long double *size) {
    const tool_factored *f = r->f;
    const int64_t b = f->claim->block, j = column_at(r, at), d = tool_csr_offset(f->u, j) * b * b;
    long double sum = 0;
    *size = 0;
    if (at >= r->lower && !f->symmetric) {
        sum = value_at(r, at, q);
        *size = at == r->lower && b > 1 ? (long double)b * f->largest[j] : fabsl(sum);
        return sum;
    }
    for (int64_t m = 0; m < b; m++) {
        const long double l = value_at(r, at, q / b * b + m);
        const long double product = l * tool_csr_value(f->u, d + m * b + q % b);
        sum += product;
        *size += b > 1 ? fabsl(l) * (long double)b * f->largest[j] : fabsl(product);
    }
    return sum;
}

/* Returns true if the number q of block `at` should be finite, by the magnitudes of the numbers
 * that it is computed from. */
static bool should_be_finite(const row *r, int64_t at, int64_t q, long double most) {
    const int64_t b = r->f->claim->block;
    const number *first = r->s->numbers + at * b * b + q / b * b;
    long double sum = 0;
    for (int64_t c = 0; c < b; c++) sum += fabsl(first[c].rest) + first[c].mass;
    if (at < r->lower) sum *= fmaxl(1, r->f->inverse[column_at(r, at)]);
    return sum * (long double)(b * b) < most / 2;
}

/* Returns the number of roundings of A' itself: its diagonal may be shifted, and its numbers may
 * become narrower. */
static int64_t rounded(const tool_factor_claim *c) {
    return (c->options->shift != 0 ? 2 : 0) + (c->A->type != c->L->type);
}

static double units_of(const row *r, int64_t at, int64_t q, long double *got) {
    const tool_factored *f = r->f;
    const int64_t b = f->claim->block;
    const bool narrow = f->l->type == TULLE_F32, below = at < r->lower;
    const long double unit = narrow ? FLT_EPSILON / 2.0L : DBL_EPSILON / 2.0L;
    const long double least = narrow ? FLT_TRUE_MIN : DBL_TRUE_MIN;
    const number *n = r->s->numbers + at * b * b + q;
    long double size;
    *got = own_part(r, at, q, &size);
    if (below && !isfinite(f->largest[column_at(r, at)])) return 0;
    if (!isfinite(*got)) {
        return should_be_finite(r, at, q, narrow ? FLT_MAX : DBL_MAX) ? (double)INFINITY : 0;
    }
    const long double mass = n->mass + size;
    if (!isfinite(n->rest) || !isfinite(mass)) return 0;
    const int64_t inside = b > 1 && at <= r->lower ? b : 0;
    const long double m = (long double)((b > 1 ? 2 : 1) * (n->rows + inside) + rounded(f->claim));
    const long double of = (m + 2) * unit, divided = below ? f->largest[column_at(r, at)] : 0;
    const long double condition = f->claim->options->inverted ? f->condition : 1;
    const long double bound = of / (1 - of) * mass * condition + (m + 2) * least * (1 + divided);
    return (double)(fabsl(n->rest - *got) / bound);
}

static bool is_worse(const tool_entry_error *here, const tool_entry_error *than) {
    return here->row >= 0 && (than->row < 0 || here->units > than->units ||
                              (here->units == than->units && here->row < than->row));
}

static void judge(const row *r, int64_t at) {
    const int64_t b = r->f->claim->block;
    tool_entry_error worst = tool_entry_right();
    for (int64_t q = 0; q < b * b; q++) {
        long double got;
        tool_entry_error here = {.row = r->i * b + q / b, .column = column_at(r, at) * b + q % b};
        here.units = units_of(r, at, q, &got);
        here.got = (double)got;
        here.want = (double)(r->s->numbers[at * b * b + q].rest);
        if (is_worse(&here, &worst)) worst = here;
    }
    const bool off = at == r->lower && !(worst.units <= 1);
    tool_entry_error *to = off ? &r->s->off : &r->s->worst;
    r->s->off_count += off;
    if (is_worse(&worst, to)) *to = worst;
}

static void check_row(const tool_factored *f, scratch *s, int64_t i) {
    const row r = open_row(f, s, i);
    take_matrix(&r);
    take_rows(&r);
    take_dropped(&r, f->l->type);
    for (int64_t at = 0; at < r.length; at++) judge(&r, at);
    close_row(&r);
}

static int64_t longest_row(const tool_factored *f) {
    int64_t longest = 0;
    for (int64_t i = 0; i < f->blocks; i++) {
        int64_t length = tool_csr_offset(f->l, i + 1) - tool_csr_offset(f->l, i) +
                         tool_csr_offset(f->u, i + 1) - tool_csr_offset(f->u, i);
        if (length > longest) longest = length;
    }
    return longest;
}

static scratch *open_scratch(const tool_factored *f, int threads) {
    const size_t cells = (size_t)f->claim->block * (size_t)f->claim->block;
    const size_t longest = (size_t)longest_row(f);
    scratch *all = tool_alloc((size_t)threads, sizeof *all);
    for (int t = 0; t < threads; t++) {
        all[t] = (scratch){.worst = tool_entry_right(), .off = tool_entry_right()};
        all[t].where = tool_alloc((size_t)f->blocks + 1, sizeof(int64_t));
        all[t].numbers = tool_alloc((longest + 1) * cells, sizeof(number));
        all[t].dropped = tool_alloc(cells, sizeof(number));
    }
    return all;
}

/* Returns the worst error that any thread found, and frees the workspaces. */
static tool_entry_error close_scratch(scratch *all, int threads, int64_t boosted) {
    tool_entry_error worst = tool_entry_right(), off = tool_entry_right();
    int64_t count = 0;
    for (int t = 0; t < threads; t++) {
        if (is_worse(&all[t].worst, &worst)) worst = all[t].worst;
        if (is_worse(&all[t].off, &off)) off = all[t].off;
        count += all[t].off_count;
        free(all[t].where);
        free(all[t].numbers);
        free(all[t].dropped);
    }
    free(all);
    return count > boosted && is_worse(&off, &worst) ? off : worst;
}

tulle_status tool_factor_numbers(const tool_factored *f, tool_entry_error *found) {
    /* number of products between two looks at the interrupt key */
    static const double enough = 1 << 24;
    const int threads = omp_get_max_threads();
    scratch *all = open_scratch(f, threads);
    const double rows = (double)f->blocks * enough / (f->products + 1);
    const int64_t at_once = rows < 1 << 20 ? 1 + (int64_t)rows : 1 << 20;
    bool stop = false;
    for (int64_t from = 0; from < f->blocks && !stop; from += at_once) {
        const int64_t to = f->blocks - from < at_once ? f->blocks : from + at_once;
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
        for (int64_t i = from; i < to; i++) check_row(f, &all[omp_get_thread_num()], i);
        stop = tool_progress(NULL, "checking", to, f->blocks);
    }
    *found = close_scratch(all, threads, f->claim->boosted);
    return stop ? TULLE_CANCELLED : TULLE_OK;
}
