/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of aggregation, row by row: the same lines on every device, as in rules.h, by which
 * this file is included once for each type combination. No include guard, on purpose.
 *
 * The graph of a level has an edge from row i to row j for each strong connection (i, j); the graph
 * is symmetric where A is. */

/* The size of a row's diagonal entry, or 0 where the row takes no part: a row without a diagonal
 * entry, and one whose entries add up to nearly its diagonal, which smoothing alone solves. */
AMG_RULE(void, measure_row)(const tulle__amg_aggregates *a, int64_t i) {
    const tulle__amg_split *s = a->split;
    const OFFSET *offsets = (const OFFSET *)s->csr.offsets;
    const INDEX *cols_of = (const INDEX *)s->csr.cols_of;
    const VALUE *values = (const VALUE *)s->values;
    double diagonal = 0, sum = 0;
    for (int64_t k = offsets[i]; k < (int64_t)offsets[i + 1]; k++) {
        sum += (double)values[k];
        if (cols_of[k] == i) diagonal = fabs((double)values[k]);
    }
    s->diagonal[i] = fabs(sum) <= s->most_sum * diagonal ? diagonal : 0;
}

/* The square of a connection's strength, a_ij^2 / |a_ii a_jj|. Quotients neither overflow nor
 * vanish in other units, and no root is taken: a factor of A that is a power of 2 changes no bit.
 * The product of both quotients is the same for (i, j) and (j, i) of a symmetric A. */
AMG_RULE(double, strength_of)(const tulle__amg_aggregates *a, int64_t i, int64_t j, double entry) {
    const double own = a->split->diagonal[i], other = a->split->diagonal[j];
    if (j == i || own == 0 || other == 0) return 0;
    return (fabs(entry) / own) * (fabs(entry) / other);
}

AMG_RULE(void, find_strongest)(const tulle__amg_aggregates *a, int64_t i) {
    const tulle__amg_split *s = a->split;
    const OFFSET *offsets = (const OFFSET *)s->csr.offsets;
    const INDEX *cols_of = (const INDEX *)s->csr.cols_of;
    const VALUE *values = (const VALUE *)s->values;
    double most = 0;
    for (int64_t k = offsets[i]; k < (int64_t)offsets[i + 1]; k++) {
        const double strength = AMG(strength_of)(a, i, cols_of[k], (double)values[k]);
        if (strength > most) most = strength;
    }
    a->strongest[i] = most;
}

/* Strong connections of a row, and the row's kind before the first round. Strength is the symmetric
 * measure of P. Vanek, J. Mandel and M. Brezina, "Algebraic multigrid by smoothed aggregation for
 * second and fourth order elliptic problems", 1996, section 5. It is compared with the strongest
 * connection of both rows, as a bound for all matrices leaves rows of many equal entries without
 * strong connections. */
AMG_RULE(void, link_row)(const tulle__amg_aggregates *a, int64_t i) {
    const tulle__amg_split *s = a->split;
    const OFFSET *offsets = (const OFFSET *)s->csr.offsets;
    const INDEX *cols_of = (const INDEX *)s->csr.cols_of;
    const VALUE *values = (const VALUE *)s->values;
    bool any = false;
    for (int64_t k = offsets[i]; k < (int64_t)offsets[i + 1]; k++) {
        const int64_t j = cols_of[k];
        const double own = a->strongest[i], other = a->strongest[j];
        const double strength = AMG(strength_of)(a, i, j, (double)values[k]);
        const bool strong = strength > 0 && strength >= a->least * (own > other ? own : other);
        s->strong[k] = strong;
        any = any || strong;
    }
    s->kind[i] = TULLE__AMG_ALONE;
    a->nearest[i] = TULLE__AMG_NOBODY;
    if (!any) return;
    s->kind[i] = TULLE__AMG_OPEN;
    a->nearest[i] = i;
}

/* True when row i, whose number has the hash `hash`, goes before row j: by hashes, then by the
 * numbers themselves. */
AMG_RULE(bool, precedes)(const tulle__amg_split *s, int64_t i, uint32_t hash, int64_t j) {
    const uint32_t other = tulle__amg_hash(AMG(name_of)(s, j));
    return hash != other ? hash > other : i > j;
}

