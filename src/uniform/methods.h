/* SPDX-License-Identifier: Apache-2.0 */
/* The methods, the same lines on every device: on a CPU a thread has a system, and vectors are
 * arrays; on a GPU a block of threads has one, each some of its rows, and vectors are registers.
 * Compiles as C17, once for each type, and as CUDA C++. No include guard, on purpose.
 *
 * Who includes this has defined
 *   FUNCTION(type, name)   before the arguments of a function, of which SYSTEM *a is the first
 *   VALUE             the type of vectors; scalars are double
 *   VECTOR(v, k)      declares vector number k, from 0, up to 4
 *   EACH(i)           a loop over rows: v[i]. All threads' rows are all rows, and maybe some more,
 *                     where vectors are 0
 *   CALL(f, ...)      calls function f of this place:
 *     multiply(a, x, y)           y := A x
 *     precondition(a, x, y)       y := M x
 *     dot(a, x, y)                the inner product
 *     dots(a, x, y, u, v, sums)   (x, y) and (u, v)
 *     square(a, x, by)            the sum of squares of by x
 *     largest(a, x)               the largest size; NaN is larger than all
 *     residual(a)                 r := b - A x; its norm, in twice the precision
 *   ONE_THREAD(a)     whether this is the one that writes what the system has once
 *   MEET(a)           after it all threads see what each has written before
 *   BASIS(k, i)       GMRES: number i of vector k of the basis
 * and a has n, x, r, scale, limit, norm (of r when a method begins), iterations, most_iterations,
 * restart, small and triangle (jobs.h). x, r, limit and norm are those of b times scale. */

/* Returns true when a sum of squares has lost no square at the ends of f64. */
FUNCTION(bool, fits)(const SYSTEM *a, double square) {
    (void)a;
    return square > 1e-280 && square < 1e300;
}

/* Returns the 2-norm, given the sum of squares. If that is not reliable, because A's numbers are
 * near the ends of f64, the vector is scaled to numbers near 1 first. */
FUNCTION(double, norm)(const SYSTEM *a, const VALUE *v, double sum) {
    if (CALL(fits, a, sum)) return sqrt(sum);
    const double most = CALL(largest, a, v);
    if (most == 0 || !tulle__uniform_is_number(most)) return most;
    const double by = tulle__uniform_scale(false, most);
    return sqrt(CALL(square, a, v, by)) / by;
}

/* The method of conjugate gradients (Hestenes and Stiefel; Saad, "Iterative Methods for Sparse
 * Linear Systems", algorithm 9.1). */
FUNCTION(int, cg)(SYSTEM *a) {
    VECTOR(z, 0);
    VECTOR(p, 1);
    VECTOR(q, 2);
    CALL(precondition, a, a->r, z);
    double rho = CALL(dot, a, a->r, z);
    if (!tulle__uniform_is_number(rho)) return TULLE_NOT_A_NUMBER;
    if (rho <= 0) return TULLE_INDEFINITE;
    EACH(i) p[i] = z[i];
    while (a->iterations < a->most_iterations) {
        CALL(multiply, a, p, q);
        const double curvature = CALL(dot, a, p, q), alpha = rho / curvature;
        if (!tulle__uniform_is_number(curvature)) return TULLE_NOT_A_NUMBER;
        if (curvature <= 0) return TULLE_INDEFINITE;
        if (!tulle__uniform_is_number(alpha)) return TULLE_NOT_A_NUMBER;
        EACH(i) {
            a->x[i] += (VALUE)alpha * p[i];
            a->r[i] -= (VALUE)alpha * q[i];
        }
        CALL(precondition, a, a->r, z);
        double sums[2];
        CALL(dots, a, a->r, a->r, a->r, z, sums);
        a->iterations++;
        if (!tulle__uniform_is_number(sums[0])) return TULLE_NOT_A_NUMBER;
        if (sqrt(sums[0]) <= a->limit) return TULLE_CONVERGED;
        if (!tulle__uniform_is_number(sums[1])) return TULLE_NOT_A_NUMBER;
        if (sums[1] <= 0) return TULLE_INDEFINITE;
        const VALUE beta = (VALUE)(sums[1] / rho);
        rho = sums[1];
        EACH(i) p[i] = z[i] + beta * p[i];
    }
    return TULLE_MOST_ITERATIONS;
}

