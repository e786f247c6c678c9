/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix's values as plans want them: in the order of a form, or as f32. They follow
 * tulle_mat_set_values. A's pattern's lock guards the list; only who holds `building` changes it.
 */
#ifndef TULLE_MATRIX_COPIES_H
#define TULLE_MATRIX_COPIES_H

#include "matrix/form.h"

struct tulle__copy {
    struct tulle__copy *next; /* copies come after those that they are made from */
    tulle_ctx *ctx;           /* owned: whose pool it is from */
    atomic_int users;
    tulle__form *form; /* held; NULL: the matrix's own order */
    tulle_type type;
    void *data;
};

/* Whether A's own values are what a product with the form and the type reads. */
bool tulle__copy_needless(const tulle_mat *A, const tulle__form *form, tulle_type type);

/* A's copy for the form and the type, or NULL; the lock is held. */
tulle__copy *tulle__copy_find(const tulle_mat *A, const tulle__form *form, tulle_type type);

/* Makes what A lacks for the form and the type, and waits. */
tulle_status tulle__copies_make(tulle_ctx *ctx, tulle_mat *A, tulle__form *form, tulle_type type);

/* Values that are ready, in the context's pool, become A's copy. On failure they still belong to
 * the caller. */
tulle_status tulle__copy_put(tulle_ctx *ctx, tulle_mat *A, tulle__form *form, tulle_type type,
                             void *data);

/* What a product with the form and the type reads: A's own values, or the copy's, which is there.
 */
const void *tulle__copy_values(const tulle_mat *A, tulle__form *form, tulle_type type);

/* Puts A's values into all its copies, in stream order. */
tulle_status tulle__copies_refresh(tulle_ctx *ctx, const tulle_mat *A);

/* Gives up the copies that nothing derived from the pattern wants, nor `also`, unless that is NULL;
 * or all of a dying matrix. */
void tulle__copies_prune(tulle_mat *A, const tulle__derived *also);
void tulle__copies_release(tulle_mat *A);

/* One user fewer; nobody holds the lock. NULL is fine. */
void tulle__copy_release(tulle__copy *copy);

int64_t tulle__copy_bytes(const tulle_mat *A, const tulle__copy *copy);

#endif
