/* SPDX-License-Identifier: Apache-2.0 */
/* Restarted GMRES. A vector of the basis is made orthogonal to those before it by the classical
 * Gram-Schmidt method, twice where once is not enough (orthogonal.h): twice is as good as it gets
 * in floating point (L. Giraud, J. Langou, M. Rozloznik and J. van den Eshof 2005).
 *
 * FGMRES (Y. Saad, "A flexible inner-outer preconditioned GMRES algorithm", 1993) keeps the vector
 * that M made of each v in a basis Z, so that A Z = V H with whatever M an iteration had, and
 * corrects x by Z y. GMRES corrects x by M V y, which is Z y only if M has stayed the same. */
#include "solver/solver.h"

/* Numbers of the first own vectors, if there is an M: M x between A and M, and the sum V y
 * before M takes it. */
enum { HAT = TULLE__OWN, CORRECTION };

/* True when there is a basis of preconditioned vectors. */
static bool is_flexible(const tulle_solver *S) {
    return S->method == &tulle__fgmres && tulle__has_M(S);
}

/* Returns the index of the vector that keeps the best x with which a cycle has begun. It is needed
 * where A is nearly singular: rounding can turn a correction into one that enlarges the residual.
 */
static int kept(const tulle_solver *S) {
    return tulle__has_M(S) && !is_flexible(S) ? CORRECTION + 1 : TULLE__OWN;
}

static int vectors(const tulle_solver *S) {
    return kept(S) + 1 - TULLE__OWN;
}

static int phases(const tulle_solver *S) {
    return S->options.restart;
}

/* Returns a view of columns first to first + count - 1 of a basis. */
static tulle_vec columns_of(const tulle_solver *S, void *basis, int first, int count) {
    const int64_t at = first * S->length * tulle_type_size(S->type);
    return (tulle_vec){.ctx = S->ctx,
                       .rows = S->n,
                       .cols = count,
                       .ld = S->length,
                       .type = S->type,
                       .layout = TULLE_COLUMN_MAJOR,
                       .data = (char *)basis + at};
}

static tulle_vec columns(const tulle_solver *S, int first, int count) {
    return columns_of(S, S->basis.V, first, count);
}

/* Returns a view of vector i of the bases of all right-hand sides, each basis with room for
 * `vectors` vectors. */
static tulle_vec vector_of(const tulle_solver *S, void *basis, int vectors, int i) {
    tulle_vec vector = columns_of(S, basis, i, S->columns);
    if (S->columns > 1) vector.ld = vectors * S->length;
    return vector;
}

static tulle_vec small(const tulle_solver *S, const void *numbers, int count) {
    return (tulle_vec){.ctx = S->ctx,
                       .rows = count,
                       .cols = 1,
                       .ld = count,
                       .type = S->type,
                       .layout = TULLE_COLUMN_MAJOR,
                       .data = (void *)numbers};
}

/* Arrays of the small problem, each of which begins at a whole line. */
enum { LINE = 256, ARRAYS = 11 };

static size_t small_bytes(const tulle_solver *S) {
    const size_t most = (size_t)S->options.restart;
    const size_t pieces = (size_t)tulle__orthogonal_pieces(S->n) + 1;
    const size_t numbers = most * most + 6 * most + 5 + 2 * (most + 1) * pieces;
    return numbers * sizeof(double) + ARRAYS * (size_t)LINE;
}

static void *part(char **next, size_t bytes) {
    void *here = *next;
    *next += (bytes + LINE - 1) / LINE * LINE;
    return here;
}

static void lay_out(tulle_solver *S) {
    const size_t most = (size_t)S->options.restart, type = (size_t)tulle_type_size(S->type);
    char *next = S->basis.small;
    tulle__column *c = &S->basis.column;
    c->R = part(&next, most * most * sizeof *c->R);
    c->cosines = part(&next, most * sizeof *c->cosines);
    c->sines = part(&next, most * sizeof *c->sines);
    c->g = part(&next, (most + 1) * sizeof *c->g);
    c->first = part(&next, (most + 1) * type);
    c->again = part(&next, (most + 1) * type);
    c->norm = part(&next, type);
    c->scale = part(&next, type);
    c->y = part(&next, most * type);
    S->basis.whole = part(&next, (most + 1) * sizeof *S->basis.whole);
    S->basis.sums = part(
        &next, 2 * (most + 1) * (size_t)tulle__orthogonal_pieces(S->n) * sizeof *S->basis.sums);
}

