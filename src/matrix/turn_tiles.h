/* SPDX-License-Identifier: Apache-2.0 */
/* The transpose of a CSR matrix of few long rows on the CPU. */
#ifndef TULLE_MATRIX_TURN_TILES_H
#define TULLE_MATRIX_TURN_TILES_H

#include "matrix/functions.h"

/* True where tulle__turn_tiles takes less time than counting by chunks of rows. */
bool tulle__suits_tiles(const tulle__turning *job);

/* Transposes a pattern whose columns rise, and its values or perm, with the bits of
 * tulle__cpu_turn_csr's other ways. Fails with TULLE_OUT_OF_MEMORY, or TULLE_CANCELLED when the
 * caller asks to stop. */
tulle_status tulle__turn_tiles(const tulle__place *place, int threads, const tulle__turning *job);

#endif
