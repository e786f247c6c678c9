/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv/answers.h"

/* Number of questions kept: products with a matrix and its transpose, of one vector and of a few
 * widths. */
enum { MOST = 8 };

typedef struct answers {
    tulle__derived base;
    int count; /* number of answers ever kept */
    struct {
        tulle__question question;
        tulle__answer answer;
    } item[MOST];
} answers;

static const tulle__owner owner = {.free = NULL};

static bool same(const tulle__question *a, const tulle__question *b) {
    return a->backend == b->backend && a->rule == b->rule && a->values == b->values &&
           a->repeatable == b->repeatable && a->call.op == b->call.op &&
           a->call.vectors == b->call.vectors && a->call.x_layout == b->call.x_layout &&
           a->call.y_layout == b->call.y_layout;
}

bool tulle__answer_find(const tulle__pattern *pattern, const tulle__question *question,
                        tulle__answer *answer) {
    pthread_mutex_t *lock = (pthread_mutex_t *)&pattern->lock;
    bool found = false;
    pthread_mutex_lock(lock);
    const answers *kept = (const answers *)tulle__derived_first(pattern, &owner);
    int count = kept ? (kept->count < MOST ? kept->count : MOST) : 0;
    for (int i = 0; i < count && !found; i++) {
        found = same(&kept->item[i].question, question);
        if (found) *answer = kept->item[i].answer;
    }
    pthread_mutex_unlock(lock);
    return found;
}

/* Puts a place for answers into the list, unless somebody else was faster. */
static tulle_status make_room(tulle_ctx *ctx, tulle__pattern *pattern) {
    answers *made = tulle__derived_new(ctx, sizeof *made, &owner);
    if (!made) return TULLE_OUT_OF_MEMORY;
    pthread_mutex_lock(&pattern->lock);
    bool wanted = !tulle__derived_first(pattern, &owner);
    if (wanted) tulle__derived_put(pattern, &made->base);
    pthread_mutex_unlock(&pattern->lock);
    if (!wanted) tulle__derived_release(&made->base);
    return TULLE_OK;
}

tulle_status tulle__answer_keep(tulle_ctx *ctx, tulle__pattern *pattern,
                                const tulle__question *question, const tulle__answer *answer) {
    if (!tulle__derived_ever(pattern, &owner)) TULLE__TRY(make_room(ctx, pattern));
    pthread_mutex_lock(&pattern->lock);
    answers *kept = (answers *)tulle__derived_first(pattern, &owner);
    if (kept) {
        int i = kept->count++ % MOST;
        kept->item[i].question = *question;
        kept->item[i].answer = *answer;
        if (kept->count == 2 * MOST) kept->count = MOST;
    }
    pthread_mutex_unlock(&pattern->lock);
    return TULLE_OK;
}
