/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/papers/marks.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static void find(void *driver, const char *name, int (**function)(void)) {
    void *symbol = dlsym(driver, name);
    memcpy(function, &symbol, sizeof symbol); /* ISO C has no conversion to functions */
}

bench_marks bench_marks_open(void) {
    bench_marks marks = {.driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)};
    if (!marks.driver) return marks;
    find(marks.driver, "cuProfilerStart", &marks.start);
    find(marks.driver, "cuProfilerStop", &marks.stop);
    return marks;
}

void bench_marks_close(bench_marks *marks) {
    if (marks->driver) dlclose(marks->driver);
    *marks = (bench_marks){0};
}

void bench_marks_on(const bench_marks *marks) {
    if (marks->start) (void)marks->start();
}

void bench_marks_off(const bench_marks *marks) {
    if (marks->stop) (void)marks->stop();
}
