/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/moments.h"

#include <algorithm>

#include "emulator/machine.h"

namespace tulle_emu::emulator {

/* The lanes' clocks of a warp, as one of its lanes knew them. */
struct lanes {
    uint32_t clock[warp_lanes];
};

/* Sorted entries: of a block, up to which barrier all is known; of one of its warps, up to which
 * sync_warp of each lane. */
class knowledge {
  public:
    struct entry {
        uint64_t who;
        uint32_t epoch;
        std::shared_ptr<const lanes> warp;
    };
    std::vector<entry> entries;

    static constexpr int block_shift = 8; /* below it: 0, or a warp's number and 1 */
    static uint64_t block_of(uint32_t block) { return static_cast<uint64_t>(block) << block_shift; }
    static uint64_t warp_of(uint32_t block, unsigned thread) {
        return block_of(block) + 1 + thread / warp_lanes;
    }
    const entry *find(uint64_t who) const {
        auto at = std::lower_bound(entries.begin(), entries.end(), who,
                                   [](const entry &e, uint64_t w) { return e.who < w; });
        return at != entries.end() && at->who == who ? &*at : nullptr;
    }
    bool covers(const moment &past) const {
        const entry *block = find(block_of(past.block));
        if (block && past.epoch < block->epoch) return true;
        const entry *warp = find(warp_of(past.block, past.thread));
        return warp && warp->warp->clock[past.thread % warp_lanes] >= past.clock;
    }
};

/* The moments of the launches that may overlap. */
static std::vector<moment> moments;
static uint32_t oldest = first_moment, of_launch = first_moment;

uint32_t oldest_moment() {
    return oldest;
}
uint32_t launch_moment() {
    return of_launch;
}

uint32_t following_moment() {
    return oldest + static_cast<uint32_t>(moments.size());
}

void moments_serialise() {
    oldest = following_moment();
    moments.clear();
}

bool moments_begin(bool overlaps) {
    if (!overlaps) moments_serialise();
    bool anew = following_moment() > last_moment / 2;
    if (anew) {
        moments.clear();
        oldest = first_moment;
    }
    of_launch = following_moment();
    return !anew;
}

uint32_t moment_now() {
    thread_state &thread = *device.thread;
    if (thread.moment != 0) return thread.moment;
    unsigned lane = thread.thread % warp_lanes;
    thread.moment = following_moment();
    moments.push_back({launch_now().launch, thread.block, device.block->epoch,
                       warp_of(*device.block, thread.thread).clock[lane][lane],
                       static_cast<uint16_t>(thread.thread), launch_now().stream});
    return thread.moment;
}

const moment &moment_of(uint32_t number) {
    return moments[number - oldest];
}

bool is_before(uint32_t number, const thread_state &thread) {
    if (number < oldest || number == thread.moment) return true;
    const moment &past = moment_of(number);
    if (past.launch != launch_now().launch) {
        return launch_is_complete({past.launch, past.stream}, thread.awaited);
    }
    if (past.block == thread.block) {
        if (past.thread == thread.thread || past.epoch < device.block->epoch) return true;
        const warp_state &warp = warp_of(*device.block, thread.thread);
        if (past.thread / warp_lanes == thread.thread / warp_lanes &&
            warp.clock[thread.thread % warp_lanes][past.thread % warp_lanes] >= past.clock) {
            return true;
        }
    }
    return thread.knows && thread.knows->covers(past);
}

static std::shared_ptr<const lanes> latest(const std::shared_ptr<const lanes> &a,
                                           const std::shared_ptr<const lanes> &b) {
    if (!a || !b || a == b) return a ? a : b;
    auto both = std::make_shared<lanes>(*a);
    for (int i = 0; i < warp_lanes; i++) both->clock[i] = std::max(a->clock[i], b->clock[i]);
    return both;
}

static bool has(const knowledge::entry &all, const knowledge::entry &part) {
    if (part.epoch > all.epoch || !part.warp || part.warp == all.warp)
        return part.epoch <= all.epoch;
    for (int i = 0; i < warp_lanes; i++) {
        if (part.warp->clock[i] > all.warp->clock[i]) return false;
    }
    return true;
}

static bool has(const knowledge &all, const knowledge &part) {
    auto x = all.entries.begin();
    for (const knowledge::entry &y : part.entries) {
        while (x != all.entries.end() && x->who < y.who) x++;
        if (x == all.entries.end() || x->who > y.who || !has(*x, y)) return false;
    }
    return true;
}

news merge(const news &a, const news &b) {
    if (!a || !b || a == b) return a ? a : b;
    if (has(*a, *b)) return a;
    if (has(*b, *a)) return b;
    auto both = std::make_shared<knowledge>();
    both->entries.reserve(a->entries.size() + b->entries.size());
    auto x = a->entries.begin(), y = b->entries.begin();
    while (x != a->entries.end() || y != b->entries.end()) {
        if (y == b->entries.end() || (x != a->entries.end() && x->who < y->who)) {
            both->entries.push_back(*x++);
        } else if (x == a->entries.end() || y->who < x->who) {
            both->entries.push_back(*y++);
        } else {
            both->entries.push_back(
                {x->who, std::max(x->epoch, y->epoch), latest(x->warp, y->warp)});
            x++, y++;
        }
    }
    return both;
}

static std::shared_ptr<const lanes> earliest(const lanes &a, const lanes &b) {
    auto both = std::make_shared<lanes>(a);
    for (int i = 0; i < warp_lanes; i++) both->clock[i] = std::min(a.clock[i], b.clock[i]);
    return both;
}

/* What a knows and b does too: all of a block of which b knows a later barrier; of the same
 * barrier, as far as both know the warps, if equal is set. */
static void add_common(std::vector<knowledge::entry> &both, const knowledge &a, const knowledge &b,
                       bool equal) {
    constexpr uint64_t own = (1 << knowledge::block_shift) - 1;
    uint32_t epoch = 0;
    for (const knowledge::entry &one : a.entries) {
        if ((one.who & own) == 0) epoch = one.epoch;
        const knowledge::entry *block = b.find(one.who & ~own), *same = b.find(one.who);
        if (block && block->epoch > epoch) both.push_back(one);
        if (!equal || !block || !same || block->epoch != epoch) continue;
        both.push_back({one.who, one.epoch, one.warp ? earliest(*one.warp, *same->warp) : nullptr});
    }
}

news common(const news &a, const news &b) {
    if (!a || !b) return nullptr;
    auto both = std::make_shared<knowledge>();
    add_common(both->entries, *a, *b, true);
    add_common(both->entries, *b, *a, false);
    std::sort(both->entries.begin(), both->entries.end(),
              [](const knowledge::entry &x, const knowledge::entry &y) { return x.who < y.who; });
    return both;
}

/* Time passes: what the thread does from now on is not what others were told of. */
static void tick(thread_state &thread) {
    unsigned lane = thread.thread % warp_lanes;
    warp_of(*device.block, thread.thread).clock[lane][lane]++;
    device.block->syncs++;
    thread.moment = 0;
}

news release_moment() {
    thread_state &thread = *device.thread;
    unsigned lane = thread.thread % warp_lanes;
    auto warp = std::make_shared<lanes>();
    memcpy(warp->clock, warp_of(*device.block, thread.thread).clock[lane], sizeof warp->clock);
    auto own = std::make_shared<knowledge>();
    own->entries = {{knowledge::block_of(thread.block), device.block->epoch, nullptr},
                    {knowledge::warp_of(thread.block, thread.thread), 0, warp}};
    tick(thread);
    return own;
}

static void learn(lore &all, const lore &one) {
    if (one.knows != all.knows) all.knows = merge(all.knows, one.knows);
    for (int i = 0; i < 2; i++) {
        if (one.fenced[i] != all.fenced[i]) all.fenced[i] = merge(all.fenced[i], one.fenced[i]);
    }
    if (one.heard != all.heard) all.heard = merge(all.heard, one.heard);
    all.met |= one.met;
}

/* The first threads of so many, of those the ones in the mask. */
static void share(thread_state *first, unsigned count, const uint64_t mask) {
    lore all;
    for (unsigned i = 0; i < count; i++) {
        if (mask >> i % warp_lanes & 1) learn(all, first[i]);
    }
    for (unsigned i = 0; i < count; i++) {
        if (mask >> i % warp_lanes & 1) static_cast<lore &>(first[i]) = all;
    }
}

void share_in_block(block_state &block) {
    if (block.learned) share(block.threads, block.size, full_warp);
    block.learned = false;
}

void share_in_warp(block_state &block, unsigned first_thread, unsigned mask) {
    if (block.learned) share(block.threads + first_thread, warp_lanes, mask);
}

}  // namespace tulle_emu::emulator
