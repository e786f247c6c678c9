/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/error.h"
#include "tools/common/sample.h"

enum { MOST_KNOWN = 16, CHUNK = 1 << 20 };

typedef struct fingerprint {
    int64_t nnz;
    uint64_t bits;
} fingerprint;

/* The latest ones. */
struct trial_verdicts {
    fingerprint print[MOST_KNOWN];
    trial_verdict verdict[MOST_KNOWN];
    int count;
};

trial_verdicts *trial_verdicts_create(void) {
    return tool_alloc(1, sizeof(trial_verdicts));
}

void trial_verdicts_destroy(trial_verdicts *verdicts) {
    free(verdicts);
}

static uint64_t chunk_bits(const char *data, size_t length, uint64_t seed) {
    uint64_t bits = tool_mix(seed);
    for (size_t at = 0; at < length; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        size_t left = length - at;
        memcpy(&word, data + at, left < sizeof word ? left : sizeof word);
        bits = tool_mix(bits ^ word) + at;
    }
    return bits;
}

/* Computes bits of data that are the same for any number of threads. */
static uint64_t bits_of(const void *data, int64_t bytes, uint64_t seed) {
    uint64_t bits = 0;
    int64_t chunks = (bytes + CHUNK - 1) / CHUNK;
#pragma omp parallel for reduction(+ : bits)
    for (int64_t c = 0; c < chunks; c++) {
        int64_t left = bytes - c * CHUNK;
        bits += chunk_bits((const char *)data + c * CHUNK, (size_t)(left < CHUNK ? left : CHUNK),
                           seed + (uint64_t)c);
    }
    return tool_mix(bits ^ seed);
}

static fingerprint print_of(const tool_csr *C) {
    enum { OFFSETS = 1, COLUMNS = 1 << 24, VALUES = 2 << 24 };
    int64_t index = tulle_index_size(C->index);
    uint64_t offsets =
        bits_of(C->offsets, (C->rows + 1) * tulle_offset_size(C->index), (uint64_t)C->index);
    uint64_t columns = bits_of(C->columns, C->nnz * index, COLUMNS);
    uint64_t values = bits_of(C->values, C->nnz * tulle_type_size(C->type), VALUES);
    return (fingerprint){.nnz = C->nnz,
                         .bits = tool_mix(tool_mix(offsets + OFFSETS) ^ columns) ^ values};
}

static int find(const trial_verdicts *known, const fingerprint *print) {
    int count = known->count < MOST_KNOWN ? known->count : MOST_KNOWN;
    for (int i = 0; i < count; i++) {
        if (known->print[i].nnz == print->nnz && known->print[i].bits == print->bits) return i;
    }
    return -1;
}

/* Compares C with its definition, first with columns that must rise in each row; where that fails,
 * once more with columns in any order, and notes which of both is wrong. */
static tulle_status look(const trial_making *m, const tool_csr *C, trial_verdict *verdict) {
    tool_spgemm_error error;
    tulle_status status = m->operation->makes->verify(m, C, true, &error);
    *verdict = (trial_verdict){.units = error.units, .sorted = true};
    if (status != TULLE_OK || error.units <= 1) return status;
    double strict = error.units;
    status = m->operation->makes->verify(m, C, false, &error);
    verdict->sorted = !(strict > 1 && error.units <= 1);
    verdict->units = error.units;
    return status;
}

static tulle_status look_once(const trial_making *m, const tool_csr *C, trial_verdict *verdict) {
    fingerprint print = print_of(C);
    int known = find(m->known, &print);
    if (known >= 0) {
        *verdict = m->known->verdict[known];
        return TULLE_OK;
    }
    tulle_status status = look(m, C, verdict);
    if (status != TULLE_OK) return status;
    int next = m->known->count++ % MOST_KNOWN;
    m->known->print[next] = print;
    m->known->verdict[next] = *verdict;
    return TULLE_OK;
}

tulle_status trial_verdict_of(const trial_making *making, const tulle_mat *C, bool strict,
                              trial_verdict *verdict) {
    *verdict = (trial_verdict){.units = (double)NAN, .sorted = true};
    if (!making->known) return TULLE_OK;
    tool_csr host = {0};
    tulle_status status = tool_csr_open(making->ctx, C, &host);
    if (status == TULLE_OK) status = look_once(making, &host, verdict);
    tool_csr_close(&host);
    if (status == TULLE_OK && strict && !verdict->sorted) verdict->units = (double)INFINITY;
    return status;
}