/* Roots are a maximal set of rows of which no two are within two edges of each other (MIS-2), found
 * in rounds (B. Kelley and S. Rajamanickam, "Parallel, portable algorithms for distance-2 maximal
 * independent set and graph coarsening", 2022, algorithm 1). In the first half of a round each row
 * nominates the first open row among itself and its neighbours, unless one of these is a root. A
 * row by a root, and one with no open row about it, stay so. */
AMG_RULE(void, nominate_row)(const tulle__amg_aggregates *a, int64_t i) {
    const tulle__amg_split *s = a->split;
    const OFFSET *offsets = (const OFFSET *)s->csr.offsets;
    const INDEX *cols_of = (const INDEX *)s->csr.cols_of;
    if (a->nearest[i] < 0) return;
    bool root = s->kind[i] == TULLE__AMG_COARSE;
    int64_t first = TULLE__AMG_NOBODY;
    if (s->kind[i] == TULLE__AMG_OPEN) first = i;
    uint32_t hash = tulle__amg_hash(AMG(name_of)(s, i));
    for (int64_t k = offsets[i]; k < (int64_t)offsets[i + 1] && !root; k++) {
        const int64_t j = cols_of[k];
        if (!s->strong[k]) continue;
        root = s->kind[j] == TULLE__AMG_COARSE;
        if (s->kind[j] != TULLE__AMG_OPEN) continue;
        if (first >= 0 && AMG(precedes)(s, first, hash, j)) continue;
        first = j;
        hash = tulle__amg_hash(AMG(name_of)(s, j));
    }
    a->nearest[i] = first;
    if (root) a->nearest[i] = TULLE__AMG_BY_ROOT;
}

/* In the second half of a round an open row is fine if it or a neighbour is by a root, and becomes
 * a root if no nominee of itself and its neighbours precedes it. Returns true when the row is still
 * open. */
AMG_RULE(bool, elect_row)(const tulle__amg_aggregates *a, int64_t i) {
    const tulle__amg_split *s = a->split;
    const OFFSET *offsets = (const OFFSET *)s->csr.offsets;
    const INDEX *cols_of = (const INDEX *)s->csr.cols_of;
    if (s->kind[i] != TULLE__AMG_OPEN) return false;
    bool by_root = a->nearest[i] == TULLE__AMG_BY_ROOT;
    bool first = by_root || a->nearest[i] == i;
    const uint32_t hash = tulle__amg_hash(AMG(name_of)(s, i));
    for (int64_t k = offsets[i]; k < (int64_t)offsets[i + 1] && !by_root; k++) {
        if (!s->strong[k]) continue;
        const int64_t nominee = a->nearest[cols_of[k]];
        by_root = nominee == TULLE__AMG_BY_ROOT;
        if (nominee >= 0 && nominee != i && !AMG(precedes)(s, i, hash, nominee)) first = false;
    }
    if (by_root) s->kind[i] = TULLE__AMG_FINE;
    if (!by_root && first) s->kind[i] = TULLE__AMG_COARSE;
    return s->kind[i] == TULLE__AMG_OPEN;
}

/* The aggregate of a root, which is the root's number among roots, and of a neighbour of roots: of
 * the root with the strongest connection, of equal ones the root with the lower column. Only where
 * A is not symmetric a row may have several roots as neighbours. */
AMG_RULE(void, join_root_row)(const tulle__amg_aggregates *a, int64_t i) {
    const tulle__amg_split *s = a->split;
    const OFFSET *offsets = (const OFFSET *)s->csr.offsets;
    const INDEX *cols_of = (const INDEX *)s->csr.cols_of;
    const VALUE *values = (const VALUE *)s->values;
    double most = 0;
    a->nearest[i] = TULLE__AMG_NOBODY;
    if (s->kind[i] == TULLE__AMG_COARSE) a->nearest[i] = s->number[i];
    if (s->kind[i] != TULLE__AMG_FINE) return;
    for (int64_t k = offsets[i]; k < (int64_t)offsets[i + 1]; k++) {
        const int64_t j = cols_of[k];
        if (!s->strong[k] || s->kind[j] != TULLE__AMG_COARSE) continue;
        const double strength = AMG(strength_of)(a, i, j, (double)values[k]);
        if (!(strength > most)) continue;
        most = strength;
        a->nearest[i] = s->number[j];
    }
}

