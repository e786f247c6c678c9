/* SPDX-License-Identifier: Apache-2.0 */
/* Gas in a periodic box of many small zones: the Euler equations, five unknowns a cell, Rusanov's
 * flux, implicit steps to the steady flow. A step is one batch of every zone's tasks: the residual,
 * which couples it to its neighbours; the factors of its own 5 x 5 blocks; the solution with them;
 * the new state. Usage: example-zones [a place such as cpu:2] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tulle/batch.h>
#include <tulle/factor.h>
#include <tulle/tulle.h>

enum {
    B = 5,                /* density, momentum, energy */
    ZONES = 3,            /* in each direction */
    CELLS = 4,            /* cells of a zone in each direction */
    SIDE = ZONES * CELLS, /* cells of the box */
    ALL_ZONES = ZONES * ZONES * ZONES,
    ZONE = CELLS * CELLS * CELLS,
    ALL = ALL_ZONES * ZONE,
    FACES = 6,
    STEPS = 100
};
static const double heat_ratio = 1.4, courant = 5, wanted = 1e-3;

/* Numbers of a sparse matrix in blocks, for the rows of a zone. */
typedef struct blocks {
    int32_t offsets[ZONE + 1], columns[ZONE * (FACES + 1)];
    double values[ZONE * (FACES + 1) * B * B];
    tulle_mat *A;
} blocks;

/* R = -K(w) w, for the flux is homogeneous in w: F(w) = F'(w) w. Own: K's columns of the zone's own
 * cells, and 1 / dt on the diagonal. */
typedef struct zone {
    blocks all, own;
    tulle_factor *F;
    tulle_vec *w, *R, *change, *square;
    int residual, solved; /* tasks */
} zone;

static double w[ALL * B];

static void check(tulle_status status) {
    if (status == TULLE_OK) return;
    fprintf(stderr, "%s\n", tulle_last_error()->message);
    exit(EXIT_FAILURE);
}

/* Cells of a zone stand one after another. */
static int cell_at(const int at[3]) {
    int number = 0, inside = 0;
    for (int d = 2; d >= 0; d--) {
        const int c = (at[d] + SIDE) % SIDE;
        number = number * ZONES + c / CELLS;
        inside = inside * CELLS + c % CELLS;
    }
    return number * ZONE + inside;
}

static void place_of(int cell, int at[3]) {
    int number = cell / ZONE, inside = cell % ZONE;
    for (int d = 0; d < 3; d++) {
        at[d] = number % ZONES * CELLS + inside % CELLS;
        number /= ZONES;
        inside /= CELLS;
    }
}

/* The cell behind face f: f / 2 is its direction, f % 2 its side. */
static int neighbour(int cell, int f) {
    int at[3];
    place_of(cell, at);
    at[f / 2] += f % 2 ? 1 : -1;
    return cell_at(at);
}

/* c: the speed of sound. */
static void velocity_of(const double *u, double v[3], double *c) {
    double square = 0;
    for (int d = 0; d < 3; d++) v[d] = u[1 + d] / u[0];
    for (int d = 0; d < 3; d++) square += v[d] * v[d];
    *c = sqrt(heat_ratio * (heat_ratio - 1) * (u[4] / u[0] - square / 2));
}

static double speed_of(const double *u, int d) {
    double v[3], c;
    velocity_of(u, v, &c);
    return fabs(v[d]) + c;
}

/* block += factor F'(u) in direction d. */
static void add_jacobian(const double *u, int d, double factor, double *block) {
    double v[3], c;
    velocity_of(u, v, &c);
    const double g = heat_ratio - 1, q = g / 2 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const double enthalpy = c * c / g + q / g;
    block[1 + d] += factor;
    for (int k = 0; k < 3; k++) {
        double *row = block + (1 + k) * B;
        row[0] += factor * ((k == d) * q - v[k] * v[d]);
        for (int l = 0; l < 3; l++) {
            row[1 + l] += factor * ((l == d) * v[k] - g * v[l] * (k == d) + (k == l) * v[d]);
        }
        row[4] += factor * g * (k == d);
    }
    double *energy = block + (size_t)4 * B;
    energy[0] += factor * (q - enthalpy) * v[d];
    for (int l = 0; l < 3; l++) {
        energy[1 + l] += factor * ((l == d) * enthalpy - g * v[l] * v[d]);
    }
    energy[4] += factor * heat_ratio * v[d];
}

static void add_diagonal(double number, double *block) {
    for (int i = 0; i < B; i++) block[i * B + i] += number;
}

