/* SPDX-License-Identifier: Apache-2.0 */
/* Copies the schedule of a batch into one array of a GPU's memory: tasks, items, waits, and where
 * the levels of triangles begin, once for all tasks whose triangles have the same levels. */
#include <string.h>

#include "batch/batch.h"

/* The beginnings of levels: in host memory, and their offset in bytes from the beginning of the
 * copy. */
typedef struct level_list {
    const int64_t *begins;
    size_t bytes, at;
} level_list;

/* Offsets in bytes of the parts of the copy, the size of the copy, and its lists of levels. */
typedef struct copy_layout {
    size_t items, tiles, waits, bytes;
    level_list *list;
    int lists;
} copy_layout;

/* The schedules of a task: none, one or two. */
static int schedules_of(tulle__task *t, tulle__schedule *to[2]) {
    int count = 0;
    if (t->kind == TULLE__TASK_FACTOR) to[count++] = &t->factor.schedule;
    if (t->kind != TULLE__TASK_SOLVE) return count;
    while (count < t->solve.parts) {
        to[count] = &t->solve.part[count].schedule;
        count++;
    }
    return count;
}

/* Finds the list of levels, the last tasks' first: neighbours often share one. */
static const level_list *find(const copy_layout *p, const int64_t *begins) {
    for (int l = p->lists - 1; l >= 0; l--) {
        if (p->list[l].begins == begins) return p->list + l;
    }
    return NULL;
}

/* Arrays lie one behind the other, each at a multiple of 16 bytes. */
static size_t behind(size_t at, size_t bytes) {
    return (at + bytes + 15) / 16 * 16;
}

static void add_list(copy_layout *p, const tulle__schedule *schedule) {
    if (!schedule->level_begins || find(p, schedule->level_begins)) return;
    const size_t bytes = (size_t)(schedule->levels + 1) * sizeof *schedule->level_begins;
    p->list[p->lists++] = (level_list){schedule->level_begins, bytes, p->bytes};
    p->bytes = behind(p->bytes, bytes);
}

static void lay_out(const tulle_batch *batch, copy_layout *p) {
    const size_t count = (size_t)batch->count;
    tulle__schedule *schedule[2];
    p->items = behind(0, count * sizeof *batch->task);
    p->tiles = behind(p->items, (count + 1) * sizeof *batch->first_item);
    p->waits = behind(p->tiles, (count + 1) * sizeof *batch->first_tile);
    p->bytes = behind(p->waits, ((size_t)batch->orders + 1) * sizeof *batch->wait);
    for (int i = 0; i < batch->count; i++) {
        const int schedules = schedules_of(batch->task + i, schedule);
        for (int k = 0; k < schedules; k++) add_list(p, schedule[k]);
    }
}

/* Tasks lead to the lists of the device from now on. */
static void lead_to_device(tulle_batch *batch, const copy_layout *p) {
    tulle__schedule *schedule[2];
    for (int i = 0; i < batch->count; i++) {
        const int schedules = schedules_of(batch->task + i, schedule);
        for (int k = 0; k < schedules; k++) {
            const level_list *list = find(p, schedule[k]->level_begins);
            if (list)
                schedule[k]->level_begins = (int64_t *)((char *)batch->device_copy + list->at);
        }
    }
}

static void write_copy(const tulle_batch *batch, const copy_layout *p, char *to) {
    const size_t count = (size_t)batch->count;
    memcpy(to, batch->task, count * sizeof *batch->task);
    memcpy(to + p->items, batch->first_item, (count + 1) * sizeof *batch->first_item);
    memcpy(to + p->tiles, batch->first_tile, (count + 1) * sizeof *batch->first_tile);
    memcpy(to + p->waits, batch->wait, (size_t)batch->orders * sizeof *batch->wait);
    for (int l = 0; l < p->lists; l++) {
        memcpy(to + p->list[l].at, p->list[l].begins, p->list[l].bytes);
    }
}

static tulle_status copy(tulle_batch *batch, const copy_layout *p) {
    tulle_ctx *ctx = batch->ctx;
    TULLE__TRY(tulle__alloc(ctx, p->bytes, &batch->device_copy));
    char *all = tulle__host_alloc(ctx, p->bytes);
    if (!all) return TULLE_OUT_OF_MEMORY;
    lead_to_device(batch, p);
    write_copy(batch, p, all);
    const tulle_status status = tulle__copy_wait(ctx, batch->device_copy, all, p->bytes);
    tulle__host_free(ctx, all);
    const char *device = batch->device_copy;
    batch->job.task = (const tulle__task *)device;
    batch->job.first_item = (const int64_t *)(device + p->items);
    batch->job.first_tile = (const int64_t *)(device + p->tiles);
    batch->job.wait = (const int *)(device + p->waits);
    return status;
}

tulle_status tulle__batch_copy_schedule(tulle_batch *batch) {
    tulle_ctx *ctx = batch->ctx;
    copy_layout p = {.list = tulle__host_alloc(ctx, 2 * (size_t)batch->count * sizeof *p.list)};
    if (!p.list) return TULLE_OUT_OF_MEMORY;
    lay_out(batch, &p);
    const tulle_status status = copy(batch, &p);
    tulle__host_free(ctx, p.list);
    return status;
}
