/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that every back end has for generators of matrices; see core/place.h. */
#ifndef TULLE_IO_FUNCTIONS_H
#define TULLE_IO_FUNCTIONS_H

#include "core/place.h"
#include "io/generator.h"

TULLE_BEGIN

/* F(name, (arguments)) */
#define TULLE__IO_FUNCTIONS(F)                                                                     \
    /* rows.*; count: offsets[i + 1] := entries of row i, then a scan (waits) */                   \
    F(generate_offsets, (const tulle__place *place, const tulle__generator_args *generator,        \
                         tulle_index index, void *offsets, int64_t *host_nnz))                     \
    F(generate_entries,                                                                            \
      (const tulle__place *place, const tulle__generator_args *generator, tulle_index index,       \
       tulle_type type, const void *offsets, void *cols_of, void *values))

typedef struct tulle__io_functions {
    TULLE__IO_FUNCTIONS(TULLE__MEMBER)
} tulle__io_functions;

TULLE__IO_FUNCTIONS(TULLE__DECLARE)

TULLE_END
#endif
