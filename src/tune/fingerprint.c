/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/fingerprint.h"

#include <string.h>

/* Hashes a word as FNV-1a does, but by words of 64 bits, with a shift that carries high bits down
 * again. */
static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x100000001b3u;
    return hash ^ hash >> 29;
}

static uint64_t mix_int(uint64_t hash, int64_t number) {
    return mix(hash, (uint64_t)number);
}

static uint64_t mix_real(uint64_t hash, double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return mix(hash, bits);
}

static uint64_t mix_stats(uint64_t hash, const tulle__stats *stats) {
    hash = mix_int(hash, stats->sorted);
    hash = mix_int(hash, stats->min_row);
    hash = mix_int(hash, stats->max_row);
    hash = mix_int(hash, stats->empty_rows);
    hash = mix_int(hash, stats->bandwidth);
    hash = mix_real(hash, stats->mean_row);
    hash = mix_real(hash, stats->sd_row);
    size_t bins = sizeof stats->row_histogram / sizeof *stats->row_histogram;
    for (size_t b = 0; b < bins; b++) hash = mix_int(hash, stats->row_histogram[b]);
    return hash;
}

static uint64_t mix_storage(uint64_t hash, const tulle_storage *storage) {
    hash = mix_int(hash, storage->stored);
    hash = mix_int(hash, storage->width);
    hash = mix_int(hash, storage->head);
    hash = mix_int(hash, storage->slice);
    hash = mix_int(hash, storage->window);
    hash = mix_int(hash, storage->block);
    hash = mix_int(hash, storage->block_cols);
    return mix_int(hash, storage->full);
}

uint64_t tulle__fingerprint(const tulle__spmv_shape *shape) {
    uint64_t hash = 0xcbf29ce484222325u;
    hash = mix_int(hash, shape->rows);
    hash = mix_int(hash, shape->cols);
    hash = mix_int(hash, shape->nnz);
    hash = mix_int(hash, shape->format);
    hash = mix_int(hash, tulle__type_index(shape->type));
    hash = mix_int(hash, shape->index);
    hash = mix_int(hash, shape->trans);
    hash = mix_int(hash, shape->values);
    hash = mix_stats(hash, shape->stats);
    return mix_storage(hash, shape->storage);
}