/* Makes bases of so many vectors for all right-hand sides. */
static tulle_status make_basis(tulle_solver *S, int count, void **basis) {
    size_t bytes;
    TULLE__TRY(
        tulle__size(S->most_columns * (count * S->length), tulle_type_size(S->type), 0, &bytes));
    TULLE__TRY(tulle__alloc(S->ctx, bytes, basis));
    return S->ctx->backend->set_bytes(&S->ctx->place, *basis, 0, bytes);
}

static tulle_status make_small(tulle_solver *S) {
    const size_t all = small_bytes(S);
    TULLE__TRY(tulle__alloc(S->ctx, all, &S->basis.small));
    TULLE__TRY(S->ctx->backend->set_bytes(&S->ctx->place, S->basis.small, 0, all));
    S->basis.most = S->options.restart;
    lay_out(S);
    return TULLE_OK;
}

/* Makes the bases in one piece, of which each member has its own part. */
static tulle_status make(tulle_solver *S) {
    const int most = S->options.restart;
    const int64_t vector = S->length * tulle_type_size(S->type);
    TULLE__TRY(make_basis(S, most + 1, &S->basis.V));
    if (is_flexible(S)) TULLE__TRY(make_basis(S, most, &S->basis.Z));
    for (int j = 0; j < S->most_columns; j++) {
        tulle_solver *m = tulle__member(S, j);
        m->basis.V = (char *)S->basis.V + j * (most + 1) * vector;
        if (is_flexible(S)) m->basis.Z = (char *)S->basis.Z + j * most * vector;
        TULLE__TRY(make_small(m));
    }
    return TULLE_OK;
}

static tulle_status begin(tulle_solver *S) {
    tulle__solve_state s = S->now;
    tulle_vec first = columns(S, 0, 1), *r = tulle__vector(S, TULLE__R);
    double norm;
    S->begun_with = s.norm;
    if (tulle__from_left(S)) {
        S->report.preconditions += S->M != NULL;
        TULLE__TRY(tulle__solver_precondition(S, r, &first));
    } else {
        TULLE__TRY(tulle__solver_copy(S, r, &first));
    }
    TULLE__TRY(tulle__solver_norm(S, &first, &norm));
    TULLE__TRY(tulle_vec_scale(S->ctx, tulle_num(1 / norm), &first));
    TULLE__TRY(tulle__copy_wait(S->ctx, S->basis.column.g, &norm, sizeof norm));
    s.columns = 0;
    return tulle__solver_set_state(S, &s);
}

static tulle__orthogonal with_basis(const tulle_solver *S, const tulle_vec *V, tulle_vec *w,
                                    const void *components) {
    const tulle__column *c = &S->basis.column;
    return (tulle__orthogonal){.type = S->type,
                               .n = S->n,
                               .stride = S->length,
                               .columns = (int)V->cols,
                               .V = V->data,
                               .w = w->data,
                               .first = (void *)components,
                               .again = (void *)c->again,
                               .norm = (void *)c->norm,
                               .sums = S->basis.sums,
                               .whole = S->basis.whole,
                               .pieces = tulle__orthogonal_pieces(S->n)};
}

/* Computes w := w - V V^T w by way of sums over processes, and keeps the components. */
static tulle_status project_everywhere(tulle_solver *S, const tulle_vec *V, tulle_vec *w,
                                       const void *components) {
    tulle_vec h = small(S, components, (int)V->cols);
    TULLE__TRY(tulle_vec_inner(S->ctx, tulle_num(1), V, w, tulle_num(0), &h));
    TULLE__TRY(tulle__solver_sum_all(S, h.data, (int)V->cols));
    return tulle_vec_combine(S->ctx, tulle_num(-1), V, &h, tulle_num(1), w);
}

static tulle_status norm_everywhere(tulle_solver *S, const tulle_vec *w, const void *norm) {
    double length;
    TULLE__TRY(tulle__solver_norm(S, w, &length));
    const float narrow = (float)length;
    return S->type == TULLE_F32 ? tulle__copy_wait(S->ctx, (void *)norm, &narrow, sizeof narrow)
                                : tulle__copy_wait(S->ctx, (void *)norm, &length, sizeof length);
}

