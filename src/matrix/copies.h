/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of a matrix's values as plans need them: in the order of a form, or as f32.
 * tulle_mat_set_values renews them. The lock of A's pattern guards the list of copies; only the
 * thread that holds `building` changes the list. */
#ifndef TULLE_MATRIX_COPIES_H
#define TULLE_MATRIX_COPIES_H

#include "matrix/form.h"

struct tulle__copy {
    struct tulle__copy *next; /* next copy in the list; a copy that was made from another copy comes
                                 after that one */
    tulle_ctx *ctx;           /* owned context, from whose pool the copy is */
    atomic_int users;
    tulle__form *form; /* held form whose order the values have; NULL: the matrix's own order */
    tulle_type type;
    void *data;
};

/* True when a product with the form and the type reads A's own values. */
bool tulle__copy_needless(const tulle_mat *A, const tulle__form *form, tulle_type type);

/* Returns A's copy for the form and the type, or NULL; the caller holds the lock. */
tulle__copy *tulle__copy_find(const tulle_mat *A, const tulle__form *form, tulle_type type);

/* Makes the copies that A lacks for the form and the type, and waits. */
tulle_status tulle__copies_make(tulle_ctx *ctx, tulle_mat *A, tulle__form *form, tulle_type type);

/* Adds values that are ready, in the context's pool, to A's copies. On failure they still belong
 * to the caller. */
tulle_status tulle__copy_put(tulle_ctx *ctx, tulle_mat *A, tulle__form *form, tulle_type type,
                             void *data);

/* Returns the values that a product with the form and the type reads: A's own, or those of the
 * copy, which must exist. */
const void *tulle__copy_values(const tulle_mat *A, tulle__form *form, tulle_type type);

/* Puts A's values into all its copies, in stream order. */
tulle_status tulle__copies_refresh(tulle_ctx *ctx, const tulle_mat *A);

/* Frees the copies that no derived data of the pattern needs, except the copy that `also` needs
 * (NULL: none); or all copies of a matrix that is being destroyed. */
void tulle__copies_prune(tulle_mat *A, const tulle__derived *also);
void tulle__copies_release(tulle_mat *A);

/* Takes one user off a copy; the caller does not hold the lock. NULL is fine. */
void tulle__copy_release(tulle__copy *copy);

int64_t tulle__copy_bytes(const tulle_mat *A, const tulle__copy *copy);

#endif
