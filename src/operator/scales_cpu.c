/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on diagonals and on blocks along a diagonal, on the CPU. */
#include "core/access.h"
#include "core/pieces.h"
#include "core/threads/sizes.h"
#include "operator/block.h"
#include "operator/functions.h"

/* Number of rows that a thread takes at a time. */
enum { FEW_ROWS = 4096 };

tulle_status tulle__cpu_invert_numbers(const tulle__place *place, const tulle__blocks_job *job) {
#pragma omp parallel for num_threads(tulle__threads_for(place, TULLE__WORK_ROWS, job->rows))
    for (int64_t i = 0; i < job->rows; i++) tulle__invert_number(job, i);
    return TULLE_OK;
}

tulle_status tulle__cpu_invert_blocks(const tulle__place *place, const tulle__blocks_job *job) {
    const int64_t count = tulle__block_count(job), cells = (int64_t)job->block * job->block;
    int64_t singular = INT64_MAX;
#pragma omp parallel for num_threads(tulle__threads_for(place, TULLE__WORK_ROWS, job->rows))       \
    reduction(min                                                                                  \
              : singular)
    for (int64_t i = 0; i < count; i++) {
        void *block = (char *)job->blocks + i * cells * tulle_type_size(job->type);
        if (!tulle__invert_block(job->type, block, job->block) && i * job->block < singular) {
            singular = i * job->block;
        }
    }
    *job->singular = singular == INT64_MAX ? -1 : singular;
    return TULLE_OK;
}

static double scalar_of(const tulle__blocks_job *job, tulle_scalar s) {
    return s.address                ? tulle__number_at(job->type, s.address, 0)
           : job->type == TULLE_F32 ? (double)(float)s.number
                                    : s.number;
}

static void apply_piece(const void *any, int64_t piece) {
    const tulle__blocks_job *job = any;
    const double alpha = scalar_of(job, job->alpha), beta = scalar_of(job, job->beta);
    const int64_t begin = piece * FEW_ROWS;
    const int64_t end = job->rows - begin < FEW_ROWS ? job->rows : begin + FEW_ROWS;
    for (int64_t i = begin; i < end; i++) {
        for (int64_t c = 0; c < job->cols; c++) tulle__apply_block(job, alpha, beta, i, c);
    }
}

tulle_status tulle__cpu_apply_blocks(const tulle__place *place, const tulle__blocks_job *job) {
    tulle__in_pieces(tulle__threads_for(place, TULLE__WORK_ROWS, job->rows),
                     tulle__ceil_div(job->rows, FEW_ROWS), apply_piece, job);
    return TULLE_OK;
}