/* BiCGStab, with van der Vorst's names; r after half a step is his s. x moves at each half. */
FUNCTION(int, bicgstab)(SYSTEM *a) {
    VECTOR(first, 0);
    VECTOR(p, 1);
    VECTOR(v, 2);
    VECTOR(t, 3);
    VECTOR(hat, 4);
    double rho = a->norm * a->norm, sums[2];
    EACH(i) first[i] = p[i] = a->r[i];
    while (a->iterations < a->most_iterations) {
        CALL(precondition, a, p, hat);
        CALL(multiply, a, hat, v);
        const double step = CALL(dot, a, first, v), alpha = rho / step;
        if (step == 0) return TULLE_BROKE_DOWN;
        if (!tulle__uniform_is_number(alpha)) return TULLE_NOT_A_NUMBER;
        EACH(i) {
            a->x[i] += (VALUE)alpha * hat[i];
            a->r[i] -= (VALUE)alpha * v[i];
        }
        CALL(precondition, a, a->r, hat);
        CALL(multiply, a, hat, t);
        CALL(dots, a, t, a->r, t, t, sums);
        /* if t is 0, the half step has solved the system, or no further step exists */
        double omega = sums[0] / sums[1];
        if (!CALL(fits, a, sums[1])) {
            const double length = CALL(norm, a, t, sums[1]);
            omega = length == 0 ? 0 : sums[0] / length / length;
        }
        if (!tulle__uniform_is_number(omega)) return TULLE_NOT_A_NUMBER;
        EACH(i) {
            a->x[i] += (VALUE)omega * hat[i];
            a->r[i] -= (VALUE)omega * t[i];
        }
        CALL(dots, a, a->r, a->r, first, a->r, sums);
        a->iterations++;
        if (!tulle__uniform_is_number(sums[0])) return TULLE_NOT_A_NUMBER;
        if (sqrt(sums[0]) <= a->limit) return TULLE_CONVERGED;
        if (omega == 0 || sums[1] == 0) return TULLE_BROKE_DOWN;
        const double beta = sums[1] / rho * (alpha / omega);
        if (!tulle__uniform_is_number(beta)) return TULLE_NOT_A_NUMBER;
        rho = sums[1];
        EACH(i) p[i] = a->r[i] + (VALUE)beta * (p[i] - (VALUE)omega * v[i]);
    }
    return TULLE_MOST_ITERATIONS;
}

#define SMALL(array, k) a->small[(array) * (a->restart + 1) + (k)]

/* Keeps a component of w; one thread calls this function. */
FUNCTION(void, keep)(SYSTEM *a, int k, double component, bool again) {
    const double before = again ? (double)SMALL(TULLE__UNIFORM_COLUMN, k) : 0;
    SMALL(TULLE__UNIFORM_PART, k) = component;
    SMALL(TULLE__UNIFORM_COLUMN, k) = before + component;
}

/* Computes w := w - V V^T w for the first vectors V of the basis; the components go into the
 * column. */
FUNCTION(void, project)(SYSTEM *a, int vectors, VALUE *w, bool again) {
    VECTOR(u, 2);
    VECTOR(v, 3);
    MEET(a);
    for (int k = 0; k < vectors; k += 2) {
        const int two = k + 1 < vectors;
        double sums[2];
        EACH(i) u[i] = BASIS(k, i);
        EACH(i) v[i] = BASIS(k + two, i);
        CALL(dots, a, u, w, v, w, sums);
        if (!ONE_THREAD(a)) continue;
        CALL(keep, a, k, sums[0], again);
        if (two) CALL(keep, a, k + 1, sums[1], again);
    }
    MEET(a);
    for (int k = 0; k < vectors; k++) {
        const double sum = SMALL(TULLE__UNIFORM_PART, k);
        EACH(i) w[i] -= (VALUE)sum * BASIS(k, i);
    }
}

/* Makes column k of the Hessenberg matrix, with `below` under it, triangular by Givens' rotations
 * (Saad, 6.5.3). *right is the last number of the right side before and after; its size is the
 * residual's norm. A column that is nothing but roundoff, because A is singular, does not count. */
FUNCTION(int, rotate)(SYSTEM *a, int k, double below, double *right) {
    double carried = SMALL(TULLE__UNIFORM_COLUMN, 0), largest = fmax(fabs(carried), below);
    const int64_t column = (int64_t)k * (k + 1) / 2;
    for (int i = 0; i < k; i++) {
        const double next = SMALL(TULLE__UNIFORM_COLUMN, i + 1);
        const double cosine = SMALL(TULLE__UNIFORM_COSINES, i);
        const double sine = SMALL(TULLE__UNIFORM_SINES, i);
        largest = fmax(largest, fabs(next));
        if (ONE_THREAD(a)) a->triangle[column + i] = cosine * carried + sine * next;
        carried = cosine * next - sine * carried;
    }
    const double length = hypot(carried, below);
    const double noise = 100 * largest * (sizeof *a->r == sizeof(float) ? 0x1p-24 : 0x1p-53);
    if (!tulle__uniform_is_number(length)) return TULLE_NOT_A_NUMBER;
    if (length <= noise) return TULLE_BROKE_DOWN;
    if (ONE_THREAD(a)) {
        a->triangle[column + k] = length;
        SMALL(TULLE__UNIFORM_COSINES, k) = carried / length;
        SMALL(TULLE__UNIFORM_SINES, k) = below / length;
        SMALL(TULLE__UNIFORM_RIGHT, k) = *right * (carried / length);
    }
    *right *= -(below / length);
    return TULLE__UNIFORM_GOES_ON;
}

