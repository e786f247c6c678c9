/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "bench/find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool readable(const char *folder, const char *name, char path[BENCH_PATH]) {
    int length = snprintf(path, BENCH_PATH, "%s/%s", folder, name);
    return length > 0 && length < BENCH_PATH && access(path, R_OK) == 0;
}

/* Finds the folder of the running program; "" where the system does not tell. */
static void program_folder(char folder[BENCH_PATH]) {
    ssize_t length = readlink("/proc/self/exe", folder, BENCH_PATH - 1);
    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash) *slash = '\0';
}

bool bench_find_in(const char *variable, const char *folder, const char *name,
                   char path[BENCH_PATH]) {
    const char *chosen = secure_getenv(variable);
    if (chosen && chosen[0]) return readable(chosen, name, path);
    static const char *const near[] = {"", "../", "../../", "../share/tulle/"};
    char program[BENCH_PATH], whole[BENCH_PATH + 64];
    program_folder(program);
    for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
        snprintf(whole, sizeof whole, "%s/%s%s", program, near[i], folder);
        if (readable(whole, name, path)) return true;
    }
    return false;
}

bool bench_find(const char *name, char path[BENCH_PATH]) {
    return bench_find_in("TULLE_BENCH", "bench", name, path);
}
