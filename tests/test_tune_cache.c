/* SPDX-License-Identifier: Apache-2.0 */
/* The tuner's cache file: written, found again, merged, shared by processes, broken, out of reach.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <locale.h>
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

#include "places.h"
#include "tulle/tulle.h"
#include "zoo.h"

static const char heading[] = "# Results of tuning, written by tulle; tabs between the fields.\n";
static char folder[] = "/tmp/tulle-test-XXXXXX";

static int set_up(void **state) {
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return chdir("/") == 0 ? system(command) : -1;
}

static tulle_tuner *make_tuner(tulle_ctx *ctx, const char *file) {
    const tulle_tuner_options options = {.cache = file};
    tulle_tuner *tuner = NULL;
    must(tulle_tuner_create(ctx, &options, &tuner));
    return tuner;
}

/* Calls until a tuner knows the product with an n x n unit matrix; whether the cache knew it. */
static bool tune(tulle_ctx *ctx, tulle_tuner *tuner, int n) {
    int32_t *numbers = malloc((size_t)(n + 1) * sizeof *numbers);
    double *ones = malloc((size_t)(n + 1) * sizeof *ones);
    assert_true(numbers && ones);
    for (int i = 0; i <= n; i++) {
        numbers[i] = i;
        ones[i] = 1;
    }
    tulle_mat *A = NULL;
    tulle_vec *x = NULL, *y = NULL;
    must(
        tulle_mat_create_csr(ctx, n, n, n, TULLE_I32, numbers, numbers, TULLE_F64, ones, NULL, &A));
    must(tulle_vec_create(ctx, TULLE_F64, n, &x));
    must(tulle_vec_create(ctx, TULLE_F64, n, &y));
    must(tulle_vec_fill(ctx, x, 1));
    tulle_tuner_info info;
    do {
        must(tulle_tuner_spmv(tuner, TULLE_N, tulle_num(1), A, x, tulle_num(0), y));
        must(tulle_tuner_describe(tuner, TULLE_N, A, &info));
    } while (!info.settled);
    if (info.from_cache) assert_int_equal(info.steps, 0);
    tulle_mat_destroy(A);
    tulle_vec_destroy(x);
    tulle_vec_destroy(y);
    free(numbers);
    free(ones);
    return info.from_cache;
}

static bool tune_once(tulle_ctx *ctx, const char *file, int n) {
    tulle_tuner *tuner = make_tuner(ctx, file);
    bool from_cache = tune(ctx, tuner, n);
    tulle_tuner_destroy(tuner);
    return from_cache;
}

static tulle_tuner_cache_info cache_of(tulle_ctx *ctx, const char *file) {
    static char path[4096];
    tulle_tuner_cache_info info;
    tulle_tuner *tuner = make_tuner(ctx, file);
    must(tulle_tuner_cache(tuner, &info));
    snprintf(path, sizeof path, "%s", info.path);
    info.path = path;
    tulle_tuner_destroy(tuner);
    return info;
}

static char *read_file(const char *path) {
    static char text[1 << 16];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    assert_true(length < sizeof text - 1);
    text[length] = '\0';
    fclose(file);
    return text;
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static tulle_ctx *cpu(void) {
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create("cpu:1", NULL, &ctx));
    return ctx;
}

static void test_results_are_kept(void **state) {
    (void)state;
    tulle_ctx *ctx = cpu(), *two = NULL;
    assert_false(tune_once(ctx, "kept.txt", 10));
    assert_true(tune_once(ctx, "kept.txt", 10));
    assert_false(tune_once(ctx, "kept.txt", 11));
    assert_int_equal(cache_of(ctx, "kept.txt").entries, 2);
    assert_true(tune_once(ctx, "kept.txt", 10));
    must(tulle_ctx_create("cpu:2", NULL, &two)); /* other threads, other results */
    assert_false(tune_once(two, "kept.txt", 10));
    tulle_ctx_destroy(two);
    assert_int_equal(cache_of(ctx, "kept.txt").entries, 3);
    assert_int_equal(cache_of(ctx, "kept.txt").ignored_lines, 0);
    assert_int_not_equal(access("kept.txt.new", F_OK), 0);
    tulle_ctx_destroy(ctx);
}