/* The aggregate of every row: a row that has no root as a neighbour joins the neighbour with the
 * strongest connection among those that have, of equal ones the one with the lower column. */
AMG_RULE(void, join_row)(const tulle__amg_aggregates *a, int64_t i) {
    const tulle__amg_split *s = a->split;
    const OFFSET *offsets = (const OFFSET *)s->csr.offsets;
    const INDEX *cols_of = (const INDEX *)s->csr.cols_of;
    const VALUE *values = (const VALUE *)s->values;
    int64_t joined = a->nearest[i];
    const bool joins = s->kind[i] == TULLE__AMG_FINE && joined == TULLE__AMG_NOBODY;
    double most = 0;
    for (int64_t k = offsets[i]; k < (int64_t)offsets[i + 1] && joins; k++) {
        const int64_t j = cols_of[k];
        if (!s->strong[k] || a->nearest[j] == TULLE__AMG_NOBODY) continue;
        const double strength = AMG(strength_of)(a, i, j, (double)values[k]);
        if (!(strength > most)) continue;
        most = strength;
        joined = a->nearest[j];
    }
    ((INDEX *)a->aggregate)[i] = (INDEX)joined;
}

/* Number of entries of a row of T. */
AMG_RULE(int64_t, entries_of_tentative_row)(const tulle__amg_tentative *t, int64_t i) {
    return ((const INDEX *)t->of->aggregate)[i] >= 0;
}

/* A row of T: 1 in the column of the row's aggregate. */
AMG_RULE(void, fill_tentative_row)(const tulle__amg_tentative *t, int64_t i) {
    const INDEX aggregate = ((const INDEX *)t->of->aggregate)[i];
    const int64_t at = t->T.before[i];
    ((OFFSET *)t->T.offsets)[i] = (OFFSET)at;
    if (aggregate < 0) return;
    ((INDEX *)t->T.cols_of)[at] = aggregate;
    ((VALUE *)t->T.values)[at] = 1;
}

/* Number of entries of a row of S: the strong connections and the diagonal; a row of no aggregate
 * or without strong connections has none, as smoothing leaves its row of T as it is. */
AMG_RULE(int64_t, entries_of_smoothing_row)(const tulle__amg_tentative *t, int64_t i) {
    const tulle__amg_split *s = t->of->split;
    const OFFSET *offsets = (const OFFSET *)s->csr.offsets;
    int64_t strong = 0;
    if (((const INDEX *)t->of->aggregate)[i] < 0) return 0;
    for (int64_t k = offsets[i]; k < (int64_t)offsets[i + 1]; k++) strong += s->strong[k];
    return strong > 0 ? strong + 1 : 0;
}

/* A row of S = -omega D^-1 A_F. A_F has A's strong connections, and on its diagonal the sum of
 * A's diagonal entry and weak connections, so that both have the same row sums; d_i is the sum of
 * the sizes of A_F's row, with the sign of A's diagonal entry. */
AMG_RULE(void, fill_smoothing_row)(const tulle__amg_tentative *t, int64_t i) {
    const tulle__amg_split *s = t->of->split;
    const OFFSET *offsets = (const OFFSET *)s->csr.offsets;
    const INDEX *cols_of = (const INDEX *)s->csr.cols_of;
    const VALUE *values = (const VALUE *)s->values;
    int64_t at = t->S.before[i];
    ((OFFSET *)t->S.offsets)[i] = (OFFSET)at;
    if (t->S.before[i + 1] == at) return;
    double lumped = 0, sizes = 0, diagonal = 0;
    for (int64_t k = offsets[i]; k < (int64_t)offsets[i + 1]; k++) {
        if (cols_of[k] == i) diagonal = (double)values[k];
        if (s->strong[k]) {
            sizes += fabs((double)values[k]);
        } else {
            lumped += (double)values[k];
        }
    }
    sizes += fabs(lumped);
    if (diagonal < 0) sizes = -sizes;
    for (int64_t k = offsets[i]; k < (int64_t)offsets[i + 1]; k++) {
        if (!s->strong[k] && cols_of[k] != i) continue;
        const double entry = s->strong[k] ? (double)values[k] : lumped;
        ((INDEX *)t->S.cols_of)[at] = cols_of[k];
        ((VALUE *)t->S.values)[at++] = (VALUE)(-t->omega * (entry / sizes));
    }
}
