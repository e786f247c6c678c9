/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of coarsening and interpolation, row by row: the same lines on every device, so that a
 * hierarchy has the same pattern on all of them. Numbers that decide something are computed in f64,
 * in the order of a row's entries, each operation rounded once: files that include this are
 * compiled without fused multiply-adds.
 *
 * Included once for each type combination (core/each_type.h), or by CUDA C++ as templates, with
 *   AMG_RULE(type, f)   the head of a function up to its arguments
 *   AMG(f)              the function's name where it is called
 *   AMG_COUNT(p)        adds 1 to a number that other rows add to at the same time
 *   AMG_MARK(p, mark)   stores a mark that other rows may store at the same time
 * No include guard, on purpose. */

/* True when the entry (i, j) connects two rows: with the sign opposite to the diagonal's. */
AMG_RULE(bool, connects)(double diagonal, double entry) {
    return diagonal < 0 ? entry > 0 : entry < 0;
}

/* Strong connections of a row (J. W. Ruge and K. Stüben, "Algebraic Multigrid", 1987): those with
 * at least the threshold's share of the largest one. A row whose entries add up to nearly its
 * diagonal has none, as smoothing alone solves it, and neither has one without a diagonal entry, by
 * which an interpolation would be divided. */
AMG_RULE(void, connect_row)(const tulle__amg_split *s, int64_t i) {
    const OFFSET *offsets = (const OFFSET *)s->csr.offsets;
    const INDEX *cols_of = (const INDEX *)s->csr.cols_of;
    const VALUE *values = (const VALUE *)s->values;
    const int64_t begin = offsets[i], end = offsets[i + 1];
    double diagonal = 0, sum = 0, largest = 0;
    for (int64_t k = begin; k < end; k++) {
        sum += (double)values[k];
        if (cols_of[k] == i) diagonal = (double)values[k];
    }
    for (int64_t k = begin; k < end; k++) {
        const double entry = (double)values[k], size = fabs(entry);
        if (cols_of[k] != i && AMG(connects)(diagonal, entry) && size > largest) largest = size;
    }
    const bool alone = diagonal == 0 || !(fabs(sum) <= s->most_sum * fabs(diagonal));
    const double least = s->threshold * largest;
    for (int64_t k = begin; k < end; k++) {
        const double entry = (double)values[k];
        const bool connected = cols_of[k] != i && AMG(connects)(diagonal, entry);
        const bool strong = !alone && connected && fabs(entry) >= least;
        s->strong[k] = strong;
        if (strong) AMG_COUNT(s->influence + cols_of[k]);
    }
    s->diagonal[i] = diagonal;
}

AMG_RULE(bool, has_strong)(const tulle__amg_split *s, int64_t i) {
    const OFFSET *offsets = (const OFFSET *)s->csr.offsets;
    for (int64_t k = offsets[i]; k < (int64_t)offsets[i + 1]; k++) {
        if (s->strong[k]) return true;
    }
    return false;
}

/* Kind of a row before the first round: nobody needs a row that no row depends on. */
AMG_RULE(void, begin_row)(const tulle__amg_split *s, int64_t i) {
    const bool strong = AMG(has_strong)(s, i);
    s->kind[i] = s->influence[i] > 0 ? TULLE__AMG_OPEN
                 : strong            ? TULLE__AMG_FINE
                                     : TULLE__AMG_ALONE;
    s->fine[i] = 0;
    s->beaten[i] = 0;
}

/* True when row i weighs more than row j: by the rows that depend on it, then by a hash of its
 * number, then by the number itself (H. De Sterck, U. M. Yang and J. J. Heys, "Reducing complexity
 * in parallel algebraic multigrid preconditioners", 2006, with integers for random numbers). */
AMG_RULE(bool, outweighs)(const tulle__amg_split *s, int64_t i, int64_t j) {
    if (s->influence[i] != s->influence[j]) return s->influence[i] > s->influence[j];
    const uint32_t a = tulle__amg_hash(i), b = tulle__amg_hash(j);
    return a != b ? a > b : i > j;
}

/* Marks an open row as beaten where an open row that it is connected with outweighs it. */
AMG_RULE(void, compete_row)(const tulle__amg_split *s, int round, int64_t i) {
    const OFFSET *offsets = (const OFFSET *)s->csr.offsets;
    const INDEX *cols_of = (const INDEX *)s->csr.cols_of;
    if (s->kind[i] != TULLE__AMG_OPEN) return;
    for (int64_t k = offsets[i]; k < (int64_t)offsets[i + 1]; k++) {
        const int64_t j = cols_of[k];
        if (!s->strong[k] || s->kind[j] != TULLE__AMG_OPEN) continue;
        AMG_MARK(s->beaten + (AMG(outweighs)(s, i, j) ? j : i), round);
    }
}

