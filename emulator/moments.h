/* SPDX-License-Identifier: Apache-2.0 */
/* Which of two accesses came first, whatever order the emulator ran them in. A moment is a stretch
 * of one thread's life in which it synchronises with nobody; an access is remembered by its moment.
 * It is before what a thread does now when the same thread made it, when a barrier of the block or
 * a chain of sync_warp leads from it to now, when the thread knows it from an acquire, or when it
 * belongs to a launch that was complete before (streams.h). Vector clocks: Mattern 1989, Flanagan
 * and Freund 2009. */
#ifndef TULLE_GPU_EMULATOR_MOMENTS_H
#define TULLE_GPU_EMULATOR_MOMENTS_H

#include <stdint.h>

#include <memory>
#include <vector>

#include "emulator/streams.h"

namespace tulle_emu::emulator {

struct thread_state;
struct block_state;

struct moment {
    uint32_t launch, block, epoch, clock;
    uint16_t thread, stream;
};

/* Numbers below this are states of memory, not moments. */
constexpr uint32_t first_moment = 16;

/* Numbers pass this only between launches, and then start anew. */
constexpr uint32_t last_moment = 1u << 30;

/* What a thread knows of the threads it never met at a barrier. */
class knowledge;
using news = std::shared_ptr<const knowledge>;

/* What a thread learns from others, and tells those that it meets at a barrier. */
struct lore {
    news knows;       /* of other blocks and warps, by acquiring */
    news fenced[2];   /* what its last fence lets later atomic writes release: known, and done */
    news heard;       /* what its atomic operations so far would acquire, at its next fence */
    uint64_t met = 0; /* blocks whose numbers it has met: overwritten.cpp */
};

/* The running thread's moment. */
uint32_t moment_now();

/* The number of the next one that begins. */
uint32_t following_moment();

/* The moment behind a number, of this launch or of one that may overlap with it. */
const moment &moment_of(uint32_t number);

bool is_before(uint32_t number, const thread_state &thread);

/* The first moment of the oldest launch that may overlap with this one; of this launch. */
uint32_t oldest_moment();
uint32_t launch_moment();

/* A new launch. overlaps: it may run beside the one before it. False: numbers started anew, and
 * every history must be forgotten. */
bool moments_begin(bool overlaps);

/* Whatever was launched has ended before what comes next. */
void moments_serialise();

/* All that the running thread has done, for whoever acquires it; its next access is later. */
news release_moment();

/* Both; what is in both. Either may be NULL. */
news merge(const news &a, const news &b);
news common(const news &a, const news &b);

/* After a barrier of the block, or of some lanes of a warp, all know what each knew. */
void share_in_block(block_state &block);
void share_in_warp(block_state &block, unsigned first_thread, unsigned lanes);

}  // namespace tulle_emu::emulator

#endif
