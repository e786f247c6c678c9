/* SPDX-License-Identifier: Apache-2.0 */
/* What reading, checking and writing a mesh takes grows as n log n: the search for hanging nodes by
 * its own count of steps, other work by the time of this process, of which ten times as much input
 * takes a hundred times as much where it grows as the square. And a few compressed bytes do not
 * fill the memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zstd.h>

#include <cmocka.h>

#include "counting.h"
#include "io_help.h"
#include "mesh/fault.h"
#include "mesh/sort.h"
#include "meshes.h"
#include "places.h"
#include "tulle/mesh_io.h"

/* A mesh in the making, of one shape in a plane. */
typedef struct {
    tulle_shape shape;
    int64_t nodes, cells;
    double *x;
    int32_t *of;
} draft;

static draft draft_of(tulle_shape shape, int64_t nodes, int64_t cells) {
    draft d = {.shape = shape, .nodes = nodes, .cells = cells};
    d.x = calloc((size_t)nodes, 2 * sizeof *d.x);
    d.of = calloc((size_t)(cells * shape_nodes(shape)), sizeof *d.of);
    assert_non_null(d.x);
    assert_non_null(d.of);
    return d;
}

static tulle_mesh *mesh_of_draft(draft *d, double scale) {
    tulle_mesh *mesh;
    for (int64_t i = 0; i < 2 * d->nodes; i++) d->x[i] *= scale;
    const tulle_mesh_block block = {d->shape, d->cells, d->of, NULL};
    const tulle_mesh_arrays arrays = mesh_small(2, d->nodes, d->x, &block, 1);
    must(tulle_mesh_create(io_cpu, &arrays, &mesh));
    free(d->x);
    free(d->of);
    return mesh;
}

/* A hole in a large domain: rings of n cells, each some thousand times as wide as the one before.
 */
static tulle_mesh *far_field(int64_t n, double scale) {
    enum { RINGS = 2 };
    draft d = draft_of(TULLE_QUADRILATERAL, n * (RINGS + 1), n * RINGS);
    for (int64_t i = 0; i < d.nodes; i++) {
        const double angle = 2 * acos(-1) * (double)(i % n) / (double)n;
        const double radius = pow(1000, (double)(i / n));
        d.x[2 * i] = radius * cos(angle);
        d.x[2 * i + 1] = radius * sin(angle);
    }
    for (int64_t c = 0; c < d.cells; c++) {
        const int64_t ring = c / n * n, at = c % n, next = (at + 1) % n;
        const int64_t corner[4] = {ring + at, ring + n + at, ring + n + next, ring + next};
        for (int k = 0; k < 4; k++) d.of[4 * c + k] = (int32_t)corner[k];
    }
    return mesh_of_draft(&d, scale);
}

/* Two columns of n flat cells each. */
static tulle_mesh *flat_cells(int64_t n, double scale) {
    draft d = draft_of(TULLE_QUADRILATERAL, 3 * (n + 1), 2 * n);
    for (int64_t i = 0; i < d.nodes; i++) {
        d.x[2 * i] = (double)(i % 3) / 2;
        d.x[2 * i + 1] = (double)(i / 3) / (double)n;
    }
    for (int64_t c = 0; c < d.cells; c++) {
        const int64_t first = c / 2 * 3 + c % 2;
        const int64_t corner[4] = {first, first + 1, first + 4, first + 3};
        for (int k = 0; k < 4; k++) d.of[4 * c + k] = (int32_t)corner[k];
    }
    return mesh_of_draft(&d, scale);
}

/* A fan of n triangles, each with a tip of its own: at the same place, or nearly so. */
static tulle_mesh *fan(int64_t n, double scale, double apart) {
    draft d = draft_of(TULLE_TRIANGLE, 2 * n, n);
    for (int64_t i = 0; i < n; i++) {
        const double angle = 2 * acos(-1) * (double)i / (double)n;
        d.x[2 * i] = apart * sin((double)i);
        d.x[2 * i + 1] = apart * cos((double)(i * i));
        d.x[2 * (n + i)] = cos(angle);
        d.x[2 * (n + i) + 1] = sin(angle);
        d.of[3 * i] = (int32_t)i;
        d.of[3 * i + 1] = (int32_t)(n + i);
        d.of[3 * i + 2] = (int32_t)(n + (i + 1) % n);
    }
    return mesh_of_draft(&d, scale);
}

