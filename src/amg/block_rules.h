/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of aggregation for systems, node by node: the same lines on every device, as in
 * rules.h. A node is a row of blocks. Included once for each type combination, with the names of
 * rules.h, and for sums over the rows of an aggregate
 *   AMG_EACH_ROW(r, rows)   the head of a loop over the rows that a lane has: on the CPU all rows
 *   AMG_PARTS               the number of partial sums that a lane has: on the CPU all
 *   AMG_PART(r)             the index of row r's partial sum among them
 *   AMG_SUM(part), AMG_MOST(part)   the sum and the largest of all partial results
 *   AMG_IS_FIRST            true for the lane that stores what all lanes know
 * Row r adds to partial sum r % 32, and partial sums are added in a tree of halves: part p takes
 * part p + 16, then p + 8, and so on. The lanes of a warp that exchange their sums do the same.
 * No include guard, on purpose. */

AMG_RULE(double, cell_of)(const tulle__amg_blocks *A, int64_t k, int p, int q) {
    return (double)((const VALUE *)A->values)[(k * A->tall + p) * A->wide + q];
}

/* The root of the sum of a block's squares, as multiples of the largest so that none overflows. */
AMG_RULE(double, size_of_block)(const tulle__amg_blocks *A, int64_t k) {
    double most = 0, sum = 0;
    for (int p = 0; p < A->tall; p++) {
        for (int q = 0; q < A->wide; q++) {
            const double size = fabs(AMG(cell_of)(A, k, p, q));
            if (size > most) most = size;
        }
    }
    if (most == 0) return 0;
    for (int p = 0; p < A->tall; p++) {
        for (int q = 0; q < A->wide; q++) {
            const double share = AMG(cell_of)(A, k, p, q) / most;
            sum += share * share;
        }
    }
    return most * sqrt(sum);
}

/* Takes the size of a node's next block to that of the diagonal block, or to the sum of the others.
 */
AMG_RULE(void, take_size)(bool is_own, double size, double *own, double *others) {
    if (is_own) {
        *own = size;
    } else {
        *others += size;
    }
}

/* The size of a node's diagonal block where the node takes part. */
AMG_RULE(double, size_of_node)(const tulle__amg_sizing *t, double own, double others) {
    return others >= t->least_others * own ? own : 0;
}

/* The number of row r of an aggregate whose list of nodes begins at `first`, in column 0. */
AMG_RULE(double *, near_row)(const tulle__amg_orthogonal *o, int64_t first, int64_t r) {
    const int64_t node = ((const INDEX *)o->nodes)[first + r / o->tall];
    return o->numbers + (node * o->tall + r % o->tall) * o->columns;
}

AMG_RULE(double, near_largest)(const tulle__amg_orthogonal *o, int64_t first, int64_t rows, int j) {
    double part[AMG_PARTS] = {0};
    AMG_EACH_ROW(r, rows) {
        const double size = fabs(AMG(near_row)(o, first, r)[j]);
        if (size > part[AMG_PART(r)]) part[AMG_PART(r)] = size;
    }
    return AMG_MOST(part);
}

AMG_RULE(double, near_product)
(const tulle__amg_orthogonal *o, int64_t first, int64_t rows, int i, int j) {
    double part[AMG_PARTS] = {0};
    AMG_EACH_ROW(r, rows) {
        const double *row = AMG(near_row)(o, first, r);
        part[AMG_PART(r)] += row[i] * row[j];
    }
    return AMG_SUM(part);
}

/* Column j := column j - factor column i */
AMG_RULE(void, near_take_off)
(const tulle__amg_orthogonal *o, int64_t first, int64_t rows, double factor, int i, int j) {
    AMG_EACH_ROW(r, rows) {
        double *row = AMG(near_row)(o, first, r);
        row[j] -= factor * row[i];
    }
}