/* Computes x := x + M V y, with y from the triangular system. */
FUNCTION(void, improve)(SYSTEM *a, int vectors, VALUE *w, VALUE *z) {
    for (int k = vectors - 1; ONE_THREAD(a) && k >= 0; k--) {
        double sum = SMALL(TULLE__UNIFORM_RIGHT, k);
        for (int l = k + 1; l < vectors; l++) {
            sum -= a->triangle[(int64_t)l * (l + 1) / 2 + k] * SMALL(TULLE__UNIFORM_Y, l);
        }
        SMALL(TULLE__UNIFORM_Y, k) = sum / a->triangle[(int64_t)k * (k + 1) / 2 + k];
    }
    MEET(a);
    EACH(i) w[i] = 0;
    for (int k = 0; k < vectors; k++) {
        const double y = SMALL(TULLE__UNIFORM_Y, k);
        EACH(i) w[i] += (VALUE)y * BASIS(k, i);
    }
    CALL(precondition, a, w, z);
    EACH(i) a->x[i] += z[i];
}

/* One cycle of GMRES. A vector is made orthogonal to those before it by the classical Gram-Schmidt
 * method, twice: further passes gain nothing in floating point (L. Giraud, J. Langou, M. Rozloznik
 * and J. van den Eshof 2005). */
FUNCTION(int, gmres)(SYSTEM *a) {
    VECTOR(w, 0);
    VECTOR(z, 1);
    double right = a->norm;
    int vectors = 0, said = TULLE__UNIFORM_GOES_ON;
    EACH(i) BASIS(0, i) = (VALUE)((double)a->r[i] / a->norm);
    while (vectors < a->restart && said == TULLE__UNIFORM_GOES_ON) {
        if (a->iterations == a->most_iterations) {
            said = TULLE_MOST_ITERATIONS;
            break;
        }
        EACH(i) w[i] = BASIS(vectors, i);
        CALL(precondition, a, w, z);
        CALL(multiply, a, z, w);
        CALL(project, a, vectors + 1, w, false);
        CALL(project, a, vectors + 1, w, true);
        const double below = CALL(norm, a, w, CALL(dot, a, w, w));
        a->iterations++;
        said = CALL(rotate, a, vectors, below, &right);
        if (said != TULLE__UNIFORM_GOES_ON) break;
        vectors++;
        if (fabs(right) <= a->limit) said = TULLE_CONVERGED;
        if (vectors < a->restart && below > 0) {
            EACH(i) BASIS(vectors, i) = (VALUE)((double)w[i] / below);
        } else if (vectors < a->restart && said == TULLE__UNIFORM_GOES_ON) {
            said = TULLE_BROKE_DOWN;
        }
    }
    if (vectors > 0) CALL(improve, a, vectors, w, z);
    return said;
}

#undef SMALL

/* Returns the outcome of a system, or TULLE__UNIFORM_GOES_ON to start the method again, once the
 * method has ended and the residual was computed anew. before: the residual's norm the last time.
 * said: the method's own result. */
FUNCTION(int, judge)(const SYSTEM *a, double before, int said, int *begun_anew) {
    enum { MOST_ROUNDS = 10 };
    const double least_gain = 0.5;
    if (!tulle__uniform_is_number(a->norm)) return TULLE_NOT_A_NUMBER;
    if (a->norm <= a->limit) return TULLE_CONVERGED;
    if (said != TULLE_CONVERGED && said != TULLE__UNIFORM_GOES_ON) return said;
    if (a->iterations >= a->most_iterations) return TULLE_MOST_ITERATIONS;
    if (said == TULLE__UNIFORM_GOES_ON) return said;
    if (!(a->norm <= least_gain * before) || *begun_anew == MOST_ROUNDS) return TULLE_STAGNATED;
    ++*begun_anew;
    return TULLE__UNIFORM_GOES_ON;
}

/* Returns the outcome of a system that has converged, for x as the caller gets it: in the units of
 * b, in which numbers may be Inf, or have lost digits, where A's are far from b's. */
FUNCTION(int, judge_in_units)(SYSTEM *a) {
    EACH(i) a->x[i] = a->x[i] * (VALUE)(1 / a->scale) * (VALUE)a->scale;
    a->norm = CALL(residual, a);
    if (!tulle__uniform_is_number(a->norm)) return TULLE_NOT_A_NUMBER;
    return a->norm <= a->limit ? TULLE_CONVERGED : TULLE_STAGNATED;
}

/* Solves a system, whose r and norm are those at the start. */
FUNCTION(int, solve)(SYSTEM *a, tulle_method method) {
    int begun_anew = 0;
    double before = INFINITY;
    int ended = CALL(judge, a, before, TULLE__UNIFORM_GOES_ON, &begun_anew);
    before = a->norm;
    while (ended == TULLE__UNIFORM_GOES_ON) {
        const int said = method == TULLE_CG         ? CALL(cg, a)
                         : method == TULLE_BICGSTAB ? CALL(bicgstab, a)
                                                    : CALL(gmres, a);
        a->norm = CALL(residual, a);
        ended = CALL(judge, a, before, said, &begun_anew);
        if (said != TULLE__UNIFORM_GOES_ON) before = a->norm;
    }
    if (ended == TULLE_CONVERGED && a->scale != 1) return CALL(judge_in_units, a);
    return ended;
}