/* The cache is replaced as any file is: behind a link, which stays, and with the mode it has. */
static void test_link_and_mode(void **state) {
    (void)state;
    struct stat about;
    tulle_ctx *ctx = cpu();
    assert_int_equal(symlink("real.txt", "link.txt"), 0);
    for (int n = 10; n < 12; n++) {
        assert_false(tune_once(ctx, "link.txt", n));
        assert_int_equal(lstat("link.txt", &about), 0);
        assert_true(S_ISLNK(about.st_mode));
        assert_int_equal(lstat("real.txt", &about), 0);
        assert_true(S_ISREG(about.st_mode));
        assert_true(n == 10 || (about.st_mode & 07777) == 0600);
        assert_int_equal(chmod("real.txt", 0600), 0);
    }
    assert_int_equal(cache_of(ctx, "link.txt").entries, 2);
    tulle_ctx_destroy(ctx);
}

/* Two tuners that both began before the other wrote. */
static void test_writers_merge(void **state) {
    (void)state;
    tulle_ctx *ctx = cpu();
    tulle_tuner *a = make_tuner(ctx, "merged.txt"), *b = make_tuner(ctx, "merged.txt");
    tune(ctx, a, 10);
    tune(ctx, a, 11);
    tune(ctx, b, 11);
    tune(ctx, b, 12);
    must(tulle_tuner_save(a));
    must(tulle_tuner_save(a));
    tulle_tuner_destroy(b);
    tulle_tuner_destroy(a);
    assert_int_equal(cache_of(ctx, "merged.txt").entries, 3);
    tulle_ctx_destroy(ctx);
}

enum { PROCESSES = 4, ROUNDS = 25 };

static void write_as_process(int number) {
    tulle_ctx *ctx = cpu();
    for (int i = 0; i < ROUNDS; i++) {
        tulle_tuner *tuner = make_tuner(ctx, "shared.txt");
        tune(ctx, tuner, 1 + number * ROUNDS + i);
        must(tulle_tuner_save(tuner));
        tulle_tuner_destroy(tuner);
    }
    tulle_ctx_destroy(ctx);
}

static void test_processes_share(void **state) {
    (void)state;
    pid_t child[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (child[i] == 0) {
            write_as_process(i);
            _exit(0);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = -1;
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_int_equal(status, 0);
    }
    tulle_ctx *ctx = cpu();
    tulle_tuner_cache_info info = cache_of(ctx, "shared.txt");
    assert_int_equal(info.entries, PROCESSES * ROUNDS);
    assert_int_equal(info.ignored_lines, 0);
    for (int n = 1; n <= PROCESSES * ROUNDS; n++) assert_true(tune_once(ctx, "shared.txt", n));
    tulle_ctx_destroy(ctx);
}

/* The one entry of a file, with other text before and behind it. */
static void surround(const char *before, const char *entry, const char *behind) {
    static char text[1 << 17];
    snprintf(text, sizeof text, "%s%s%s%s", heading, before, entry, behind);
    write_file("broken.txt", text);
}

static void test_broken_lines(void **state) {
    (void)state;
    static const char *const broken[] = {"hello\n",
                                         "a\tb\tc\n",
                                         "\x01\x02\xff\n",
                                         "\t\t\t\t\t\t\t\t\t\t\t\t\t\n",
                                         "a\tb\tc\td\te\tf\tg\th\ti\tj\tk\tl\tm\tsoon\n",
                                         "a\tb\tc\td\te\tf\tg\th\ti\tj\tk\tl\tm\t-1\n",
                                         "a\tb\tc\td\te\tf\tg\th\ti\tj\tk\tl\tm\tinf\n",
                                         "a\tb\tc\td\te\tf\tg\th\ti\tj\tk\tl\tm\t1\tn\n"};
    tulle_ctx *ctx = cpu();
    assert_false(tune_once(ctx, "broken.txt", 10));
    char *entry = strdup(strchr(read_file("broken.txt"), '\n') + 1);
    assert_non_null(entry);
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        surround(broken[i], entry, "# for people\n\n");
        assert_int_equal(cache_of(ctx, "broken.txt").ignored_lines, 1);
        assert_int_equal(cache_of(ctx, "broken.txt").entries, 1);
        assert_true(tune_once(ctx, "broken.txt", 10));
    }
    surround("# for people\n\n", entry, "cut short");
    assert_int_equal(cache_of(ctx, "broken.txt").ignored_lines, 1);
    assert_false(tune_once(ctx, "broken.txt", 11)); /* rewritten, without it */
    assert_int_equal(cache_of(ctx, "broken.txt").ignored_lines, 0);
    assert_int_equal(cache_of(ctx, "broken.txt").entries, 2);
    assert_non_null(strstr(read_file("broken.txt"), "\n# for people\n\n"));

    entry[strlen(entry) - 1] = '\0'; /* an entry cut short */
    surround("", entry, "");
    assert_int_equal(cache_of(ctx, "broken.txt").ignored_lines, 1);
    assert_false(tune_once(ctx, "broken.txt", 10));
    free(entry);
    tulle_ctx_destroy(ctx);
}

