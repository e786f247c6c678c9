/* SPDX-License-Identifier: Apache-2.0 */
/* Other forms of a pattern, which plans run on: its transpose, or either of them in another format.
 * Made once for a pattern, they are in its list for as long as somebody uses them. */
#ifndef TULLE_MATRIX_FORM_H
#define TULLE_MATRIX_FORM_H

#include "matrix/matrix.h"

/* What a form is. CSR, not transposed: the pattern itself, which is not in the list. */
typedef struct tulle__form_key {
    tulle_format format;
    bool transposed;
    tulle_convert_options options; /* of a format that has some */
} tulle__form_key;

struct tulle__form {
    struct tulle__form *next;
    tulle__pattern *owner; /* whose list it is in, and whose lock counts users; lives longer */
    int64_t users;
    tulle__form_key key;
    struct tulle__form *source; /* held; what it was made from; NULL: the owner */
    tulle__pattern *pattern;    /* owned; its context's pool also has this form and the next two */
    int64_t *perm;              /* where the values of a transpose are in the source, or NULL */
    void *clipped;              /* HYB, CSR+COO: see layout_offsets in core/backend.h */
};

/* The form of the pattern, one more user; made where it is not there yet, for which A needs its
 * values in the order of the form's source, and then gets them in the form's. Only who holds
 * `building` may ask. Waits. */
tulle_status tulle__form_make(tulle_ctx *ctx, const char *function, tulle_mat *A,
                              const tulle__form_key *key, tulle_type type, tulle__form **form);

/* The form of the list, one more user, or NULL. */
tulle__form *tulle__form_find(tulle__pattern *owner, const tulle__form_key *key);

/* Puts a form, whose user is the caller, into the list. */
void tulle__form_put(tulle__form *form);

/* One user more; the owner's lock is held. NULL is fine. */
tulle__form *tulle__form_retain(tulle__form *form);

/* One user fewer; nobody holds the owner's lock. NULL is fine. */
void tulle__form_release(tulle__form *form);

/* Bytes of its arrays. NULL: 0. */
int64_t tulle__form_bytes(const tulle__form *form);

/* What a product with the form reads besides values. NULL: the matrix's own. */
static inline const tulle__pattern *tulle__form_pattern(const tulle__form *form,
                                                        const tulle_mat *A) {
    return form ? form->pattern : A->pattern;
}

/* The form that has the values: COO's are in the order of the CSR that it was made from. */
static inline tulle__form *tulle__form_of_values(tulle__form *form) {
    while (form && form->key.format == TULLE_COO) form = form->source;
    return form;
}

#endif