/* An open row that nobody beats is coarse. */
AMG_RULE(void, choose_row)(const tulle__amg_split *s, int round, int64_t i) {
    if (s->kind[i] == TULLE__AMG_OPEN && s->beaten[i] != round) s->kind[i] = TULLE__AMG_COARSE;
}

/* An open row that depends on a coarse one is fine. */
AMG_RULE(void, settle_row)(const tulle__amg_split *s, int64_t i) {
    const OFFSET *offsets = (const OFFSET *)s->csr.offsets;
    const INDEX *cols_of = (const INDEX *)s->csr.cols_of;
    if (s->kind[i] != TULLE__AMG_OPEN) return;
    for (int64_t k = offsets[i]; k < (int64_t)offsets[i + 1]; k++) {
        if (!s->strong[k] || s->kind[cols_of[k]] != TULLE__AMG_COARSE) continue;
        s->fine[i] = 1;
        return;
    }
}

/* Takes over what settle_row has found; returns true when the row is still open. */
AMG_RULE(bool, end_row)(const tulle__amg_split *s, int64_t i) {
    if (s->fine[i]) s->kind[i] = TULLE__AMG_FINE;
    s->fine[i] = 0;
    return s->kind[i] == TULLE__AMG_OPEN;
}

/* Interpolation is extended+i (H. De Sterck, R. D. Falgout, J. W. Nolting and U. M. Yang 2008) in
 * the form of products of matrices (R. Li, B. Sjögreen and U. M. Yang, "A new class of AMG
 * interpolation methods based on matrix-matrix multiplications", 2021). For a fine row i, with C
 * and F its strong coarse and fine neighbours,
 *
 *     P_ij = -(sum over k in F of m_ik a_kj + a_ij) / w_i,   m_ik = a_ik / (c_k + a'_ki),
 *     w_i = a_ii + sum of weak a_ij + sum over k in F of m_ik a'_ki,
 *
 * where c_k is the sum of row k's strong connections to coarse rows, and a'_ki is a_ki if it
 * connects k with i, else 0. A k with c_k + a'_ki = 0 counts as weak. */

/* The sum c_k of a fine row, and the entries of its rows of M and N. */
AMG_RULE(void, count_factor_row)(const tulle__amg_factors *f, int64_t i) {
    const tulle__amg_split *s = f->split;
    const OFFSET *offsets = (const OFFSET *)s->csr.offsets;
    const INDEX *cols_of = (const INDEX *)s->csr.cols_of;
    const VALUE *values = (const VALUE *)s->values;
    double sum = 0;
    int64_t between = 0, down = 0;
    for (int64_t k = offsets[i]; k < (int64_t)offsets[i + 1]; k++) {
        if (s->kind[i] != TULLE__AMG_FINE || !s->strong[k]) continue;
        const uint8_t kind = s->kind[cols_of[k]];
        if (kind == TULLE__AMG_COARSE) {
            sum += (double)values[k];
            down++;
        } else if (kind == TULLE__AMG_FINE) {
            between++;
        }
    }
    f->to_coarse[i] = sum;
    f->between.before[i] = between;
    f->down.before[i] = down;
}

/* Returns a'_ki. */
AMG_RULE(double, connection_back)(const tulle__amg_split *s, int64_t k, int64_t i) {
    const OFFSET *offsets = (const OFFSET *)s->csr.offsets;
    const INDEX *cols_of = (const INDEX *)s->csr.cols_of;
    const VALUE *values = (const VALUE *)s->values;
    int64_t at = offsets[k];
    const int64_t end = offsets[k + 1];
    TULLE__LOWER_BOUND(at, end, q, cols_of[q] < i);
    if (at == end || cols_of[at] != i) return 0;
    const double entry = (double)values[at];
    return AMG(connects)(s->diagonal[k], entry) ? entry : 0;
}

