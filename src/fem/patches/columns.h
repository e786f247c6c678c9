/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_FEM_PATCHES_COLUMNS_H
#define TULLE_FEM_PATCHES_COLUMNS_H

#include "fem/patches/patches.h"
#include "operator/columns.h"

/* The vectors of a job that is done for a column. */
static inline tulle__vectors tulle__vectors_of(const tulle__column *a) {
    return (tulle__vectors){.diagonal = a->diagonal,
                            .alpha = a->alpha,
                            .beta = a->beta,
                            .x = a->x,
                            .y = a->y,
                            .x_step = a->x_step,
                            .y_step = a->y_step};
}

#endif