static tulle_mesh *fan_at_a_place(int64_t n, double scale) {
    return fan(n, scale, 0);
}

static tulle_mesh *fan_near_a_place(int64_t n, double scale) {
    return fan(n, scale, 1e-12);
}

/* A comb askew: the sides of n long teeth, each in the box around all others. */
static tulle_mesh *comb(int64_t n, double scale) {
    draft d = draft_of(TULLE_QUADRILATERAL, 4 * n, n);
    for (int64_t i = 0; i < n; i++) {
        const double long_end = 1 + 0.5 * sin((double)i), low = -0.5 * cos((double)i);
        const double side[2] = {(double)(2 * i) / (double)n, (double)(2 * i + 1) / (double)n};
        for (int k = 0; k < 4; k++) {
            const double along = k == 0 || k == 3 ? low : long_end, across = side[k / 2];
            d.x[2 * (4 * i + k)] = along - across;
            d.x[2 * (4 * i + k) + 1] = along + across;
            d.of[4 * i + k] = (int32_t)(4 * i + k);
        }
    }
    return mesh_of_draft(&d, scale);
}

static int64_t steps_of(tulle_mesh *mesh) {
    tulle__mesh_fault fault;
    must(tulle__mesh_find_fault(io_cpu, mesh, &fault));
    assert_int_equal(fault.kind, TULLE__MESH_GOOD);
    tulle_mesh_destroy(mesh);
    return fault.steps;
}

static void test_hanging_steps(void **state) {
    (void)state;
    static const struct {
        const char *name;
        tulle_mesh *(*make)(int64_t n, double scale);
    } kinds[] = {{"far field", far_field},
                 {"flat cells", flat_cells},
                 {"coincident nodes", fan_at_a_place},
                 {"nearly coincident nodes", fan_near_a_place}};
    static const double scales[] = {1, 1e-12, 1e12, 1e-200};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (size_t s = 0; s < sizeof scales / sizeof *scales - (k > 0); s++) {
            const double scale = k == 0 && s == 3 ? 1e-100 : scales[s];
            const int64_t few = steps_of(kinds[k].make(1000, scale));
            const int64_t many = steps_of(kinds[k].make(10000, scale));
            if (many >= 15 * few || few < 1000)
                fail_msg("%s, scale %g: %lld steps, and %lld of ten times as many cells",
                         kinds[k].name, scale, (long long)few, (long long)many);
        }
    }
    /* in the boxes around 2,000 long sides that lie askew there are millions of vertices */
    assert_true(steps_of(comb(1000, 1)) < 1000 * 1000);
}

/* The boxes of the tree are searched as all vertices would be. */
static void test_hangs_at_any_scale(void **state) {
    (void)state;
    static const double scales[] = {1, 1e-12, 1e12, 1e-100, 1e100};
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
        tulle_mesh *mesh = flat_cells(1000, scales[s]);
        tulle__mesh_fault fault;
        const tulle_mesh_arrays good = mesh_arrays(mesh);
        const int64_t nodes = good.node_count;
        double *x = malloc((size_t)nodes * 2 * sizeof *x + 4 * sizeof *x);
        int32_t *of = malloc((size_t)(4 * 2000 + 4) * sizeof *of);
        assert_non_null(x);
        assert_non_null(of);
        memcpy(x, good.coordinates, (size_t)nodes * 2 * sizeof *x);
        memcpy(of, good.blocks[0].nodes, (size_t)4 * 2000 * sizeof *of);
        /* the last cell of the right column is not there; one whose side is a third as long is */
        const int32_t *last = of + 4 * 1999;
        x[2 * nodes] = (x[2 * last[0]] * 2 + x[2 * last[3]]) / 3;
        x[2 * nodes + 1] = (x[2 * last[0] + 1] * 2 + x[2 * last[3] + 1]) / 3;
        x[2 * nodes + 2] = x[2 * last[1]];
        x[2 * nodes + 3] = x[2 * nodes + 1];
        of[4 * 1999 + 2] = (int32_t)nodes + 1;
        of[4 * 1999 + 3] = (int32_t)nodes;
        const tulle_mesh_block block = {TULLE_QUADRILATERAL, 2000, of, NULL};
        const tulle_mesh_arrays bad = mesh_small(2, nodes + 2, x, &block, 1);
        tulle_mesh *hanging;
        must(tulle_mesh_create(io_cpu, &bad, &hanging));
        must(tulle__mesh_find_fault(io_cpu, hanging, &fault));
        assert_int_equal(fault.kind, TULLE__MESH_HANGING);
        assert_int_equal(fault.node, nodes);
        assert_int_equal(fault.element, 1998);
        tulle_mesh_destroy(hanging);
        tulle_mesh_destroy(mesh);
        free(x);
        free(of);
    }
}

