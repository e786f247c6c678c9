/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of triangular solves and of ILU(0), the same lines on every device. Compiles as C17, once
 * for each type, and as CUDA C++. No include guard, on purpose.
 *
 * Who includes this has defined FUNCTION(type, name), before the arguments of a function; VALUE;
 * NUMBERS, what f[slot] and z[row] are of; and LOAD(p), a number of the pattern. */

/* Computes z_i := (z_i - the sum of the row's products on one side of its diagonal) / its diagonal,
 * or / 1. Entries that the pattern lacks are 0. */
FUNCTION(void, solve_row)
(const tulle__uniform_view *p, NUMBERS f, NUMBERS z, int row, tulle_part part, bool unit) {
    const int diagonal = LOAD(p->diagonal + row), lower = LOAD(p->lower + row);
    const int first = LOAD(p->first + row);
    const int begin = part == TULLE_LOWER ? 0 : lower + (diagonal >= 0);
    const int end = part == TULLE_LOWER ? lower : LOAD(p->length + row);
    VALUE sum = z[row];
    for (int e = begin; e < end; e++) {
        const int slot = first + e * p->step;
        const VALUE number = f[slot], with = z[LOAD(p->columns + slot)];
        sum -= number * with;
    }
    if (!unit) {
        VALUE pivot = 0;
        if (diagonal >= 0) pivot = f[diagonal];
        sum /= pivot;
    }
    z[row] = sum;
}

/* Replaces a row of A by the row of the factors, once the rows on which it depends are done;
 * returns true if its pivot is usable. Saad, "Iterative Methods for Sparse Linear Systems",
 * algorithm 10.4, with its steps listed beforehand (jobs.h). */
FUNCTION(bool, factor_row)(const tulle__uniform_view *p, NUMBERS f, int row) {
    int at = LOAD(p->steps_of + row);
    const int end = LOAD(p->steps_of + row + 1);
    while (at < end) {
        const int slot = LOAD(p->steps + at), diagonal = LOAD(p->steps + at + 1);
        const int last = at + 3 + 2 * LOAD(p->steps + at + 2);
        VALUE number = f[slot], pivot = 0;
        if (diagonal >= 0) pivot = f[diagonal];
        number /= pivot;
        f[slot] = number;
        for (at += 3; at < last; at += 2) {
            const VALUE other = f[LOAD(p->steps + at + 1)];
            f[LOAD(p->steps + at)] -= number * other;
        }
    }
    const int own = LOAD(p->diagonal + row);
    VALUE pivot = 0;
    if (own >= 0) pivot = f[own];
    return tulle__uniform_inverts((double)(1 / pivot));
}
