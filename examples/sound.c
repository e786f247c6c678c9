/* SPDX-License-Identifier: Apache-2.0 */
/* A pulse of sound in a wind: Euler's equations, linearised about a steady flow, in implicit steps
 * of time. A node has five coupled unknowns, so the matrix has blocks of 5 x 5; it is not
 * symmetric. BiCGStab solves with multigrid of nodes. The Courant number is by how many cells sound
 * moves in a step in air at rest. Usage: example-sound [cells a side [Courant number [a place such
 * as cpu:2]]] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tulle/tulle.h>

enum { UNKNOWNS = 5, BLOCK = UNKNOWNS * UNKNOWNS, STEPS = 4, MOST_BLOCKS = 7 };

/* Velocity of the wind, in speeds of sound. */
static const double wind[3] = {0.5, 0.2, -0.1};

/* Unknowns of a node: density, velocity along x, y and z, pressure; all are differences to the
 * steady flow, in units in which density and speed of sound of that flow are 1. */
enum { DENSITY, VELOCITY, PRESSURE = 4 };

static void check(tulle_status status) {
    if (status == TULLE_OK) return;
    fprintf(stderr, "%s\n", tulle_last_error()->message);
    exit(EXIT_FAILURE);
}

static void *allocate(int64_t count, size_t size) {
    void *array = calloc((size_t)count, size);
    if (array) return array;
    fprintf(stderr, "there is no memory\n");
    exit(EXIT_FAILURE);
}

/* Adds to a block the part of the flux along an axis that moves forward (sign 1) or backward
 * (sign -1), times `factor`. Sound moves at u + 1 and u - 1 by p + u_axis and p - u_axis; what else
 * there is moves at u: the other velocities, and density less pressure. P. L. Roe, "Approximate
 * Riemann solvers, parameter vectors, and difference schemes" (1981), for a linear flux. */
static void add_flux(int axis, int sign, double factor, double block[BLOCK]) {
    const double u = wind[axis];
    const double along = fmax(0, sign * u) * sign;
    const double right = fmax(0, sign * (u + 1)) * sign, left = fmax(0, sign * (u - 1)) * sign;
    const double mean = factor * (right + left) / 2, half = factor * (right - left) / 2;
    const int v = VELOCITY + axis;
    for (int r = VELOCITY; r < PRESSURE; r++) {
        if (r != v) block[r * UNKNOWNS + r] += factor * along;
    }
    block[v * UNKNOWNS + v] += mean;
    block[v * UNKNOWNS + PRESSURE] += half;
    for (int r = DENSITY; r <= PRESSURE; r += PRESSURE) { /* density moves as pressure does */
        block[r * UNKNOWNS + v] += half;
        block[r * UNKNOWNS + PRESSURE] += mean;
    }
    block[DENSITY * UNKNOWNS + DENSITY] += factor * along;
    block[DENSITY * UNKNOWNS + PRESSURE] -= factor * along;
}

/* Makes the matrix of a step: I + courant sum over axes of (F+ (W_i - W_i-1) + F- (W_i+1 - W_i)),
 * F+ and F- the parts of the flux; nothing comes in from outside. */
static tulle_mat *matrix_of(tulle_ctx *ctx, int side, double courant) {
    const int64_t nodes = (int64_t)side * side * side, stride[3] = {1, side, (int64_t)side * side};
    int32_t *offsets = allocate(nodes + 1, sizeof *offsets);
    int32_t *columns = allocate(MOST_BLOCKS * nodes, sizeof *columns);
    double *values = allocate(MOST_BLOCKS * nodes * BLOCK, sizeof *values);
    int32_t count = 0;
    for (int64_t i = 0; i < nodes; i++) {
        for (int k = -3; k <= 3; k++) {
            const int axis = abs(k) - 1, sign = k < 0 ? 1 : -1;
            double *block = values + (int64_t)count * BLOCK;
            if (k == 0) {
                for (int r = 0; r < UNKNOWNS; r++) block[r * UNKNOWNS + r] = 1;
                for (int d = 0; d < 3; d++) {
                    add_flux(d, 1, courant, block);
                    add_flux(d, -1, -courant, block);
                }
            } else {
                const int64_t at = i / stride[axis] % side;
                if (at == (k < 0 ? 0 : side - 1)) continue;
                add_flux(axis, sign, k < 0 ? -courant : courant, block);
            }
            columns[count++] = (int32_t)(i + (k == 0 ? 0 : -sign * stride[axis]));
        }
        offsets[i + 1] = count;
    }
    const tulle_storage storage = {
        .stored = (int64_t)count * BLOCK, .block = UNKNOWNS, .full = true};
    const tulle_mat_arrays arrays = {.offsets = offsets, .cols = columns, .values = values};
    tulle_mat *A;
    check(tulle_mat_create(ctx, nodes * UNKNOWNS, nodes * UNKNOWNS, TULLE_BSR, &storage, TULLE_I32,
                           &arrays, TULLE_F64, NULL, &A));
    free(values);
    free(columns);
    free(offsets);
    return A;
}

