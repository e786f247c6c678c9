/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/sizes.h"
#include "matrix/turn_block.h"

tulle_status tulle__cpu_turn_blocks(const tulle__place *place, const tulle__block_turning *job) {
    const int64_t count = tulle__turned_items(job);
    const int threads = tulle__threads_for(place, TULLE__WORK_ENTRIES, count);
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < count; i++) tulle__turn_item(job, i);
    return TULLE_OK;
}
