/* SPDX-License-Identifier: Apache-2.0 */
/* Fetches a piece from the memory of another GPU. */
#include "comm/functions.h"
#include "gpu/peers.cuh"

tulle_status GPU_SYMBOL(fetch)(const tulle__place *place, void *to, tulle__device *other,
                               const void *from, size_t bytes) {
    return gpu::fetch_from(place, to, other, from, bytes);
}