/* Puts a pulse of pressure into the middle; density rises as sound has it. */
static void begin(int side, double *w) {
    for (int64_t i = 0; i < (int64_t)side * side * side; i++) {
        const double x = (double)(i % side) / side - 0.5,
                     y = (double)(i / side % side) / side - 0.5;
        const double z = (double)(i / side / side) / side - 0.5;
        w[i * UNKNOWNS + PRESSURE] = exp(-40 * (x * x + y * y + z * z));
        w[i * UNKNOWNS + DENSITY] = w[i * UNKNOWNS + PRESSURE];
    }
}

/* Returns the energy of sound, velocities and heat, which no step can make grow. */
static double energy_of(int64_t nodes, const double *w) {
    double sum = 0;
    for (int64_t i = 0; i < nodes; i++) {
        const double *of = w + i * UNKNOWNS, heat = of[DENSITY] - of[PRESSURE];
        for (int r = VELOCITY; r <= PRESSURE; r++) sum += of[r] * of[r];
        sum += heat * heat;
    }
    return sum / (double)nodes;
}

/* Preconditioners: multigrid of nodes, for steps in which sound moves by a few cells; from some 20
 * on, where next to nothing is left of the identity, the smoother does not reduce what the wind
 * carries. Incomplete factors of blocks solve along the wind from node to node, and hardly need
 * more iterations the larger the Courant number is. */
enum { MULTIGRID, FACTORS, PRECONDITIONERS };
static const char *const names[PRECONDITIONERS] = {"multigrid of nodes", "factors of blocks"};

static tulle_linop *precond_of(tulle_ctx *ctx, tulle_mat *A, int which) {
    const tulle_amg_options amg = {.block = UNKNOWNS};
    const tulle_factor_options ilu = {.kind = TULLE_LU};
    tulle_factor *F;
    tulle_linop *M;
    if (which == MULTIGRID) {
        check(tulle_amg_create(ctx, A, &amg, &M));
        return M;
    }
    check(tulle_factor_create(ctx, A, &ilu, &F));
    check(tulle_linop_from_factor(ctx, F, TULLE_F64, &M));
    tulle_factor_destroy(F);
    return M;
}

/* Makes the steps with one preconditioner; returns the energy at the end, or NAN where a step had
 * no solution or the energy grew. */
static double run(tulle_ctx *ctx, tulle_mat *A, int side, int which) {
    const int64_t nodes = (int64_t)side * side * side, rows = nodes * UNKNOWNS;
    const tulle_solver_options options = {.method = TULLE_BICGSTAB, .tolerance = 1e-8};
    double *w = allocate(rows, sizeof *w);
    tulle_linop *L, *M = precond_of(ctx, A, which);
    tulle_solver *S;
    tulle_solver_report report;
    tulle_vec *b, *x;
    check(tulle_linop_from_mat(ctx, A, &L));
    check(tulle_solver_create(ctx, L, M, &options, &S));
    check(tulle_vec_create(ctx, TULLE_F64, rows, &b));
    check(tulle_vec_create(ctx, TULLE_F64, rows, &x));
    begin(side, w);
    double energy = energy_of(nodes, w);
    for (int step = 1; step <= STEPS && energy == energy; step++) {
        const double before = energy;
        check(tulle_vec_write(ctx, b, w, 0));
        check(tulle_vec_fill(ctx, x, 0));
        check(tulle_solver_run(ctx, S, b, x, &report));
        check(tulle_vec_read(ctx, x, w, 0));
        energy = energy_of(nodes, w);
        printf("%s, step %d: %s, %lld iterations, energy %.4g\n", names[which], step,
               tulle_outcome_text(report.outcome), (long long)report.iterations, energy);
        if (report.outcome != TULLE_CONVERGED || !(energy < before)) energy = (double)NAN;
    }
    free(w);
    tulle_vec_destroy(x);
    tulle_vec_destroy(b);
    tulle_solver_destroy(S);
    tulle_linop_destroy(L);
    tulle_linop_destroy(M);
    return energy;
}

int main(int argc, char **argv) {
    const int side = argc > 1 ? atoi(argv[1]) : 16;
    const double courant = argc > 2 ? atof(argv[2]) : 5;
    tulle_ctx *ctx;
    if (side < 1 || !(courant > 0)) {
        fprintf(stderr, "usage: %s [cells a side, from 1 on [Courant number above 0 [place]]]\n",
                argv[0]);
        return EXIT_FAILURE;
    }
    check(tulle_ctx_create(argc > 3 ? argv[3] : "auto", NULL, &ctx));
    tulle_mat *A = matrix_of(ctx, side, courant);
    double energy[PRECONDITIONERS];
    for (int k = 0; k < PRECONDITIONERS; k++) energy[k] = run(ctx, A, side, k);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    const double apart = fabs(energy[MULTIGRID] - energy[FACTORS]);
    return apart <= 1e-6 * energy[FACTORS] ? EXIT_SUCCESS : EXIT_FAILURE;
}
