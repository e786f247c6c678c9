/* SPDX-License-Identifier: Apache-2.0 */
/* Which vectors the rule takes on a CPU: by the table of processors under the repeatable setting,
 * else by a measurement, which a cache file that is there keeps. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/cache_file.h"
#include "places.h"
#include "spmv/cpu/simd/widths.h"
#include "tulle/advanced.h"
#include "tulle/tune.h"

static void test_table(void **state) {
    (void)state;
    static const struct {
        tulle__cpu cpu;
        int bits;
    } rows[] = {
        {{"GenuineIntel", 6, 0x55, 7, 512}, 256},  /* Cascade Lake */
        {{"GenuineIntel", 6, 0x6a, 6, 512}, 256},  /* Ice Lake */
        {{"GenuineIntel", 6, 0x8f, 8, 512}, 512},  /* Sapphire Rapids */
        {{"GenuineIntel", 6, 0x8f, 8, 256}, 256},  /* the same without AVX-512 */
        {{"AuthenticAMD", 25, 0x11, 1, 512}, 256}, /* Zen 4 */
        {{"AuthenticAMD", 26, 0x02, 1, 512}, 256}, /* Zen 5 */
        {{"AuthenticAMD", 6, 0x8f, 8, 512}, 256},  /* an Intel's numbers */
        {{"SomebodyElse", 1, 1, 1, 512}, 256},     {{"", 0, 0, 0, 128}, 128}, {{"", 0, 0, 0, 0}, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(tulle__cpu_fast_bits(&rows[i].cpu), rows[i].bits);
    }
    char text[TULLE__CPU_TEXT];
    tulle__cpu_text(&rows[0].cpu, text);
    assert_string_equal(text, "GenuineIntel-6-85-7");
    tulle__cpu_text(&rows[8].cpu, text);
    assert_string_equal(text, "cpu-0-0-0");
}

/* The times of the Cascade Lake that this is for (s3rmt3m3, f64, microseconds), and others. */
static void test_decision(void **state) {
    (void)state;
    assert_int_equal(tulle__faster_bits(&(tulle__width_times){76, 218}), 256);
    assert_int_equal(tulle__faster_bits(&(tulle__width_times){100, 100}), 256);
    assert_int_equal(tulle__faster_bits(&(tulle__width_times){105, 100}), 256);
    assert_int_equal(tulle__faster_bits(&(tulle__width_times){120, 100}), 512);
}

static bool has_both(void) {
    return tulle__cpu_vector_bits() == 512;
}

static void test_times(void **state) {
    (void)state;
    for (int type = TULLE_F32; type <= TULLE_F64; type++) {
        for (int kind = 0; kind < TULLE__ROW_KINDS; kind++) {
            tulle__width_times t;
            bool timed = tulle__widths_time((tulle_type)type, (tulle__row_kind)kind, &t);
            assert_int_equal(timed, has_both());
            if (!timed) continue;
            assert_true(t.of_256 > 0 && t.of_256 < 0.1);
            assert_true(t.of_512 > 0 && t.of_512 < 0.1);
        }
    }
}

static char folder[] = "/tmp/tulle-test-XXXXXX", path[sizeof folder + 32];

static int set_up(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/tulle", folder);
    snprintf(path + strlen(path), sizeof path - strlen(path), "/tuning.txt");
    return setenv("XDG_CACHE_HOME", folder, 1);
}

