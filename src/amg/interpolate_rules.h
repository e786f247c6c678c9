/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of interpolation in the classical family. It is extended+i (H. De Sterck, R. D.
 * Falgout, J. W. Nolting and U. M. Yang, "Distance-two interpolation for parallel algebraic
 * multigrid", 2008) in the form that R. Li, B. Sjögreen and U. M. Yang give it ("A new class of AMG
 * interpolation methods based on matrix-matrix multiplications", 2021), row by row. For a fine row
 * i, with C and F its strong coarse and fine neighbours,
 *
 *     P_ij = -p_ij / w_i,   p_ij = sum over k in F of m_ik a_kj + a_ij,
 *     m_ik = a_ik / (c_k + a'_ki),
 *     w_i = a_ii + sum of weak a_ij + sum over k in F of m_ik a'_ki,
 *
 * where a_kj and a_ij are strong connections to coarse rows, c_k is the sum of those of row k, and
 * a'_ki is a_ki if it connects k with i, else 0. A k with c_k + a'_ki = 0 counts as weak. Strong
 * connections to rows that have none themselves are left out, as smoothing solves those rows.
 *
 * Order of operations, in f64: p_ij begins as 0, gets the products m_ik a_kj in the order of k in
 * row i, and a_ij last. A row k has each column once at most, so the products of one k go to
 * different columns, and threads may add them side by side. The sum of all p_ij needs no columns:
 * it is the sum of m_ik c_k in the order of k, and c_i last.
 *
 * Truncation keeps the largest p_ij in size, of equal ones those of the lower columns, in whatever
 * order they are looked at, and scales them so that they add up to the sum of all.
 *
 * Included as rules.h, behind it. No include guard, on purpose. */

/* Mark of an entry of a fine row. */
AMG_RULE(uint8_t, mark_of)(const tulle__amg_split *s, int64_t entry) {
    if (!s->strong[entry]) return TULLE__AMG_WEAK;
    const uint8_t kind = s->kind[((const INDEX *)s->csr.cols_of)[entry]];
    return kind == TULLE__AMG_COARSE ? TULLE__AMG_TO_COARSE
           : kind == TULLE__AMG_FINE ? TULLE__AMG_TO_FINE
                                     : TULLE__AMG_STRONG;
}

/* Base-2 logarithm, rounded up and 1 at least, of the number of columns that a row of P may have
 * before truncation; bound: sum of the numbers of strong connections that lead to them. */
AMG_RULE(uint8_t, bits_of_table)(const tulle__amg_interpolation *m, int64_t bound) {
    const int64_t most = bound < m->coarse ? bound : m->coarse;
    uint8_t bits = 1;
    while (INT64_C(1) << bits < most) bits++;
    return bits;
}

/* Returns a'_ki. The search halves the range without a look at the outcome, so that it takes the
 * same steps for all rows of a length. */
AMG_RULE(double, connection_back)(const tulle__amg_split *s, int64_t k, int64_t i) {
    const OFFSET *offsets = (const OFFSET *)s->csr.offsets;
    const INDEX *cols_of = (const INDEX *)s->csr.cols_of + offsets[k];
    OFFSET at = 0, left = offsets[k + 1] - offsets[k];
    while (left > 1) {
        const OFFSET half = left / 2;
        at = cols_of[at + half] <= i ? at + half : at;
        left -= half;
    }
    if (left == 0 || cols_of[at] != i) return 0;
    const double entry = (double)((const VALUE *)s->values)[offsets[k] + at];
    return AMG(connects)(s->diagonal[k], entry) ? entry : 0;
}

/* Returns m_ik of an entry (i, k) of fine row i, 0 where k is not in F; *weight: the part of w_i
 * that comes of the entry. */
AMG_RULE(double, share_of)
(const tulle__amg_interpolation *m, int64_t i, int64_t entry, double *weight) {
    const tulle__amg_split *s = m->split;
    const uint8_t mark = s->strong[entry];
    const double value = (double)((const VALUE *)s->values)[entry];
    *weight = mark == TULLE__AMG_TO_COARSE || mark == TULLE__AMG_STRONG ? 0 : value;
    if (mark != TULLE__AMG_TO_FINE) return 0;
    const int64_t k = ((const INDEX *)s->csr.cols_of)[entry];
    const double back = AMG(connection_back)(s, k, i), sum = m->to_coarse[k] + back;
    if (sum == 0) return 0;
    const double share = value / sum;
    *weight = share * back;
    return share;
}

/* The number that a row is divided by: w_i, or a_ii where weak connections of the diagonal's sign
 * or a lack of dominance leave none. */
AMG_RULE(double, divisor_of)(const tulle__amg_split *s, int64_t i, double weight) {
    const bool same_sign = weight != 0 && (weight > 0) == (s->diagonal[i] > 0);
    return same_sign ? weight : s->diagonal[i];
}

/* Size by which p_ij is compared. NaN counts as the largest, so that it is carried on. */
AMG_RULE(double, size_of)(double p) {
    const double size = fabs(p);
    return size >= 0 ? size : (double)INFINITY;
}

/* True when truncation prefers one number to another. */
AMG_RULE(bool, prefers)(double size, int64_t column, double other_size, int64_t other_column) {
    return size > other_size || (size == other_size && column < other_column);
}

/* Factor of the kept numbers of a row: sum of all of them over the sum of those that are kept. */
AMG_RULE(double, growth_of)(double all, double kept) {
    return kept != 0 && all / kept > 0 ? all / kept : 1;
}
