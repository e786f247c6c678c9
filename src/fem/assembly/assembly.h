/* SPDX-License-Identifier: Apache-2.0 */
/* An assembly: all data that follows from lists of elements and is found once. A row of the pattern
 * is a point. In BSR a point is a node with all its unknowns, and its row is a row of blocks; in
 * the other formats a point is an unknown. */
#ifndef TULLE_FEM_ASSEMBLY_ASSEMBLY_H
#define TULLE_FEM_ASSEMBLY_ASSEMBLY_H

#include "fem/assembly/jobs.h"
#include "matrix/matrix.h"

/* Memory of the context for numbers that a caller has in host memory. */
typedef struct tulle__staging {
    void *data;
    size_t bytes;
} tulle__staging;

/* Lists of the numbers that are added up to each item: to item k, the numbers from[ends[k]] to
 * before from[ends[k + 1]]. */
typedef struct tulle__sum_list {
    bool wide; /* true: ends and from have 64 bits; false: 32 */
    void *ends, *from;
    int64_t count;
} tulle__sum_list;

/* Lists of the numbers that are added up, by rows, where such lists serve (jobs.h); else there are
 * none. */
typedef struct tulle__visits {
    bool wide;
    int width;
    int64_t longest;    /* largest number of entries of a row */
    void *from;         /* the visits, one row of numbers for each */
    uint8_t *positions; /* NULL: there are none */
} tulle__visits;

struct tulle_assembly {
    tulle_ctx *ctx;          /* owned */
    tulle__pattern *pattern; /* owned */
    int unknowns;            /* number of unknowns of a node */
    int block;               /* number of unknowns of a point */
    int64_t points;
    tulle__fem_blocks parts;
    tulle__sum_list entries, places; /* entries: used where there are no visits */
    tulle__visits visits;
    int64_t items;         /* number of entries of the pattern, or of blocks */
    int64_t contributions; /* number of element matrices' numbers that are added up to the items */
    tulle_index index;
    void *offsets;   /* for ELL: the offsets that it would have as CSR; else NULL */
    uint8_t *masked; /* one flag for each unknown; NULL: none is masked */
    int64_t masked_count;
    int64_t *masked_slots;
    uint16_t *masked_what;
    unsigned *masked_zeros; /* a word for the function that puts the mask into matrices (jobs.h) */
    tulle__staging staging[TULLE_ELEMENT_BLOCKS];
    int64_t bytes;
};

/* TULLE_SPACE_MISMATCH if the public function's S does not live where the context does. */
tulle_status tulle__assembly_check(const char *function, const tulle_ctx *ctx,
                                   const tulle_assembly *S);

/* All arrays of the assembly's. */
void tulle__assembly_release(tulle_assembly *S);

/* An array of the assembly's; counts its bytes. */
tulle_status tulle__assembly_alloc(tulle_assembly *S, int64_t count, int64_t size, void **array);

/* The public function's arguments, and the shapes of all blocks. */
tulle_status tulle__elements_check(const char *function, int64_t nodes, int blocks,
                                   const tulle_elements *elements, int unknowns);
void tulle__elements_shape(tulle_assembly *S, int blocks, const tulle_elements *elements);

/* The lists as points, in memory that the caller frees, all in one; S's blocks lead there. Waits.
 */
tulle_status tulle__elements_bring(const char *function, tulle_assembly *S, int64_t nodes,
                                   const tulle_elements *elements, int32_t **points);

/* The pattern, and what comes to which entry and which point. Waits. */
tulle_status tulle__assembly_find(tulle_assembly *S, tulle_format format);

/* The second of these alone; *order, unless it is NULL, is the place of each, and the caller's.
 * Waits.
 */
tulle_status tulle__assembly_find_places(tulle_assembly *S, int64_t **order);

/* Visits instead of the list of entries, where rows and elements are of a size for that; order as
 * tulle__assembly_find_places has it, csr the pattern of points. Waits. */
tulle_status tulle__assembly_find_visits(tulle_assembly *S, const tulle__pattern_view *csr,
                                         int64_t longest, const int64_t *order);

/* A copy of the caller's mask; NULL: there is none. Waits. */
tulle_status tulle__assembly_copy_mask(tulle_assembly *S, const uint8_t *masked);

/* Lists the entries that the mask changes. csr: the pattern of points; ell_stride: of ELL, or 0.
 * Waits. */
tulle_status tulle__assembly_mask(tulle_assembly *S, const tulle__pattern_view *csr,
                                  int64_t ell_stride);

/* tulle_assembly_values of one block of affine hexahedra, of which there are metrics (affine.h), in
 * the context's memory, instead of element matrices; S has visits. */
tulle_status tulle__assembly_affine_values(tulle_ctx *ctx, tulle_assembly *S, const void *metrics,
                                           tulle_mat *A);

static inline int64_t tulle__pairs_of(const tulle__fem_block *b) {
    return b->count * b->points * b->points;
}
static inline int64_t tulle__places_of_block(const tulle__fem_block *b) {
    return b->count * b->points;
}

#endif