/* Column j := column j / by, and 0 where it is dropped */
AMG_RULE(void, near_divide)
(const tulle__amg_orthogonal *o, int64_t first, int64_t rows, double by, bool dropped, int j) {
    AMG_EACH_ROW(r, rows) {
        double *row = AMG(near_row)(o, first, r);
        row[j] = dropped ? 0 : row[j] / by;
    }
}

/* Makes column j of an aggregate orthogonal to the columns before, by Gram and Schmidt's method
 * twice (W. Hoffmann, "Iterative algorithms for Gram-Schmidt orthogonalization", 1989), and 1 long;
 * stores column j of the triangle. A column of which next to nothing is left has zeros instead.
 * Returns true for such a column. */
AMG_RULE(bool, near_column)
(const tulle__amg_orthogonal *o, int64_t first, int64_t rows, double *triangle, int j) {
    double taken[TULLE__AMG_MOST_BLOCK] = {0};
    const double unit = AMG(near_largest)(o, first, rows, j);
    AMG(near_divide)(o, first, rows, unit, !(unit > 0), j);
    const double norm = sqrt(AMG(near_product)(o, first, rows, j, j));
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < j; i++) {
            const double factor = AMG(near_product)(o, first, rows, i, j);
            AMG(near_take_off)(o, first, rows, factor, i, j);
            taken[i] += factor;
        }
    }
    const double rest = sqrt(AMG(near_product)(o, first, rows, j, j));
    const bool dropped = !(rest > o->least * norm);
    AMG(near_divide)(o, first, rows, rest, dropped, j);
    taken[j] = dropped ? 0 : rest;
    if (!AMG_IS_FIRST) return dropped;
    for (int i = 0; i < o->columns; i++) triangle[i * o->columns + j] = taken[i] * unit;
    return dropped;
}

/* Makes the near null space of an aggregate orthonormal, and with the triangle its part of that of
 * the next level; returns the number of columns that were dropped. */
AMG_RULE(int, orthonormalise_aggregate)(const tulle__amg_orthogonal *o, int64_t g) {
    const OFFSET *offsets = (const OFFSET *)o->offsets;
    const int64_t first = offsets[g], rows = ((int64_t)offsets[g + 1] - first) * o->tall;
    double *triangle = o->coarse + g * o->columns * o->columns;
    int dropped = 0;
    for (int j = 0; j < o->columns; j++) {
        dropped += AMG(near_column)(o, first, rows, triangle, j);
    }
    return dropped;
}

AMG_RULE(void, spread_node)(const tulle__amg_spread *t, int64_t i) {
    const OFFSET *offsets = (const OFFSET *)t->T.offsets;
    if (offsets[i] == offsets[i + 1]) return;
    VALUE *to = (VALUE *)t->values + (int64_t)offsets[i] * t->cells;
    for (int c = 0; c < t->cells; c++) to[c] = (VALUE)t->numbers[i * t->cells + c];
}

/* Share of the numbers that a pivot is made of from which it counts. */
#define AMG_LEAST_PIVOT 1e-13

/* The row whose pivot is the largest, or -1: no pivot counts any more. */
AMG_RULE(int, next_pivot)(int n, const double *a, const double *least, unsigned done) {
    int best = -1;
    double size = 0;
    for (int p = 0; p < n; p++) {
        const double own = fabs(a[p * n + p]);
        if (done >> p & 1 || !(own > least[p]) || !(own > size)) continue;
        best = p;
        size = own;
    }
    return best;
}

/* Exchanges unknown p with right-hand side p. The bound of another row's pivot rises with what is
 * taken off that pivot, so that no unknown's unit matters. */
AMG_RULE(void, exchange_pivot)(int n, double *a, double *least, int p) {
    const double pivot = a[p * n + p];
    a[p * n + p] = 1;
    for (int q = 0; q < n; q++) a[p * n + q] /= pivot;
    for (int i = 0; i < n; i++) {
        const double factor = a[i * n + p];
        if (i == p || factor == 0) continue;
        a[i * n + p] = 0;
        least[i] += AMG_LEAST_PIVOT * fabs(factor * a[p * n + i]);
        for (int q = 0; q < n; q++) a[i * n + q] -= factor * a[p * n + q];
    }
}