/* A cube below four, turned and moved: the middle of the four hangs on the cube's upper face; with
 * the four as one there is nothing wrong. */
static void expect_hanging_cube(double angle, double far, bool hangs) {
    tulle_mesh *fine = mesh_of(io_cpu, hangs ? "box-hex:2,size=1x1x0.5" : "box-hex:1,size=1x1x0.5");
    const tulle_mesh_arrays from = mesh_arrays(fine);
    const int64_t nodes = from.node_count, cells = from.blocks[0].count;
    double x[3 * (27 + 4)];
    int32_t of[8 * (8 + 1)];
    memcpy(x, from.coordinates, (size_t)nodes * 3 * sizeof *x);
    memcpy(of, from.blocks[0].nodes, (size_t)cells * 8 * sizeof *of);
    const int32_t above[2][4] = {{0, 1, 3, 2}, {0, 2, 8, 6}};
    for (int c = 0; c < 4; c++) {
        const int32_t up = above[hangs][c];
        for (int d = 0; d < 3; d++)
            x[3 * (nodes + c) + d] = from.coordinates[3 * up + d] - (d == 2);
        of[8 * cells + c] = (int32_t)nodes + c;
        of[8 * cells + 4 + c] = up;
    }
    for (int64_t i = 0; i < nodes + 4; i++) {
        double *p = x + 3 * i;
        for (int turn = 0; turn < 2; turn++) {
            const double a = p[turn], b = p[turn + 1];
            p[turn] = cos(angle) * a - sin(angle) * b + far;
            p[turn + 1] = sin(angle) * a + cos(angle) * b;
        }
    }
    const tulle_mesh_block block = {TULLE_HEXAHEDRON, cells + 1, of, NULL};
    const tulle_mesh_arrays arrays = mesh_small(3, nodes + 4, x, &block, 1);
    tulle_mesh *mesh;
    tulle__mesh_fault fault;
    must(tulle_mesh_create(io_cpu, &arrays, &mesh));
    must(tulle__mesh_find_fault(io_cpu, mesh, &fault));
    assert_int_equal(fault.kind, hangs ? TULLE__MESH_HANGING : TULLE__MESH_GOOD);
    if (hangs) assert_int_equal(fault.node, 1);
    tulle_mesh_destroy(mesh);
    tulle_mesh_destroy(fine);
}

static void test_hangs_at_any_angle(void **state) {
    (void)state;
    for (int k = 0; k < 24; k++) {
        for (int hangs = 0; hangs < 2; hangs++) {
            expect_hanging_cube(k * acos(-1) / 12, 0, hangs);
            expect_hanging_cube(k * acos(-1) / 12, 1e3, hangs);
        }
    }
}

/* Seconds of this process that work on n things takes, the least of two times. */
static double seconds_of(void (*work)(int64_t n), int64_t n) {
    double least = INFINITY;
    for (int time = 0; time < 2; time++) {
        const clock_t before = clock();
        work(n);
        least = fmin(least, (double)(clock() - before) / CLOCKS_PER_SEC);
    }
    return least;
}

static void expect_growth(const char *name, void (*work)(int64_t n), int64_t n) {
    const double few = seconds_of(work, n), many = seconds_of(work, 10 * n);
    if (many > 0.5 && many > 40 * few) fail_msg("%s: %g s, then %g s", name, few, many);
}