static int tear_down(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static bool file_exists(void) {
    return access(path, F_OK) == 0;
}

/* Bits that the rule takes for rows of so many entries. */
static int chosen(tulle_ctx *ctx, tulle_type type, int length) {
    enum { ROWS = 20000 };
    int32_t *offsets = calloc(ROWS + 1, sizeof *offsets);
    int32_t *cols = calloc((size_t)(ROWS * length), sizeof *cols);
    double *values = calloc((size_t)(ROWS * length), sizeof *values);
    assert_true(offsets && cols && values);
    for (int i = 0; i < ROWS; i++) {
        offsets[i + 1] = offsets[i] + length;
        for (int k = 0; k < length; k++) cols[i * length + k] = k;
    }
    tulle_mat *A = NULL;
    must(tulle_mat_create_csr(ctx, ROWS, length, (int64_t)ROWS * length, TULLE_I32, offsets, cols,
                              type, values, NULL, &A));
    tulle_choice choice;
    must(tulle_spmv_describe(ctx, TULLE_N, A, true, &choice));
    tulle_mat_destroy(A);
    free(offsets);
    free(cols);
    free(values);
    const char *bits = strstr(choice.params, "bits=");
    assert_non_null(bits);
    return atoi(bits + 5);
}

/* A file with a line for each type and kind, of these specifications. */
static void write_lines(const char *const spec[2][2]) {
    char key[TULLE__WIDTHS_KEY];
    tulle__cpu cpu = tulle__cpu_here();
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(TULLE__CACHE_HEADING, file);
    for (int t = 0; t < 2; t++) {
        for (int k = 0; k < 2; k++) {
            tulle__widths_key(&cpu, tulle__type_at(t), (tulle__row_kind)k, key);
            if (spec[t][k]) fprintf(file, "%s\t%s\t0.5\n", key, spec[t][k]);
        }
    }
    fclose(file);
}

/* A process measures once: so each case has one of its own. Returns its exit status. */
static int in_a_process(int (*run)(void)) {
    pid_t child = fork();
    if (child == 0) _exit(run());
    int status = -1;
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static tulle_ctx *context(bool repeatable) {
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create("cpu:1", NULL, &ctx));
    must(tulle_ctx_set_repeatable(ctx, repeatable));
    return ctx;
}

enum { SHORT_LENGTH = 8, LONG_LENGTH = 50 };

/* A digit for each type and kind: 1 for 256 bits, 2 for 512; in base 3. */
static int choices(bool repeatable) {
    tulle_ctx *ctx = context(repeatable);
    int digits = 0;
    for (int t = 0; t < 2; t++) {
        for (int k = 0; k < 2; k++) {
            int bits = chosen(ctx, tulle__type_at(t), k ? LONG_LENGTH : SHORT_LENGTH);
            digits = 3 * digits + bits / 256;
        }
    }
    tulle_ctx_destroy(ctx);
    return digits;
}

static int as_measured(void) {
    return choices(false);
}

static int as_repeatable(void) {
    return choices(true);
}

static int all_of(int digit) {
    return ((digit * 3 + digit) * 3 + digit) * 3 + digit;
}

enum { IGNORED = 100 };

/* Entries of the cache file as a tuner finds them; IGNORED: it has lines that are none. */
static int entries_of(void) {
    tulle_ctx *ctx = context(false);
    tulle_tuner *tuner = NULL;
    tulle_tuner_cache_info info;
    must(tulle_tuner_create(ctx, NULL, &tuner));
    must(tulle_tuner_cache(tuner, &info));
    int found = info.ignored_lines ? IGNORED : info.entries;
    tulle_tuner_destroy(tuner);
    tulle_ctx_destroy(ctx);
    return found;
}

static const char *const why = "widths of vectors: the processor has not both of them";

/* What the file says is taken, each entry for itself, and nothing is added to it. */
static void test_read_back(void **state) {
    (void)state;
    if (!has_both()) {
        say_skipped("%s", why);
        skip();
    }
    static const char *const wide = "bits=512", *const narrow = "bits=256";
    char parent[sizeof path];
    snprintf(parent, sizeof parent, "%s/tulle", folder);
    assert_int_equal(mkdir(parent, 0777), 0);
    struct stat before, after;
    write_lines((const char *const[2][2]){{wide, wide}, {wide, wide}});
    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(in_a_process(as_measured), all_of(2));
    write_lines((const char *const[2][2]){{narrow, narrow}, {narrow, narrow}});
    assert_int_equal(in_a_process(as_measured), all_of(1));
    write_lines((const char *const[2][2]){{narrow, wide}, {wide, narrow}});
    assert_int_equal(in_a_process(as_measured), ((1 * 3 + 2) * 3 + 2) * 3 + 1);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_size, after.st_size);
    assert_int_equal(in_a_process(entries_of), 4);
}

/* Under the setting the table decides, whatever the file says. */
static void test_repeatable(void **state) {
    (void)state;
    if (!has_both()) {
        say_skipped("%s", why);
        skip();
    }
    tulle__cpu cpu = tulle__cpu_here();
    int table = tulle__cpu_fast_bits(&cpu) / 256;
    const char *other = table == 1 ? "bits=512" : "bits=256";
    write_lines((const char *const[2][2]){{other, other}, {other, other}});
    assert_int_equal(in_a_process(as_repeatable), all_of(table));
    assert_int_equal(in_a_process(as_measured), all_of(3 - table));
}

/* A file without the entries gets them, one with some of them the others; under the repeatable
 * setting none, since nothing is measured; and where there is no file, none is made. */
static void test_kept(void **state) {
    (void)state;
    if (!has_both()) {
        say_skipped("%s", why);
        skip();
    }
    write_lines((const char *const[2][2]){{NULL, NULL}, {NULL, NULL}});
    in_a_process(as_repeatable);
    assert_int_equal(in_a_process(entries_of), 0);
    int first = in_a_process(as_measured);
    assert_int_equal(in_a_process(entries_of), 4);
    assert_int_equal(in_a_process(as_measured), first);
    assert_int_equal(in_a_process(entries_of), 4);
    write_lines((const char *const[2][2]){{"bits=7", "bits=512"}, {NULL, "bits=512"}});
    int mended = in_a_process(as_measured);
    assert_int_equal(mended / 9 % 3, 2);
    assert_int_equal(mended % 3, 2);
    assert_int_equal(in_a_process(entries_of), 5);
    assert_int_equal(in_a_process(as_measured), mended);
    assert_int_equal(in_a_process(entries_of), 5);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(TULLE__CACHE_HEADING "somebody's words", file);
    fclose(file);
    int behind = in_a_process(as_measured);
    struct stat before, after;
    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(in_a_process(entries_of), IGNORED);
    assert_int_equal(in_a_process(as_measured), behind); /* the open line tears no other */
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_size, after.st_size);
    assert_int_equal(unlink(path), 0);
    in_a_process(as_measured);
    assert_false(file_exists());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),     cmocka_unit_test(test_decision),
        cmocka_unit_test(test_read_back), cmocka_unit_test(test_repeatable),
        cmocka_unit_test(test_kept),      cmocka_unit_test(test_times),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
