/* SPDX-License-Identifier: Apache-2.0 */
/* Data derived from a pattern and kept with it: plans, other forms, marks, answers of a rule.
 * One list holds them all; each kind belongs to the code that derives it, and the matrix knows
 * no more of it than this. A struct of a kind has tulle__derived as its first member. The
 * pattern's lock guards the list. */
#ifndef TULLE_MATRIX_DERIVED_H
#define TULLE_MATRIX_DERIVED_H

#include "matrix/matrix.h"

/* A kind of derived data. */
typedef struct tulle__owner {
    /* Frees the memory of an object that nobody uses any more; the caller does not hold the
     * lock. NULL: objects of the kind hold no memory. */
    void (*free)(tulle__derived *derived);
    /* Returns the bytes of the object that count as plan_bytes of tulle_mat_info. NULL: objects
     * of the kind hold no memory of the place. */
    int64_t (*bytes)(const tulle__derived *derived);
    /* Returns true when the object needs A's values as the copy has them; the caller holds the
     * lock. NULL: objects of the kind need no copies. */
    bool (*wants)(const tulle__derived *derived, const tulle_mat *A, const tulle__copy *copy);
    /* True when an object leaves the list with its last user; false when the list itself counts
     * as a user. */
    bool leaves;
} tulle__owner;

struct tulle__derived {
    tulle__derived *next;
    const tulle__owner *owner;
    tulle__pattern *pattern; /* pattern whose list it is in; NULL: none */
    tulle_ctx *ctx;          /* owned context, from whose pool its memory is */
    atomic_int users;
};

/* Returns a zeroed struct of `size` bytes with one user. Returns NULL, and fills the error
 * record, when there is no memory. */
void *tulle__derived_new(tulle_ctx *ctx, size_t size, const tulle__owner *owner);

/* These functions return the first object of a kind in a pattern's list, and the next one of the
 * same kind after a given one, or NULL. The caller holds the list's lock. */
tulle__derived *tulle__derived_first(const tulle__pattern *pattern, const tulle__owner *owner);
tulle__derived *tulle__derived_next(const tulle__derived *derived);

/* Returns false when the list never had an object of the kind, and true when it may have had one.
 * This is cheaper than a search of the list, and needs no lock. */
bool tulle__derived_ever(const tulle__pattern *pattern, const tulle__owner *owner);

/* These functions put an object into a pattern's list, and take it off the list. One user of the
 * object passes from the caller to the list, and back. The caller holds the list's lock. */
void tulle__derived_put(tulle__pattern *pattern, tulle__derived *derived);
void tulle__derived_take(tulle__derived *derived);

/* Add a user of derived data, and take one off, which must not be done while holding the lock.
 * NULL is fine. */
void tulle__derived_retain(tulle__derived *derived);
void tulle__derived_release(tulle__derived *derived);

/* Ends the list's own use of all objects of a kind; NULL: of every kind. */
void tulle__derived_forget(tulle__pattern *pattern, const tulle__owner *owner);

/* The first function returns the bytes of all derived data of A's pattern and of A's copies. The
 * second one returns true when any of these came from another pool than A's arrays. The third
 * one returns true when any derived data needs the copy; its caller holds the lock. */
int64_t tulle__derived_bytes(const tulle_mat *A);
bool tulle__derived_elsewhere(const tulle_mat *A);
bool tulle__derived_want(const tulle_mat *A, const tulle__copy *copy);

#endif