/* Cells of a row, each a block. */
static void work_on_blocks(int64_t n) {
    double *x = malloc((size_t)(n + 1) * 4 * sizeof *x);
    int32_t *of = malloc((size_t)n * 4 * sizeof *of);
    tulle_mesh_block *block = calloc((size_t)n, sizeof *block);
    assert_true(x && of && block);
    for (int64_t i = 0; i <= n; i++) {
        const double place[4] = {(double)i, 0, (double)i, 1};
        memcpy(x + 4 * i, place, sizeof place);
    }
    for (int64_t i = 0; i < n; i++) {
        const int32_t first = (int32_t)(2 * i);
        const int32_t corners[4] = {first, first + 2, first + 3, first + 1};
        memcpy(of + 4 * i, corners, sizeof corners);
        block[i] = (tulle_mesh_block){TULLE_QUADRILATERAL, 1, of + 4 * i, NULL};
    }
    const tulle_mesh_arrays arrays = mesh_small(2, 2 * (n + 1), x, block, n);
    tulle_mesh *mesh, *boundary, *renumbered;
    must(tulle_mesh_create(io_cpu, &arrays, &mesh));
    must(tulle_mesh_check(io_cpu, mesh));
    must(tulle_mesh_boundary(io_cpu, mesh, &boundary, NULL));
    assert_int_equal(mesh_info(boundary).cells, 2 * n + 2);
    must(tulle_mesh_renumber(io_cpu, mesh, &renumbered, NULL, NULL));
    tulle_mesh_destroy(renumbered);
    tulle_mesh_destroy(boundary);
    tulle_mesh_destroy(mesh);
    free(x);
    free(of);
    free(block);
}

static void test_many_blocks(void **state) {
    (void)state;
    expect_growth("blocks of one cell", work_on_blocks, 5000);
}

/* A triangle, so many names, and so many entities that nothing is in. */
static void work_on_names(int64_t n) {
    io_text text = {NULL};
    tulle_mesh *mesh, *copy;
    io_print(&text, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n%lld\n", (long long)n);
    for (int64_t i = 0; i < n; i++) io_print(&text, "2 %lld \"a\"\n", (long long)(i * 7 % n + 1));
    io_print(&text, "$EndPhysicalNames\n");
    for (int64_t i = 0; i < n / 100; i++) {
        io_print(&text, "$Entities\n0 0 1 0\n%lld 0 0 0 1 1 0 0 0\n$EndEntities\n",
                 (long long)(i + 1));
    }
    io_print(&text,
             "$Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n$EndNodes\n"
             "$Elements\n1 1 1 1\n2 1 2 1\n1 1 2 3\n$EndElements\n");
    must(tulle_mesh_load_memory(io_cpu, text.bytes, (int64_t)text.size, "names", &mesh, NULL));
    const tulle_mesh_arrays arrays = mesh_arrays(mesh);
    assert_int_equal(arrays.group_count, n);
    must(tulle_mesh_create(io_cpu, &arrays, &copy));
    tulle_mesh_destroy(copy);
    tulle_mesh_destroy(mesh);
    free(text.bytes);
}

static void test_many_names(void **state) {
    (void)state;
    expect_growth("names of groups", work_on_names, 9999); /* which 7 does not divide */
}

/* Triangles that are each in a group of their own. */
static void work_on_groups(int64_t n) {
    char spec[40];
    snprintf(spec, sizeof spec, "box-tri:%lldx1", (long long)(n / 2));
    tulle_mesh *made = mesh_of(io_cpu, spec), *mesh, *back;
    const tulle_mesh_arrays from = mesh_arrays(made);
    int32_t *group = malloc((size_t)n * sizeof *group);
    assert_non_null(group);
    for (int64_t i = 0; i < n; i++) group[i] = (int32_t)(n - i);
    const tulle_mesh_block block = {TULLE_TRIANGLE, n, from.blocks[0].nodes, group};
    const tulle_mesh_arrays arrays = mesh_small(2, from.node_count, from.coordinates, &block, 1);
    must(tulle_mesh_create(io_cpu, &arrays, &mesh));
    must(tulle_mesh_save(io_cpu, mesh, io_path("groups.msh"), NULL));
    must(tulle_mesh_load(io_cpu, io_path("groups.msh"), &back, NULL));
    assert_true(mesh_equal(mesh, back));
    tulle_mesh_destroy(back);
    tulle_mesh_destroy(mesh);
    tulle_mesh_destroy(made);
    free(group);
}

static void test_many_groups(void **state) {
    (void)state;
    expect_growth("groups of one element", work_on_groups, 4000);
}

static int64_t comparisons;

static int compare(const void *a, const void *b) {
    const int32_t *left = a, *right = b;
    comparisons++;
    return left[0] < right[0] ? -1 : left[0] > right[0];
}

/* Numbers that rise, fall, are the same, go up and down, or are drawn; each with its place. */
static void test_sort(void **state) {
    (void)state;
    enum { MOST = 100000 };
    static int32_t item[MOST][2];
    static const int64_t counts[] = {0, 1, 2, 15, 16, 17, 1000, MOST};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (int kind = 0; kind < 5; kind++) {
            const int32_t n = (int32_t)counts[c];
            uint32_t drawn = 1;
            for (int32_t i = 0; i < n; i++) {
                drawn = drawn * 1664525 + 1013904223;
                const int32_t kinds[] = {i, n - i, 0, i < n / 2 ? i : n - i,
                                         (int32_t)(drawn >> 20)};
                item[i][0] = kinds[kind];
                item[i][1] = i;
            }
            comparisons = 0;
            must(tulle__sort(io_cpu, "sorting", item, n, sizeof *item, compare));
            if (n > 0) assert_true((double)comparisons <= 9.0 * n + n * log2(n));
            for (int32_t i = 1; i < n; i++) {
                assert_true(item[i - 1][0] <= item[i][0]);
                assert_true(item[i - 1][0] < item[i][0] || item[i - 1][1] < item[i][1]);
            }
        }
    }
}

