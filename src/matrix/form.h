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

/* Returns a form of A's pattern, with one more user, and makes it if the list lacks it. To make
 * it, A's values must be there in the order of the form's source; A then gets a copy of them in
 * the order of the form. The caller holds `building`. Waits. */
tulle_status tulle__form_make(tulle_ctx *ctx, const char *function, tulle_mat *A,
                              const tulle__form_key *key, tulle_type type, tulle__form **form);

/* Returns the form that the list has, with one more user, or NULL. */
tulle__form *tulle__form_find(tulle__pattern *pattern, const tulle__form_key *key);

/* The first function makes a form of the pattern, whose one user is the caller; the second one
 * puts a form into the list. */
tulle_status tulle__form_new(tulle_ctx *ctx, const tulle__form_key *key, tulle__form *source,
                             tulle__form **form);
void tulle__form_put(tulle__pattern *pattern, tulle__form *form);

/* Add a user of a form, and take one off, which must not be done while holding the lock. NULL is
 * fine. */
tulle__form *tulle__form_retain(tulle__form *form);
void tulle__form_release(tulle__form *form);

/* Returns the bytes of the arrays of a form; NULL: 0. */
int64_t tulle__form_bytes(const tulle__form *form);

/* Returns the pattern that a product with the form reads; form NULL: A's own pattern. */
static inline const tulle__pattern *tulle__form_pattern(const tulle__form *form,
                                                        const tulle_mat *A) {
    return form ? form->pattern : A->pattern;
}

/* Returns the form in whose order the values of `form` are: the values of some formats are in
 * the order of the CSR that they were made from. */
static inline tulle__form *tulle__form_of_values(tulle__form *form) {
    while (form && tulle__has(form->key.format, TULLE__AS_CSR)) form = form->source;
    return form;
}

#endif
