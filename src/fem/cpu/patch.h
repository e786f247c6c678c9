/* SPDX-License-Identifier: Apache-2.0 */
/* A thread's patch in steps on the CPU: x comes into its room, and sums go out. Once for each REAL,
 * with NAME. No include guard, on purpose. */

/* x, and zeros for sums. */
static void NAME(gather)(const tulle__patches *all, const tulle__vectors *v,
                         const tulle__patch *patch, REAL *room) {
    const uint32_t *list = all->list + patch->node;
    const REAL *x = v->x;
    for (int32_t l = 0; l < patch->nodes; l++) {
        const bool none = v->diagonal || (list[l] & TULLE__PATCH_MASKED);
        REAL *own = room + tulle__patch_place(all->more, l);
        own[0] = none ? 0 : x[(list[l] & TULLE__PATCH_NODE) * v->x_step];
        own[TULLE__PATCH_SUM] = 0;
    }
}

static void NAME(scatter)(const tulle__patches *all, const tulle__vectors *v,
                          const tulle__patch *patch, const REAL *room, REAL alpha, REAL beta) {
    const uint32_t *list = all->list + patch->node;
    REAL *slots = v->slots;
    for (int32_t l = 0; l < patch->nodes; l++) {
        if (list[l] & TULLE__PATCH_SHARED) continue;
        REAL *to = (REAL *)v->y + list[l] * v->y_step;
        const REAL sum = alpha * room[tulle__patch_place(all->more, l) + TULLE__PATCH_SUM];
        *to = beta == 0 ? sum : sum + beta * *to;
    }
    for (int64_t s = patch->slot; s < patch->slot + patch->slots; s++) {
        const uint16_t l = all->surface[s];
        const REAL sum = room[tulle__patch_place(all->more, l) + TULLE__PATCH_SUM];
        if (!v->atomic) {
            slots[s] = sum;
            continue;
        }
        REAL *to = (REAL *)v->y + (list[l] & TULLE__PATCH_NODE) * v->y_step;
#pragma omp atomic
        *to += alpha * sum;
    }
}
