/* SPDX-License-Identifier: Apache-2.0 */
/* Marks for a profiler of a GPU, which watches only between on and off. The marks are functions of
 * the driver, which is opened at run time; without a driver marks do nothing. */
#ifndef PAPERS_MARKS_H
#define PAPERS_MARKS_H

typedef struct paper_marks {
    void *driver;
    int (*start)(void);
    int (*stop)(void);
} paper_marks;

paper_marks paper_marks_open(void);
void paper_marks_close(paper_marks *marks);

void paper_marks_on(const paper_marks *marks);
void paper_marks_off(const paper_marks *marks);

#endif
