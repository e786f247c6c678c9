/* SPDX-License-Identifier: Apache-2.0 */
/* The other forms of a pattern, which plans run on, are its transpose, and the pattern or its
 * transpose in another format. A form is made once for a pattern, and is in the pattern's list of
 * derived data for as long as somebody uses it. */
#ifndef TULLE_MATRIX_FORM_H
#define TULLE_MATRIX_FORM_H

#include "matrix/derived.h"

/* Format and direction of a form. CSR, not transposed: the pattern itself, which is not in the
 * list. */
typedef struct tulle__form_key {
    tulle_format format;
    bool transposed;
    tulle_convert_options options; /* layout, for formats that have options */
} tulle__form_key;

struct tulle__form {
    tulle__derived base;
    tulle__form_key key;
    struct tulle__form *source; /* held form that this one was made from; NULL: the pattern
                                   itself */
    tulle__pattern *pattern;    /* owned pattern; perm and clipped are in its context's pool, too */
    int64_t *perm;              /* place in the source of each value of a transpose, or NULL */
    void *clipped;              /* table by which values of HYB and CSR+COO find their slots: see
                                   layout_offsets in format/functions.h */
};

/* Returns the form of the pattern, one more user; it is made where it is not there yet, for
 * which A needs its values in the order of the form's source, and then gets them in the form's.
 * Only who holds `building` may ask. Waits. */
tulle_status tulle__form_make(tulle_ctx *ctx, const char *function, tulle_mat *A,
                              const tulle__form_key *key, tulle_type type, tulle__form **form);

/* Returns the form of the list, one more user, or NULL. */
tulle__form *tulle__form_find(tulle__pattern *pattern, const tulle__form_key *key);

/* Makes a form of the pattern, whose user is the caller; and puts a form into the list. */
tulle_status tulle__form_new(tulle_ctx *ctx, const tulle__form_key *key, tulle__form *source,
                             tulle__form **form);
void tulle__form_put(tulle__pattern *pattern, tulle__form *form);

/* Add a user of a form, and take one off, which must not be done while holding the lock. NULL is
 * fine. */
tulle__form *tulle__form_retain(tulle__form *form);
void tulle__form_release(tulle__form *form);

/* Bytes of its arrays. NULL: 0. */
int64_t tulle__form_bytes(const tulle__form *form);

/* The pattern that a product with the form reads. NULL: the matrix's own. */
static inline const tulle__pattern *tulle__form_pattern(const tulle__form *form,
                                                        const tulle_mat *A) {
    return form ? form->pattern : A->pattern;
}

/* The form whose order the values have: values of some formats are in the order of the CSR. */
static inline tulle__form *tulle__form_of_values(tulle__form *form) {
    while (form && tulle__has(form->key.format, TULLE__AS_CSR)) form = form->source;
    return form;
}

#endif
