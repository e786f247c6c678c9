/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of coarsening, row by row: the same lines on every device, so that a
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