/* Inverts a block in place by Gauss and Jordan's elimination with pivots from the diagonal, of
 * which the largest comes first. `least` has the sizes from which pivots count, and is written.
 * Rows and columns without a pivot become zeros. */
AMG_RULE(void, invert_block)(int n, double *a, double *least) {
    unsigned done = 0;
    for (int p = AMG(next_pivot)(n, a, least, done); p >= 0;
         p = AMG(next_pivot)(n, a, least, done)) {
        AMG(exchange_pivot)(n, a, least, p);
        done |= 1U << p;
    }
    for (int p = 0; p < n; p++) {
        for (int q = 0; q < n; q++) {
            if (!(done >> p & done >> q & 1)) a[p * n + q] = 0;
        }
    }
}

/* Stores the sizes of a block's diagonal, and returns in `least` those from which pivots count. */
AMG_RULE(void, bound_pivots)
(const tulle__amg_block_diagonal *t, int64_t i, const double *block, double *least) {
    const int n = t->A.tall;
    for (int p = 0; p < n; p++) {
        const double own = fabs(block[p * n + p]), made = t->made ? t->made[i * n + p] : 0;
        least[p] = AMG_LEAST_PIVOT * own;
        if (t->lost * made > least[p]) least[p] = t->lost * made;
        if (t->sizes) t->sizes[i * n + p] = own;
    }
}

/* A node's diagonal block and its inverse. */
AMG_RULE(void, diagonal_block)(const tulle__amg_block_diagonal *t, int64_t i) {
    const OFFSET *offsets = (const OFFSET *)t->A.csr.offsets;
    const INDEX *cols_of = (const INDEX *)t->A.csr.cols_of;
    const int n = t->A.tall;
    double *block = t->blocks + i * n * n, *inverse = t->inverses + i * n * n;
    double least[TULLE__AMG_MOST_BLOCK];
    for (int c = 0; c < n * n; c++) block[c] = 0;
    for (int64_t k = offsets[i]; k < (int64_t)offsets[i + 1]; k++) {
        if (cols_of[k] != i) continue;
        for (int c = 0; c < n * n; c++) block[c] = AMG(cell_of)(&t->A, k, c / n, c % n);
    }
    for (int c = 0; c < n * n; c++) inverse[c] = block[c];
    AMG(bound_pivots)(t, i, block, least);
    AMG(invert_block)(n, inverse, least);
}

/* The size of the numbers in A that an unknown of the next level is made of. */
AMG_RULE(void, restrict_size)(const tulle__amg_made_of *t, int64_t row) {
    const OFFSET *offsets = (const OFFSET *)t->R.csr.offsets;
    const INDEX *cols_of = (const INDEX *)t->R.csr.cols_of;
    const int64_t node = row / t->R.tall, end = offsets[node + 1];
    double sum = 0;
    for (int64_t k = offsets[node]; k < end; k++) {
        for (int q = 0; q < t->R.wide; q++) {
            const double cell = AMG(cell_of)(&t->R, k, (int)(row % t->R.tall), q);
            sum += cell * cell * t->from[(int64_t)cols_of[k] * t->R.wide + q];
        }
    }
    t->to[row] = sum;
}

/* Cell (p, q) of left B_k, where left is a block by rows, or NULL for the identity. */
AMG_RULE(double, left_cell)
(const tulle__amg_blocks *B, const double *left, int64_t k, int p, int q) {
    double sum = 0;
    if (!left) return AMG(cell_of)(B, k, p, q);
    for (int s = 0; s < B->tall; s++) sum += left[p * B->tall + s] * AMG(cell_of)(B, k, s, q);
    return sum;
}

/* The first number of the power method for a row. */
AMG_RULE(double, power_start)(int64_t row) {
    return tulle__amg_hash(row) / 2147483648.0 - 1;
}