static int ascending(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

/* A cell and those around it, ascending. */
static void columns_of(int cell, int columns[FACES + 1]) {
    for (int f = 0; f < FACES; f++) columns[f] = neighbour(cell, f);
    columns[FACES] = cell;
    qsort(columns, FACES + 1, sizeof *columns, ascending);
}

static void fill_pattern(zone *z, int number) {
    int32_t all = 0, own = 0;
    for (int i = 0; i < ZONE; i++) {
        int columns[FACES + 1];
        columns_of(number * ZONE + i, columns);
        z->all.offsets[i] = all;
        z->own.offsets[i] = own;
        for (int k = 0; k <= FACES; k++) {
            z->all.columns[all++] = columns[k];
            if (columns[k] / ZONE == number) z->own.columns[own++] = columns[k] % ZONE;
        }
    }
    z->all.offsets[ZONE] = all;
    z->own.offsets[ZONE] = own;
}

static double *block_at(blocks *m, int row, int column) {
    int e = m->offsets[row];
    while (m->columns[e] != column) e++;
    return m->values + (size_t)e * B * B;
}

/* Fills the matrices of a time step: the flux through a face is half the sum of the fluxes of both
 * sides and half the difference of both states times the speed. */
static void fill_values(zone *z, int number, double dt) {
    memset(z->all.values, 0, sizeof z->all.values);
    memset(z->own.values, 0, sizeof z->own.values);
    for (int i = 0; i < ZONE; i++) {
        const int cell = number * ZONE + i;
        double *diagonal = block_at(&z->all, i, cell);
        for (int f = 0; f < FACES; f++) {
            const int other = neighbour(cell, f), d = f / 2;
            const double *here = w + (size_t)cell * B, *there = w + (size_t)other * B;
            const double side = f % 2 ? 0.5 : -0.5;
            const double speed = fmax(speed_of(here, d), speed_of(there, d));
            double *block = block_at(&z->all, i, other);
            add_jacobian(here, d, side, diagonal);
            add_jacobian(there, d, side, block);
            add_diagonal(speed / 2, diagonal);
            add_diagonal(-speed / 2, block);
        }
        for (int e = z->own.offsets[i]; e < z->own.offsets[i + 1]; e++) {
            const double *from = block_at(&z->all, i, number * ZONE + z->own.columns[e]);
            memcpy(z->own.values + (size_t)e * B * B, from, B * B * sizeof *from);
        }
        add_diagonal(1 / dt, block_at(&z->own, i, i));
    }
}

static double time_step(void) {
    double speed = 0;
    for (int i = 0; i < ALL; i++) {
        for (int d = 0; d < 3; d++) speed = fmax(speed, speed_of(w + (size_t)i * B, d));
    }
    return courant / speed;
}

/* A flow at a third of the speed of sound, and a bubble of higher pressure in it. */
static void fill_state(void) {
    for (int i = 0; i < ALL; i++) {
        int at[3];
        place_of(i, at);
        double r2 = 0, *u = w + (size_t)i * B;
        for (int d = 0; d < 3; d++) r2 += (at[d] - SIDE / 2.0) * (at[d] - SIDE / 2.0);
        const double pressure = (1 + 0.2 * exp(-r2 / 8)) / heat_ratio, v = 0.3;
        u[0] = 1;
        u[1] = v;
        u[2] = u[3] = 0;
        u[4] = pressure / (heat_ratio - 1) + v * v / 2;
    }
}

static void make_matrix(tulle_ctx *ctx, blocks *m, int64_t columns) {
    const int64_t count = m->offsets[ZONE];
    const tulle_storage storage = {.stored = count * B * B, .block = B, .full = true};
    const tulle_mat_arrays arrays = {
        .offsets = m->offsets, .cols = m->columns, .values = m->values};
    check(tulle_mat_create(ctx, (int64_t)ZONE * B, columns * B, TULLE_BSR, &storage, TULLE_I32,
                           &arrays, TULLE_F64, NULL, &m->A));
}

static void renew(tulle_ctx *ctx, const blocks *m) {
    check(tulle_mat_set_values(ctx, m->A, (int64_t)m->offsets[ZONE] * B * B, m->values));
}

static void open_zone(tulle_ctx *ctx, zone *z, int number, const tulle_vec *state) {
    const int64_t n = (int64_t)ZONE * B;
    tulle_vec_info info;
    check(tulle_vec_describe(state, &info));
    fill_pattern(z, number);
    fill_values(z, number, time_step());
    make_matrix(ctx, &z->all, ALL);
    make_matrix(ctx, &z->own, ZONE);
    check(tulle_factor_create(ctx, z->own.A, NULL, &z->F));
    check(tulle_vec_wrap(ctx, TULLE_F64, n, 1, TULLE_COLUMN_MAJOR, 0,
                         (double *)info.data + number * n, &z->w));
    check(tulle_vec_create(ctx, TULLE_F64, n, &z->R));
    check(tulle_vec_create(ctx, TULLE_F64, n, &z->change));
    check(tulle_vec_create(ctx, TULLE_F64, 1, &z->square));
}

static void close_zone(zone *z) {
    tulle_factor_destroy(z->F);
    tulle_mat_destroy(z->all.A);
    tulle_mat_destroy(z->own.A);
    tulle_vec_destroy(z->w);
    tulle_vec_destroy(z->R);
    tulle_vec_destroy(z->change);
    tulle_vec_destroy(z->square);
}

static void record(tulle_batch *batch, zone *z, const tulle_vec *state) {
    int factored, norm;
    check(tulle_batch_spmm(batch, TULLE_N, -1, z->all.A, state, 0, z->R, &z->residual));
    check(tulle_batch_dot(batch, 1, z->R, z->R, 0, z->square, &norm));
    check(tulle_batch_after(batch, norm, z->residual));
    check(tulle_batch_factor(batch, z->F, z->own.A, &factored));
    check(tulle_batch_solve(batch, TULLE_N, 1, z->F, z->R, z->change, &z->solved));
    check(tulle_batch_after(batch, z->solved, z->residual));
    check(tulle_batch_after(batch, z->solved, factored));
}

/* w := w + change, when nobody reads the old state any more. */
static void record_move(tulle_batch *batch, zone *zones, int number, const tulle_vec *one) {
    int moved;
    zone *z = zones + number;
    check(tulle_batch_axpy(batch, 1, z->change, one, 1, z->w, &moved));
    check(tulle_batch_after(batch, moved, z->solved));
    for (int f = 0; f < FACES; f++) {
        /* The corner of a zone is next to the zone behind that face. */
        const int corner = f % 2 ? ZONE - 1 : 0;
        const zone *reader = zones + neighbour(number * ZONE + corner, f) / ZONE;
        check(tulle_batch_after(batch, moved, reader->residual));
    }
}

/* The norm of all residuals of a step. */
static double take_step(tulle_ctx *ctx, tulle_batch *batch, zone *zones, tulle_vec *state) {
    const double dt = time_step();
    double sum = 0, square;
    for (int z = 0; z < ALL_ZONES; z++) {
        fill_values(zones + z, z, dt);
        renew(ctx, &zones[z].all);
        renew(ctx, &zones[z].own);
    }
    check(tulle_batch_run(ctx, batch, TULLE_BATCH_GROUPED));
    check(tulle_vec_read(ctx, state, w, 0));
    for (int z = 0; z < ALL_ZONES; z++) {
        check(tulle_vec_read(ctx, zones[z].square, &square, 0));
        sum += square;
    }
    return sqrt(sum);
}

int main(int argc, char **argv) {
    static zone zones[ALL_ZONES];
    tulle_ctx *ctx;
    tulle_batch *batch;
    tulle_vec *state, *one;
    double first = 0, norm = 0;
    int step = 0;

    check(tulle_ctx_create(argc > 1 ? argv[1] : "auto", NULL, &ctx));
    check(tulle_vec_create(ctx, TULLE_F64, (int64_t)ALL * B, &state));
    check(tulle_vec_create(ctx, TULLE_F64, 1, &one));
    check(tulle_vec_fill(ctx, one, 1));
    fill_state();
    check(tulle_vec_write(ctx, state, w, 0));

    check(tulle_batch_create(ctx, &batch));
    for (int z = 0; z < ALL_ZONES; z++) open_zone(ctx, zones + z, z, state);
    for (int z = 0; z < ALL_ZONES; z++) record(batch, zones + z, state);
    for (int z = 0; z < ALL_ZONES; z++) record_move(batch, zones, z, one);
    do {
        norm = take_step(ctx, batch, zones, state);
        if (step == 0) first = norm;
        if (step % 5 == 0) printf("step %2d: |R| = %.2e\n", step, norm);
    } while (++step < STEPS && norm > wanted * first);
    printf("%d zones of %d cells: |R| fell to %.1e of the start in %d steps\n", ALL_ZONES, ZONE,
           norm / first, step);

    tulle_batch_destroy(batch);
    for (int z = 0; z < ALL_ZONES; z++) close_zone(zones + z);
    tulle_vec_destroy(one);
    tulle_vec_destroy(state);
    tulle_ctx_destroy(ctx);
    return norm <= wanted * first ? EXIT_SUCCESS : EXIT_FAILURE;
}
