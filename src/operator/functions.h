/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that every back end has for operators; see core/place.h. */
#ifndef TULLE_OPERATOR_FUNCTIONS_H
#define TULLE_OPERATOR_FUNCTIONS_H

#include "core/place.h"
#include "operator/jobs.h"

TULLE_BEGIN

/* F(name, (arguments)) */
#define TULLE__OPERATOR_FUNCTIONS(F)                                                               \
    /* rows.cu, rows_cpu.c */                                                                      \
    F(diagonal, (const tulle__place *place, const tulle__rows_job *job))                           \
    F(diagonal_blocks, (const tulle__place *place, const tulle__rows_job *job))                    \
    F(residual, (const tulle__place *place, const tulle__rows_job *job))                           \
    /* scales.cu, scales_cpu.c */                                                                  \
    F(invert_numbers, (const tulle__place *place, const tulle__blocks_job *job))                   \
    F(invert_blocks, (const tulle__place *place, const tulle__blocks_job *job))                    \
    F(apply_blocks, (const tulle__place *place, const tulle__blocks_job *job))

typedef struct tulle__op_functions {
    TULLE__OPERATOR_FUNCTIONS(TULLE__MEMBER)
} tulle__op_functions;

TULLE__OPERATOR_FUNCTIONS(TULLE__DECLARE)

TULLE_END
#endif
