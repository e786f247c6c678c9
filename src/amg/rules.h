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

/* True where a row has no strong connections: one whose entries add up to nearly its diagonal, as
 * smoothing alone solves it, and one without a diagonal entry, by which an interpolation would be
 * divided. sum: of all entries in their order. */
AMG_RULE(bool, is_alone)(const tulle__amg_split *s, double diagonal, double sum) {
    return diagonal == 0 || !(fabs(sum) <= s->most_sum * fabs(diagonal));
}

/* Size of entry k of row i where it connects rows, else 0. */
AMG_RULE(double, connection_of)
(const tulle__amg_split *s, int64_t i, int64_t k, double diagonal) {
    const double entry = (double)((const VALUE *)s->values)[k];
    if (((const INDEX *)s->csr.cols_of)[k] == i) return 0;
    return AMG(connects)(diagonal, entry) ? fabs(entry) : 0;
}

/* Marks a connection of a row that is not alone as strong (J. W. Ruge and K. Stüben, "Algebraic
 * Multigrid", 1987) where it has the least size, the threshold's share of the row's largest.
 * Returns true where it is strong. */
AMG_RULE(bool, mark_connection)
(const tulle__amg_split *s, int64_t k, bool alone, double size, double least) {
    const bool strong = !alone && size > 0 && size >= least;
    s->strong[k] = strong;
    if (strong) AMG_COUNT(s->influence + ((const INDEX *)s->csr.cols_of)[k]);
    return strong;
}

/* Kind of a row before the first round: nobody needs a row that no row depends on, nor one that
 * smoothing alone solves, such as that of a given value, on which neighbours may depend. The row's
 * `fine` is 1 where it has strong connections. */
AMG_RULE(void, begin_row)(const tulle__amg_split *s, int64_t i) {
    s->kind[i] = !s->fine[i]           ? TULLE__AMG_ALONE
                 : s->influence[i] > 0 ? TULLE__AMG_OPEN
                                       : TULLE__AMG_FINE;
    s->fine[i] = 0;
    s->beaten[i] = 0;
}

/* Number of a row in the whole matrix. */
AMG_RULE(int64_t, name_of)(const tulle__amg_split *s, int64_t i) {
    return s->names ? s->names[i] : i;
}

/* True when row i weighs more than row j: by the rows that depend on it, then by a hash of its
 * number, then by the number itself (H. De Sterck, U. M. Yang and J. J. Heys, "Reducing complexity
 * in parallel algebraic multigrid preconditioners", 2006, with integers for random numbers). */
AMG_RULE(bool, outweighs)(const tulle__amg_split *s, int64_t i, int64_t j) {
    if (s->influence[i] != s->influence[j]) return s->influence[i] > s->influence[j];
    const uint32_t a = tulle__amg_hash(AMG(name_of)(s, i));
    const uint32_t b = tulle__amg_hash(AMG(name_of)(s, j));
    return a != b ? a > b : i > j;
}

/* Marks open row i, or row j that its entry k connects it with, as beaten by the other, where that
 * is open, too. */
AMG_RULE(void, compete)(const tulle__amg_split *s, int round, int64_t i, int64_t k) {
    const int64_t j = ((const INDEX *)s->csr.cols_of)[k];
    if (!s->strong[k] || s->kind[j] != TULLE__AMG_OPEN) return;
    AMG_MARK(s->beaten + (AMG(outweighs)(s, i, j) ? j : i), round);
}

/* An open row that nobody beats is coarse. */
AMG_RULE(void, choose_row)(const tulle__amg_split *s, int round, int64_t i) {
    if (s->kind[i] == TULLE__AMG_OPEN && s->beaten[i] != round) s->kind[i] = TULLE__AMG_COARSE;
}

/* True where entry k makes an open row fine: the row depends on a coarse one by it. */
AMG_RULE(bool, settles)(const tulle__amg_split *s, int64_t k) {
    return s->strong[k] && s->kind[((const INDEX *)s->csr.cols_of)[k]] == TULLE__AMG_COARSE;
}

/* Makes rows fine that are to be so; returns true when the row is still open. */
AMG_RULE(bool, end_row)(const tulle__amg_split *s, int64_t i) {
    if (s->fine[i]) s->kind[i] = TULLE__AMG_FINE;
    s->fine[i] = 0;
    return s->kind[i] == TULLE__AMG_OPEN;
}
