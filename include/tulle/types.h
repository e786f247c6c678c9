/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Types that several topics share: value types, index types, formats, scalars and others.
 *
 * Options are structs that may grow at their end in a later release, and carry their size: a
 * function that takes options is an inline function, which hands the size that the program was
 * compiled with to a function of the library whose name ends in _sized. Fields beyond that size
 * count as zero. Bytes beyond the struct that the library knows must be zero, or the call fails
 * with TULLE_UNSUPPORTED. So a program works with later versions of the library without being
 * compiled again, and with earlier ones as long as it leaves the fields at zero that these lack.
 * Set every byte of a struct of options: zero-initialise it first, then set the fields that you
 * want. tulle_linop_functions, tulle_diffusion_problem and tulle_elasticity_problem carry no size
 * and do not grow: a later release that needs more adds another struct, and another function for
 * it.
 *
 * A function that fills a struct with the properties of an object is named NAME_describe. Those
 * that tell one part or one state of an object have names of their own: tulle_ctx_device,
 * tulle_ctx_memory, tulle_mat_counts, tulle_factor_status, tulle_amg_level,
 * tulle_amg_level_numbers, tulle_tuner_cache and tulle_kernel_param.
 */
#ifndef TULLE_TYPES_H
#define TULLE_TYPES_H

#include <stdint.h>

#include "export.h"

/** Stored and computed value type. 0 is none: calls refuse it (TULLE_INVALID_ARGUMENT), so that a
 * type that was left out of a zeroed struct is not taken for f32. */
typedef enum tulle_type {
    TULLE_F32 = 1, /**< IEEE binary32; sums of vectors in binary64 */
    TULLE_F64 = 2  /**< IEEE binary64, computed in binary64 */
} tulle_type;

/** Types of a matrix's index arrays: offsets (row pointers) and indices (columns; rows in COO). */
typedef enum tulle_index {
    TULLE_I32 = 0,     /**< 32-bit offsets, 32-bit indices */
    TULLE_I64_I32 = 1, /**< 64-bit offsets, 32-bit indices */
    TULLE_I64 = 2      /**< 64-bit offsets, 64-bit indices */
} tulle_index;

/** Storage formats of a matrix; formats.h says how each lays out its arrays. */
typedef enum tulle_format {
    TULLE_COO = 0,     /**< a row index, a column index and a value for each entry, in any order */
    TULLE_CSR = 1,     /**< rows + 1 offsets; a column index and a value for each entry, by rows */
    TULLE_CSC = 2,     /**< cols + 1 offsets; a row index and a value for each entry, by columns */
    TULLE_ELL = 3,     /**< every row padded to the longest, slot by slot */
    TULLE_ELLR = 4,    /**< ELL with the lengths of the rows */
    TULLE_SELL = 5,    /**< SELL-C-sigma: slices of C rows, each an ELL of its own width */
    TULLE_HYB = 6,     /**< ELL up to a width, COO for the rest */
    TULLE_CSR_COO = 7, /**< CSR up to a length, COO for the tails of longer rows */
    TULLE_JDS = 8,     /**< rows by falling length, jagged diagonals, no padding */
    TULLE_JDS_ELL = 9, /**< rows by falling length, cut into sections, each an ELL */
    TULLE_DIA = 10,    /**< diagonals */
    TULLE_BSR = 11,    /**< CSR of dense blocks, 1 x 1 to 16 x 16 */
    TULLE_PACKED = 12, /**< SELL-32-sigma, the columns of neighbouring rows as small numbers */
    TULLE_DCSR = 13    /**< CSR of the rows that have entries: for very many rows without */
} tulle_format;

/** Number of formats. */
enum { TULLE_FORMAT_COUNT = 14 };

/** op(A). */
typedef enum tulle_trans {
    TULLE_N = 0, /**< A */
    TULLE_T = 1  /**< A transposed */
} tulle_trans;

/** Order of a multivector in memory. */
typedef enum tulle_layout {
    TULLE_COLUMN_MAJOR = 0, /**< entry (i, j) at i + j * ld */
    TULLE_ROW_MAJOR = 1     /**< entry (i, j) at i * ld + j */
} tulle_layout;

/**
 * Ownership of an array that the caller hands over. Who lends an array keeps it alive and in the
 * context's memory, and says when he has changed values in it (tulle_mat_values_changed).
 */
typedef enum tulle_ownership {
    TULLE_COPY = 0,   /**< copied; the caller's array may go away after the call */
    TULLE_BORROW = 1, /**< lent: used in place, and never written */
    TULLE_TAKE = 2    /**< used in place and released through the callback at the end */
} tulle_ownership;

/** Gives an array back that tulle had taken; called once for each array. */
typedef void (*tulle_release_fn)(void *user, void *array);

/** Size in bytes of one value; 0 for a number that is no type. */
TULLE_INLINE int64_t tulle_type_size(tulle_type type) {
    return type == TULLE_F32 ? 4 : type == TULLE_F64 ? 8 : 0;
}

/** Size in bytes of one offset (row pointer). */
TULLE_INLINE int64_t tulle_offset_size(tulle_index index) {
    return index == TULLE_I32 ? 4 : 8;
}

/** Size in bytes of one column (or row) index. */
TULLE_INLINE int64_t tulle_index_size(tulle_index index) {
    return index == TULLE_I64 ? 8 : 4;
}

/**
 * A scalar operand: a number on the host, or the address of one in the context's memory, which is
 * read when the operation runs (type: that of the operation). Make one with tulle_num or tulle_at.
 */
typedef struct tulle_scalar {
    double number;       /**< value of the scalar, where address is NULL */
    const void *address; /**< address of the scalar in the context's memory, or NULL */
} tulle_scalar;

/** A scalar operand from a number; rounded to the type of the operation. */
TULLE_INLINE tulle_scalar tulle_num(double number) {
    tulle_scalar s;
    s.number = number;
    s.address = 0;
    return s;
}

/** A scalar operand read from the context's memory when the operation runs. */
TULLE_INLINE tulle_scalar tulle_at(const void *address) {
    tulle_scalar s;
    s.number = 0;
    s.address = address;
    return s;
}

#endif
