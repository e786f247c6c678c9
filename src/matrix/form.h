/* SPDX-License-Identifier: Apache-2.0 */
/* Other forms of a pattern, which plans run on: its transpose, or either of them in another format.
 * Made once for a pattern, they are in its list of derived data for as long as somebody uses them.
 */
#ifndef TULLE_MATRIX_FORM_H
#define TULLE_MATRIX_FORM_H

#include "matrix/derived.h"

/* What a form is. CSR, not transposed: the pattern itself, which is not in the list. */
typedef struct tulle__form_key {
    tulle_format format;
    bool transposed;
    tulle_convert_options options; /* of a format that has some */
} tulle__form_key;

struct tulle__form {
    tulle__derived base;
    tulle__form_key key;
    struct tulle__form *source; /* held; what it was made from; NULL: the pattern whose it is */
    tulle__pattern *pattern;    /* owned; its context's pool also has the next two */
    int64_t *perm;              /* where the values of a transpose are in the source, or NULL */
    void *clipped;              /* HYB, CSR+COO: see layout_offsets in format/functions.h */
};

/* The form of the pattern, one more user; made where it is not there yet, for which A needs its
 * values in the order of the form's source, and then gets them in the form's. Only who holds
 * `building` may ask. Waits. */
tulle_status tulle__form_make(tulle_ctx *ctx, const char *function, tulle_mat *A,
                              const tulle__form_key *key, tulle_type type, tulle__form **form);

/* The form of the list, one more user, or NULL. */
tulle__form *tulle__form_find(tulle__pattern *pattern, const tulle__form_key *key);

/* A form of the pattern, whose user is the caller; and into the list with it. */
tulle_status tulle__form_new(tulle_ctx *ctx, const tulle__form_key *key, tulle__form *source,
                             tulle__form **form);
void tulle__form_put(tulle__pattern *pattern, tulle__form *form);

/* One user more; and one fewer, which nobody who holds the lock may do. NULL is fine. */
tulle__form *tulle__form_retain(tulle__form *form);
void tulle__form_release(tulle__form *form);

/* Bytes of its arrays. NULL: 0. */
int64_t tulle__form_bytes(const tulle__form *form);

/* What a product with the form reads besides values. NULL: the matrix's own. */
static inline const tulle__pattern *tulle__form_pattern(const tulle__form *form,
                                                        const tulle_mat *A) {
    return form ? form->pattern : A->pattern;
}

/* The form that has the values: those of some formats are in the order of the CSR. */
static inline tulle__form *tulle__form_of_values(tulle__form *form) {
    while (form && tulle__has(form->key.format, TULLE__AS_CSR)) form = form->source;
    return form;
}

#endif