AMG_RULE(void, fill_factor_row)(const tulle__amg_factors *f, int64_t i) {
    const tulle__amg_split *s = f->split;
    const OFFSET *offsets = (const OFFSET *)s->csr.offsets;
    const INDEX *cols_of = (const INDEX *)s->csr.cols_of;
    const VALUE *values = (const VALUE *)s->values;
    int64_t between = f->between.before[i], down = f->down.before[i];
    ((OFFSET *)f->between.offsets)[i] = (OFFSET)between;
    ((OFFSET *)f->down.offsets)[i] = (OFFSET)down;
    if (s->kind[i] != TULLE__AMG_FINE) return;
    double weight = 0;
    for (int64_t k = offsets[i]; k < (int64_t)offsets[i + 1]; k++) {
        const int64_t j = cols_of[k];
        const double entry = (double)values[k];
        const bool fine = s->strong[k] && s->kind[j] == TULLE__AMG_FINE;
        if (s->strong[k] && s->kind[j] == TULLE__AMG_COARSE) {
            ((INDEX *)f->down.cols_of)[down] = (INDEX)s->number[j];
            ((VALUE *)f->down.values)[down++] = values[k];
            continue;
        }
        const double back = fine ? AMG(connection_back)(s, j, i) : 0;
        const double sum = fine ? f->to_coarse[j] + back : 0;
        const double share = sum != 0 ? entry / sum : 0;
        weight += sum != 0 ? share * back : entry;
        if (!fine) continue;
        ((INDEX *)f->between.cols_of)[between] = (INDEX)j;
        ((VALUE *)f->between.values)[between++] = (VALUE)share;
    }
    /* Weak connections of the diagonal's sign or a lack of dominance may leave no weight. */
    const bool same_sign = weight != 0 && (weight > 0) == (s->diagonal[i] > 0);
    f->weight[i] = same_sign ? weight : s->diagonal[i];
}

/* Number of entries of a row of P. */
AMG_RULE(int64_t, entries_of_row)(const tulle__amg_interpolation *m, int64_t i) {
    const OFFSET *raw = (const OFFSET *)m->raw.offsets;
    if (m->split->kind[i] == TULLE__AMG_COARSE) return 1;
    if (m->split->kind[i] != TULLE__AMG_FINE) return 0;
    const int64_t all = raw[i + 1] - raw[i];
    return all < m->most ? all : m->most;
}

/* Marks the entries of a fine row that are kept: the largest, of equal ones those with the lower
 * column. kept: their places, in the order of columns. */
AMG_RULE(int, keep_largest)(const VALUE *values, int64_t count, int most, int64_t *kept) {
    int chosen = 0;
    for (int64_t k = 0; k < count; k++) {
        const double size = fabs((double)values[k]);
        int at = chosen;
        while (at > 0 && fabs((double)values[kept[at - 1]]) < size) at--;
        if (at == most) continue;
        if (chosen < most) chosen++;
        for (int q = chosen - 1; q > at; q--) kept[q] = kept[q - 1];
        kept[at] = k;
    }
    for (int a = 1; a < chosen; a++) {
        const int64_t place = kept[a];
        int b = a;
        for (; b > 0 && kept[b - 1] > place; b--) kept[b] = kept[b - 1];
        kept[b] = place;
    }
    return chosen;
}

/* A row of P: of a coarse row the unit vector; of a fine one its largest entries, which are scaled
 * so that they add up to the sum of all. */
AMG_RULE(void, fill_row)(const tulle__amg_interpolation *m, int64_t i) {
    const tulle__amg_split *s = m->split;
    const OFFSET *raw = (const OFFSET *)m->raw.offsets;
    const INDEX *raw_cols = (const INDEX *)m->raw.cols_of;
    const VALUE *values = (const VALUE *)m->raw_values + raw[i];
    INDEX *cols_of = (INDEX *)m->P.cols_of;
    VALUE *to = (VALUE *)m->P.values;
    const int64_t at = m->P.before[i], count = raw[i + 1] - raw[i];
    int64_t kept[TULLE__AMG_MOST_KEPT];
    ((OFFSET *)m->P.offsets)[i] = (OFFSET)at;
    if (s->kind[i] == TULLE__AMG_COARSE) {
        cols_of[at] = (INDEX)s->number[i];
        to[at] = 1;
    }
    if (s->kind[i] != TULLE__AMG_FINE) return;
    const int chosen = AMG(keep_largest)(values, count, m->most, kept);
    double all = 0, some = 0;
    for (int64_t k = 0; k < count; k++) all += (double)values[k];
    for (int k = 0; k < chosen; k++) some += (double)values[kept[k]];
    const double grows = some != 0 && all / some > 0 ? all / some : 1;
    for (int k = 0; k < chosen; k++) {
        cols_of[at + k] = raw_cols[raw[i] + kept[k]];
        to[at + k] = (VALUE)(-((double)values[kept[k]] / m->weight[i]) * grows);
    }
}