/* Empty lines, alone or behind the head of a text or of a binary file. */
static void test_blanks(void **state) {
    (void)state;
    static const struct {
        const char *head, *part;
    } heads[] = {{"", "KiB of blanks and empty lines in a row"},
                 {"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n", "KiB of blanks and empty lines"},
                 {"$MeshFormat\n4.1 1 8\n\1\0\0\0\n$EndMeshFormat\n", "KiB of blanks"}};
    const size_t size = (size_t)64 << 20;
    char *bytes = malloc(size), *packed = malloc(ZSTD_compressBound(size));
    assert_true(bytes && packed);
    for (size_t h = 0; h < sizeof heads / sizeof *heads; h++) {
        counting c = {0};
        const tulle_allocator allocator = counting_allocator(&c);
        const tulle_ctx_options options = {.host = &allocator, .device = &allocator};
        tulle_ctx *ctx;
        tulle_mesh *mesh;
        must(tulle_ctx_create("cpu", &options, &ctx));
        memset(bytes, h == 1 ? ' ' : '\n', size);
        memcpy(bytes, heads[h].head, strlen(heads[h].head));
        const size_t got = ZSTD_compress(packed, ZSTD_compressBound(size), bytes, size, 1);
        assert_false(ZSTD_isError(got));
        assert_int_equal(tulle_mesh_load_memory(ctx, packed, (int64_t)got, "blanks", &mesh, NULL),
                         TULLE_PARSE_ERROR);
        if (!strstr(tulle_last_error()->message, heads[h].part))
            fail_msg("%s", tulle_last_error()->message);
        assert_true(c.most < (int64_t)16 << 20);
        tulle_ctx_destroy(ctx);
        assert_int_equal(c.live, 0);
    }
    free(bytes);
    free(packed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hanging_steps),
        cmocka_unit_test(test_hangs_at_any_scale),
        cmocka_unit_test(test_hangs_at_any_angle),
        cmocka_unit_test(test_many_blocks),
        cmocka_unit_test(test_many_names),
        cmocka_unit_test(test_many_groups),
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_blanks),
    };
    return cmocka_run_group_tests(tests, io_start, io_end);
}
