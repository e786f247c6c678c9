/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/sizes.h"

/* Least numbers of items that are worth a second thread: one thread does fewer in some 20
 * microseconds. In that time a second thread that sleeps wakes up and begins; on a machine that
 * is busy it begins much later. The measurements are in docs/lab-notes.md, "CPU: threads". */
static const int64_t least[TULLE__WORK_KINDS] = {
    [TULLE__WORK_NUMBERS] = 32768, [TULLE__WORK_ENTRIES] = 20000, [TULLE__WORK_ROWS] = 4096,
    [TULLE__WORK_POINTS] = 4096,   [TULLE__WORK_VISITS] = 512,    [TULLE__WORK_MATRICES] = 256,
    [TULLE__WORK_CELLS] = 512,     [TULLE__WORK_ELASTIC] = 128,   [TULLE__WORK_QUADRATIC] = 64,
    [TULLE__WORK_EDGES] = 512,
};

int tulle__threads_for(const tulle__place *place, tulle__work kind, int64_t count) {
    return count < least[kind] ? 1 : place->threads;
}

int tulle__host_threads_for(const tulle_ctx *ctx, tulle__work kind, int64_t count) {
    if (count < least[kind]) return 1;
    return ctx->kind == TULLE_CPU ? ctx->place.threads : tulle__cpu_threads();
}