/* An entry of another version, whose kernel or parameter there is no more. */
static void test_unknown_kernel(void **state) {
    (void)state;
    static const char *const specs[] = {"spmv_gone", "spmv_csr:gone=1", "spmv_csr_seq:x=1",
                                        "spmv_csr_seq,", "spmv_csr_seq:"};
    tulle_ctx *ctx = cpu();
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        remove("gone.txt");
        assert_false(tune_once(ctx, "gone.txt", 10));
        char *text = read_file("gone.txt"), *spec = strstr(text, "\tspmv_"), changed[4096];
        assert_non_null(spec);
        snprintf(changed, sizeof changed, "%.*s\t%s%s", (int)(spec - text), text, specs[i],
                 strchr(spec + 1, '\t'));
        write_file("gone.txt", changed);
        assert_int_equal(cache_of(ctx, "gone.txt").entries, 1);
        assert_false(tune_once(ctx, "gone.txt", 10));
        assert_true(tune_once(ctx, "gone.txt", 10));
    }
    tulle_ctx_destroy(ctx);
}

static void expect_unwritable(tulle_ctx *ctx, const char *file) {
    tulle_tuner *tuner = make_tuner(ctx, file);
    assert_false(tune(ctx, tuner, 10));
    assert_int_equal(tulle_tuner_save(tuner), TULLE_IO_ERROR);
    assert_non_null(strstr(tulle_last_error()->message, "tuning cache"));
    assert_non_null(strstr(tulle_last_error()->file, file));
    tulle_tuner_destroy(tuner);
}

static void expect_other(tulle_ctx *ctx, const char *file) {
    const tulle_tuner_options options = {.cache = file};
    tulle_tuner *tuner = NULL;
    assert_int_equal(tulle_tuner_create(ctx, &options, &tuner), TULLE_PARSE_ERROR);
    assert_null(tuner);
    assert_string_equal(tulle_last_error()->file, file);
    assert_non_null(strstr(tulle_last_error()->message, file));
    assert_non_null(strstr(tulle_last_error()->message, "is no tuning cache"));
}

/* A file of another kind stays, whether it is met before the search or after. */
static void test_other_files_stay(void **state) {
    (void)state;
    static const char matrix[] = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n";
    tulle_ctx *ctx = cpu();
    write_file("a.mtx", matrix);
    expect_other(ctx, "a.mtx");
    assert_string_equal(read_file("a.mtx"), matrix);
    write_file("b.txt", "# Results of tuning\n");
    expect_other(ctx, "b.txt");

    tulle_tuner *tuner = make_tuner(ctx, "late.mtx");
    tune(ctx, tuner, 10);
    write_file("late.mtx", matrix);
    assert_int_equal(tulle_tuner_save(tuner), TULLE_PARSE_ERROR);
    tulle_tuner_destroy(tuner);
    assert_string_equal(read_file("late.mtx"), matrix);

    /* larger than any cache: not read, and not replaced */
    write_file("large.mtx", heading);
    assert_int_equal(truncate("large.mtx", (65 << 20)), 0);
    expect_other(ctx, "large.mtx");

    write_file("kept.txt.new", matrix); /* once the name of what a cache was written to */
    tune_once(ctx, "kept.txt", 12);
    assert_string_equal(read_file("kept.txt.new"), matrix);
    tulle_ctx_destroy(ctx);
}

/* A German locale in a folder of its own; false: there are no sources of locales. */
static bool speak_german(void) {
    char path[4096];
    assert_int_equal(mkdir("locales", 0777), 0);
    if (system("localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 >locales/log 2>&1")) return false;
    snprintf(path, sizeof path, "%s/locales", folder);
    setenv("LOCPATH", path, 1);
    assert_non_null(setlocale(LC_ALL, "de_DE.UTF-8"));
    snprintf(path, sizeof path, "%.1f", 1.5);
    assert_string_equal(path, "1,5");
    return true;
}

static void expect_points(const char *text) {
    for (const char *c = text; *c; c++) {
        bool between = c > text && isdigit((unsigned char)c[-1]) && isdigit((unsigned char)c[1]);
        if (*c == ',' && between) fail_msg("a decimal comma: %s", text);
    }
}