/* Number of partial sums of a row of the power method, a power of 2: the lanes of a warp have the
 * partial sums of all rows of a node. */
AMG_RULE(int, power_parts)(int tall) {
    int parts = TULLE__AMG_SUM_PARTS;
    while (parts * tall > TULLE__AMG_SUM_PARTS) parts /= 2;
    return parts;
}

/* A partial sum of row p of a node's row of A x, of the blocks whose places in the row leave `part`
 * when they are divided by the number of parts. */
AMG_RULE(double, power_part)(const tulle__amg_power *t, int64_t i, int parts, int part, int p) {
    const OFFSET *offsets = (const OFFSET *)t->A.csr.offsets;
    const INDEX *cols_of = (const INDEX *)t->A.csr.cols_of;
    const int64_t end = offsets[i + 1];
    const int n = t->A.tall;
    double sum = 0;
    for (int64_t k = (int64_t)offsets[i] + part; k < end; k += parts) {
        for (int q = 0; q < n; q++) {
            const int64_t row = (int64_t)cols_of[k] * n + q;
            sum += AMG(cell_of)(&t->A, k, p, q) * (t->x ? t->x[row] : AMG(power_start)(row));
        }
    }
    return sum;
}

/* Number of blocks of a node's row of S. */
AMG_RULE(int64_t, blocks_of_smoothing)(const tulle__amg_block_smoothing *t, int64_t i) {
    const OFFSET *offsets = (const OFFSET *)t->A.csr.offsets, *with = (const OFFSET *)t->with;
    return with[i] < with[i + 1] ? (int64_t)(offsets[i + 1] - offsets[i]) : 0;
}

/* Stores cell c of a node's row of S = I - omega D^-1 A, in block `at` of S, which is that of block
 * k of A. A node that has an aggregate has a diagonal block. */
AMG_RULE(void, store_smoothing)
(const tulle__amg_block_smoothing *t, int64_t i, int64_t k, int64_t at, int c) {
    const INDEX *cols_of = (const INDEX *)t->A.csr.cols_of;
    const int n = t->A.tall;
    const double cell = AMG(left_cell)(&t->A, t->inverses + i * n * n, k, c / n, c % n);
    const double own = cols_of[k] == i && c / n == c % n ? 1 : 0;
    ((VALUE *)t->values)[at * n * n + c] = (VALUE)(own - t->omega * cell);
    if (c == 0) ((INDEX *)t->cols_of)[at] = cols_of[k];
}

/* Cell c of block k, in a row of blocks, of left_i B right_j. */
AMG_RULE(double, scaled_cell)(const tulle__amg_scaling *t, int64_t row, int64_t k, int c) {
    const tulle__amg_blocks *B = &t->B;
    const double *left = t->left ? t->left + row * B->tall * B->tall : NULL;
    const int p = c / B->wide, q = c % B->wide;
    if (t->mask) {
        const int64_t words = (B->tall * B->wide + 31) / 32;
        if (!(t->mask[k * words + c / 32] >> c % 32 & 1)) return 0;
    }
    if (!t->right) return AMG(left_cell)(B, left, k, p, q);
    const int64_t col = ((const INDEX *)B->csr.cols_of)[k];
    const double *right = t->right + col * B->wide * B->wide;
    double sum = 0;
    for (int s = 0; s < B->wide; s++) {
        sum += AMG(left_cell)(B, left, k, p, s) * right[s * B->wide + q];
    }
    return sum;
}

/* Stores a cell of the scaled matrix; returns false where its number is not finite. */
AMG_RULE(bool, store_scaled)(const tulle__amg_scaling *t, int64_t k, int c, double number) {
    const int64_t at = k * t->B.tall * t->B.wide + c;
    if (t->type == TULLE_F32) {
        const float narrow = (float)number;
        ((float *)t->to)[at] = narrow;
        return fabsf(narrow) < INFINITY;
    }
    ((double *)t->to)[at] = number;
    return fabs(number) < INFINITY;
}
