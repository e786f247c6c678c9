/* SPDX-License-Identifier: Apache-2.0 */
/* Marks for a profiler of a GPU: it watches only between on and off. Of the driver, opened at run
 * time; nothing happens where there is none. */
#ifndef BENCH_PAPERS_MARKS_H
#define BENCH_PAPERS_MARKS_H

typedef struct bench_marks {
    void *driver;
    int (*start)(void);
    int (*stop)(void);
} bench_marks;

bench_marks bench_marks_open(void);
void bench_marks_close(bench_marks *marks);

void bench_marks_on(const bench_marks *marks);
void bench_marks_off(const bench_marks *marks);

#endif