static tulle_status orthogonal_everywhere(tulle_solver *S, const tulle_vec *V, tulle_vec *w) {
    const tulle__column *c = &S->basis.column;
    TULLE__TRY(project_everywhere(S, V, w, c->first));
    TULLE__TRY(project_everywhere(S, V, w, c->again));
    return norm_everywhere(S, w, c->norm);
}

/* Extends the basis of one right-hand side by its last vector, and the small problem by a column.
 */
static tulle_status extend(tulle_solver *S, int phase) {
    const tulle__solver_functions *functions = S->ctx->backend->solver;
    tulle_vec V = columns(S, 0, phase + 1), w = columns(S, phase + 1, 1);
    tulle__column c = S->basis.column;
    c.type = S->type;
    c.j = phase;
    c.most = S->basis.most;
    c.from = S->scalars->states + phase % 2;
    c.to = S->scalars->states + (phase + 1) % 2;
    c.history = S->scalars->history;
    if (tulle__is_shared(S)) {
        TULLE__TRY(orthogonal_everywhere(S, &V, &w));
        TULLE__TRY(functions->column(&S->ctx->place, &c));
        return tulle_vec_scale(S->ctx, tulle_at(c.scale), &w);
    }
    tulle__orthogonal o = with_basis(S, &V, &w, c.first);
    o.column = &c;
    return functions->orthogonal(&S->ctx->place, &o);
}

static tulle_status iterate(tulle_solver *S, int phase) {
    const int most = S->options.restart;
    tulle_vec v = vector_of(S, S->basis.V, most + 1, phase);
    tulle_vec w = vector_of(S, S->basis.V, most + 1, phase + 1);
    tulle_vec hat = is_flexible(S) ? vector_of(S, S->basis.Z, most, phase) : *tulle__vector(S, HAT);
    TULLE__TRY(tulle__solver_operator(S, &v, &hat, &w));
    /* A graph of this iteration serves whichever members go on, so the others take part, too. */
    for (int j = 0; j < S->columns; j++) TULLE__TRY(extend(tulle__member(S, j), phase));
    return TULLE_OK;
}

static tulle_status keep(tulle_solver *S) {
    if (!(S->begun_with < S->kept_norm)) return TULLE_OK;
    S->kept = kept(S);
    S->kept_norm = S->begun_with;
    return tulle__solver_copy(S, tulle__vector(S, TULLE__X), tulle__vector(S, S->kept));
}

/* Adds the cycle's correction: x := x + M V y; x + V y from the left or without M; or x + Z y. */
static tulle_status end(tulle_solver *S) {
    const int count = (int)S->now.columns;
    if (count == 0) return TULLE_OK;
    TULLE__TRY(keep(S));
    tulle__column c = S->basis.column;
    const tulle__solver_functions *functions = S->ctx->backend->solver;
    const bool flexible = is_flexible(S);
    const bool behind = tulle__has_M(S) && !tulle__from_left(S) && !flexible;
    tulle_vec V = columns_of(S, flexible ? S->basis.Z : S->basis.V, 0, count);
    tulle_vec *x = tulle__vector(S, TULLE__X);
    tulle_vec *sum = behind ? tulle__vector(S, CORRECTION) : x;
    c.type = S->type;
    c.most = S->basis.most;
    c.from = S->scalars->states;
    const tulle__orthogonal o = with_basis(S, &V, sum, c.y);
    TULLE__TRY(tulle__solver_set_state(S, &S->now));
    TULLE__TRY(functions->combine(&S->ctx->place, &c));
    if (!behind) return functions->add_columns(&S->ctx->place, &o);
    TULLE__TRY(tulle_vec_fill(S->ctx, sum, 0));
    TULLE__TRY(functions->add_columns(&S->ctx->place, &o));
    S->report.preconditions += S->M != NULL;
    TULLE__TRY(tulle__solver_precondition(S, sum, tulle__vector(S, HAT)));
    return tulle_vec_axpy(S->ctx, tulle_num(1), tulle__vector(S, HAT), x);
}

const tulle__method tulle__gmres = {.name = "gmres",
                                    .vectors = vectors,
                                    .phases = phases,
                                    .make = make,
                                    .begin = begin,
                                    .iterate = iterate,
                                    .end = end,
                                    .products = 1};

const tulle__method tulle__fgmres = {.name = "fgmres",
                                     .vectors = vectors,
                                     .phases = phases,
                                     .make = make,
                                     .begin = begin,
                                     .iterate = iterate,
                                     .end = end,
                                     .products = 1};