/* Numbers have a point, in the file and in what the library says, whatever the program speaks. */
static void test_locale(void **state) {
    (void)state;
    if (!speak_german()) {
        say_skipped("numbers in another locale: localedef makes no de_DE (Debian: locales)");
        skip();
    }
    tulle_ctx *ctx = cpu();
    assert_false(tune_once(ctx, "german.txt", 1000));
    const char *text = strrchr(read_file("german.txt"), '\t');
    assert_non_null(text);
    expect_points(text);
    assert_non_null(strchr(text, '.'));
    assert_int_equal(cache_of(ctx, "german.txt").entries, 1);

    /* a German wrote it, the world reads it, and the other way round */
    setlocale(LC_ALL, "C");
    assert_int_equal(cache_of(ctx, "german.txt").ignored_lines, 0);
    assert_true(tune_once(ctx, "german.txt", 1000));
    assert_false(tune_once(ctx, "german.txt", 1001));
    setlocale(LC_ALL, "de_DE.UTF-8");
    assert_true(tune_once(ctx, "german.txt", 1001));
    assert_int_equal(cache_of(ctx, "german.txt").ignored_lines, 0);

    tulle_mat *A = NULL;
    char words[8192];
    size_t length;
    must(tulle_generate(ctx, "p2d5:30", 1, TULLE_F64, &A));
    must(tulle_spmv_explain(ctx, TULLE_N, A, words, sizeof words, &length));
    expect_points(words);
    const tulle_convert_options odd = {.fill = -1.5};
    tulle_mat *none;
    assert_int_equal(tulle_mat_convert_with(ctx, A, TULLE_ELL, TULLE_I32, &odd, &none),
                     TULLE_INVALID_ARGUMENT);
    assert_non_null(strstr(tulle_last_error()->message, "-1.5"));
    const tulle_optimize_options options = {.expected_calls = 1000};
    tulle_optimize_report report;
    must(tulle_mat_optimize_with(ctx, TULLE_N, A, &options, &report));
    expect_points(report.why);
    tulle_mat_destroy(A);
    setlocale(LC_ALL, "C");
    tulle_ctx_destroy(ctx);
}

static void test_out_of_reach(void **state) {
    (void)state;
    tulle_ctx *ctx = cpu();
    write_file("file", "");
    assert_int_equal(mkdir("closed", 0777) | mkdir("folder.txt", 0777), 0);
    write_file("closed/cache.txt", "");
    assert_int_equal(chmod("closed/cache.txt", 0) | chmod("closed", 0555), 0);
    expect_unwritable(ctx, "nowhere/cache.txt");
    expect_unwritable(ctx, "file/cache.txt");
    expect_unwritable(ctx, "folder.txt");
    expect_unwritable(ctx, "/dev/null");
    if (geteuid() != 0) {
        expect_unwritable(ctx, "closed/cache.txt");
    } else {
        say_skipped("a cache in a closed folder: root may write everywhere");
    }
    assert_int_equal(chmod("closed", 0777), 0);

    char path[5000];
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    const tulle_tuner_options options = {.cache = path};
    tulle_tuner *tuner = NULL;
    assert_int_equal(tulle_tuner_create(ctx, &options, &tuner), TULLE_INVALID_ARGUMENT);
    assert_null(tuner);
    tulle_ctx_destroy(ctx);
}

static void test_default_file(void **state) {
    (void)state;
    tulle_ctx *ctx = cpu();
    char cache[4096];
    setenv("HOME", folder, 1);
    unsetenv("XDG_CACHE_HOME");
    assert_false(tune_once(ctx, NULL, 10));
    snprintf(cache, sizeof cache, "%s/.cache/tulle/tuning.txt", folder);
    assert_string_equal(cache_of(ctx, NULL).path, cache);
    assert_int_equal(access(cache, F_OK), 0);
    assert_true(tune_once(ctx, NULL, 10));

    snprintf(cache, sizeof cache, "%s/xdg", folder);
    setenv("XDG_CACHE_HOME", cache, 1);
    assert_false(tune_once(ctx, NULL, 10));
    assert_int_equal(access("xdg/tulle/tuning.txt", F_OK), 0);

    setenv("XDG_CACHE_HOME", "not/absolute", 1);
    unsetenv("HOME");
    assert_string_equal(cache_of(ctx, NULL).path, "");
    assert_false(tune_once(ctx, NULL, 10));
    assert_false(tune_once(ctx, "", 10));
    assert_int_not_equal(access("not", F_OK), 0);
    tulle_ctx_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results_are_kept), cmocka_unit_test(test_writers_merge),
        cmocka_unit_test(test_link_and_mode),    cmocka_unit_test(test_processes_share),
        cmocka_unit_test(test_broken_lines),     cmocka_unit_test(test_unknown_kernel),
        cmocka_unit_test(test_out_of_reach),     cmocka_unit_test(test_default_file),
        cmocka_unit_test(test_other_files_stay), cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
