/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv/cpu/simd/widths.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "core/cache_file.h"
#include "tulle/version.h"

static const double clear_win = 1.1;

int tulle__faster_bits(const tulle__width_times *times) {
    return times->of_256 > clear_win * times->of_512 ? 512 : 256;
}

static const char *const type_names[TULLE__TYPE_COUNT] = {"f32", "f64"};
static const char *const kind_names[TULLE__ROW_KINDS] = {"short", "long"};

void tulle__widths_key(const tulle__cpu *cpu, tulle_type type, tulle__row_kind kind,
                       char key[TULLE__WIDTHS_KEY]) {
    char processor[TULLE__CPU_TEXT];
    tulle__cpu_text(cpu, processor);
    snprintf(key, TULLE__WIDTHS_KEY, "%s\t0\t1\t%s\tbits\t%s\t32\tcsr\t%s\t-\t-\t-", processor,
             tulle_version(), type_names[tulle__type_index(type)], kind_names[kind]);
}

static bool find(const char *path, const char *key, int *bits) {
    char field[16];
    if (!tulle__cache_file_find(path, key, field, sizeof field)) return false;
    *bits = strcmp(field, "bits=512") == 0 ? 512 : 256;
    return *bits == 512 || strcmp(field, "bits=256") == 0;
}

/* Measures, and makes a line of the cache file of the result. */
static int measure(const char *key, tulle_type type, tulle__row_kind kind, char *line, size_t room,
                   int *bits) {
    tulle__width_times times;
    if (!tulle__widths_time(type, kind, &times)) return 0;
    *bits = tulle__faster_bits(&times);
    double seconds = *bits == 512 ? times.of_512 : times.of_256;
    int length = snprintf(line, room, "%s\tbits=%d\t%.6g\n", key, *bits, 1e3 * seconds);
    return length > 0 && (size_t)length < room ? length : 0;
}

static tulle__widths table, measured;

static void look_up(void) {
    tulle__cpu cpu = tulle__cpu_here();
    for (int t = 0; t < TULLE__TYPE_COUNT; t++) {
        for (int k = 0; k < TULLE__ROW_KINDS; k++) table.bits[t][k] = tulle__cpu_fast_bits(&cpu);
    }
}

const tulle__widths *tulle__widths_by_table(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, look_up);
    return &table;
}

static void find_or_measure(void) {
    enum { COUNT = TULLE__TYPE_COUNT * TULLE__ROW_KINDS };
    char path[TULLE__CACHE_PATH], key[TULLE__WIDTHS_KEY], lines[COUNT * (TULLE__WIDTHS_KEY + 64)];
    size_t length = 0;
    tulle__cpu cpu = tulle__cpu_here();
    measured = *tulle__widths_by_table();
    if (cpu.vector_bits < 512) return;
    if (tulle__cache_default_path(path) >= TULLE__CACHE_PATH) path[0] = '\0';
    for (int t = 0; t < TULLE__TYPE_COUNT; t++) {
        for (int k = 0; k < TULLE__ROW_KINDS; k++) {
            tulle_type type = tulle__type_at(t);
            tulle__row_kind kind = (tulle__row_kind)k;
            tulle__widths_key(&cpu, type, kind, key);
            if (find(path, key, &measured.bits[t][k])) continue;
            measured.bits[t][k] = table.bits[t][k];
            length += (size_t)measure(key, type, kind, lines + length, sizeof lines - length,
                                      &measured.bits[t][k]);
        }
    }
    if (length > 0) tulle__cache_file_append(path, lines);
}

const tulle__widths *tulle__widths_measured(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_or_measure);
    return &measured;
}
