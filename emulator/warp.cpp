/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives of a warp: each lane of the mask brings a request, the last one answers them all. */
#include "emulator/machine.h"

namespace tulle_emu::emulator {

static thread_state &lane_of(unsigned lane) {
    unsigned thread = device.thread->thread;
    return device.block->threads[thread - thread % warp_lanes + lane];
}

static unsigned lowest(unsigned lanes) {
    return static_cast<unsigned>(__builtin_ctz(lanes));
}

template <class Visit>
static void each_lane(unsigned lanes, Visit visit) {
    for (; lanes; lanes &= lanes - 1) visit(lowest(lanes));
}

static bool same(const request &a, const request &b) {
    return a.op == b.op && a.mask == b.mask;
}

static void check_mask(const warp_state &warp, const request &wanted, unsigned lane, site at) {
    const char *name = collective_name(wanted.op);
    unsigned first = device.thread->thread - lane;
    if (!(wanted.mask >> lane & 1)) {
        fault(at, "calls %s with mask 0x%08x, which lacks its own lane %u", name, wanted.mask,
              lane);
    }
    if (unsigned gone = wanted.mask & warp.ended) {
        bool exists = first + lowest(gone) < device.block->size;
        fault(at, "calls %s with mask 0x%08x, but lane %u %s", name, wanted.mask, lowest(gone),
              exists ? "has ended" : "does not exist in this block");
    }
    if (wanted.width < 1 || wanted.width > warp_lanes || (wanted.width & (wanted.width - 1))) {
        fault(at, "calls %s with width %d; use a power of two up to 32", name, wanted.width);
    }
}

/* Lanes that wait for this one at another collective would wait for ever. */
static void check_peers(const warp_state &warp, const request &wanted, unsigned lane, site at) {
    each_lane(warp.waiting & wanted.mask & ~warp.alike, [&](unsigned peer) {
        const thread_state &other = lane_of(peer);
        if (same(other.wanted, wanted) || !(other.wanted.mask >> lane & 1)) return;
        fault(at,
              "calls %s with mask 0x%08x, while lane %u waits for it in %s with mask 0x%08x at "
              "%s:%u",
              collective_name(wanted.op), wanted.mask, peer, collective_name(other.wanted.op),
              other.wanted.mask, file_of(other.at), static_cast<unsigned>(other.at.line()));
    });
}

/* Most often all lanes ask for the same, one after the other: then none looks at the others. */
static void join(warp_state &warp, const request &wanted, unsigned lane, site at) {
    warp.alike = same(warp.last, wanted) ? warp.alike & warp.waiting : 0;
    check_peers(warp, wanted, lane, at);
    warp.last = wanted;
    warp.waiting |= 1u << lane;
    warp.alike |= 1u << lane;
}

static bool complete(const warp_state &warp, const request &wanted) {
    bool all = (wanted.mask & ~warp.waiting) == 0;
    if (all) {
        each_lane(wanted.mask & ~warp.alike,
                  [&](unsigned l) { all &= same(lane_of(l).wanted, wanted); });
    }
    return all;
}

/* After sync_warp each lane of the mask knows what any of them knew. */
static void join_clocks(warp_state &warp, unsigned mask) {
    uint32_t known[warp_lanes] = {};
    each_lane(mask, [&](unsigned l) {
        for (int j = 0; j < warp_lanes; j++) {
            if (warp.clock[l][j] > known[j]) known[j] = warp.clock[l][j];
        }
    });
    each_lane(mask, [&](unsigned l) {
        for (int j = 0; j < warp_lanes; j++) warp.clock[l][j] = known[j];
        warp.clock[l][l]++;
        lane_of(l).moment = 0;
    });
    device.block->syncs++;
    unsigned thread = device.thread->thread;
    share_in_warp(*device.block, thread - thread % warp_lanes, mask);
}

/* The lane that a shuffle reads, as the CUDA programming guide defines it for each kind. */
static unsigned source_lane(const request &wanted, unsigned lane) {
    int64_t width = wanted.width, own = lane, from;
    int64_t first = own & ~(width - 1), last = first + width - 1;
    switch (wanted.op) {
        case collective::shuffle:
            from = first + (wanted.operand & (width - 1));
            break;
        case collective::shuffle_up:
            from = own - wanted.operand;
            if (from < first) from = own;
            break;
        case collective::shuffle_down:
            from = own + wanted.operand;
            if (from > last) from = own;
            break;
        default:
            from = own ^ (wanted.operand & (warp_lanes - 1));
            if (from > last) from = own;
            break;
    }
    return static_cast<unsigned>(from);
}

static void answer_vote(collective op, unsigned mask) {
    unsigned votes = 0;
    each_lane(mask, [&](unsigned l) { votes |= (lane_of(l).wanted.bits ? 1u : 0u) << l; });
    uint64_t result = votes;
    if (op == collective::any) result = votes != 0;
    if (op == collective::all) result = votes == mask;
    each_lane(mask, [&](unsigned l) { lane_of(l).result = result; });
}

static void answer_shuffle(collective op, unsigned mask) {
    each_lane(mask, [&](unsigned l) {
        thread_state &reader = lane_of(l);
        unsigned source = source_lane(reader.wanted, l);
        reader.result = lane_of(source).wanted.bits;
        if (mask >> source & 1 || device.faulted) return;
        record_fault(reader, reader.at, "%s reads lane %u, which is not in mask 0x%08x",
                     collective_name(op), source, mask);
    });
}

static void answer(warp_state &warp, const request &wanted) {
    switch (wanted.op) {
        case collective::sync:
            join_clocks(warp, wanted.mask);
            break;
        case collective::ballot:
        case collective::any:
        case collective::all:
            answer_vote(wanted.op, wanted.mask);
            break;
        default:
            answer_shuffle(wanted.op, wanted.mask);
            break;
    }
}

static void release(warp_state &warp, unsigned mask) {
    unsigned first = device.thread->thread - device.thread->thread % warp_lanes;
    warp.waiting &= ~mask;
    for (unsigned i = 0; i < warp_lanes; i++) {
        unsigned lane = device.order == direction::backward ? warp_lanes - 1 - i : i;
        if (mask >> lane & 1) make_ready(*device.block, first + lane);
    }
}

uint64_t warp_collective(const request &wanted, site at) {
    thread_state &thread = *device.thread;
    warp_state &warp = warp_of(*device.block, thread.thread);
    unsigned lane = thread.thread % warp_lanes;
    check_mask(warp, wanted, lane, at);
    join(warp, wanted, lane, at);
    device.progress = true;
    thread.wanted = wanted;
    thread.at = at;
    if (complete(warp, wanted)) {
        answer(warp, wanted);
        release(warp, wanted.mask);
        let_others_run();
    } else {
        wait_as(state::at_collective, at);
    }
    return thread.result;
}

void leave_warp() {
    const thread_state &thread = *device.thread;
    warp_state &warp = warp_of(*device.block, thread.thread);
    unsigned lane = thread.thread % warp_lanes;
    each_lane(warp.waiting, [&](unsigned peer) {
        const thread_state &other = lane_of(peer);
        if (!(other.wanted.mask >> lane & 1)) return;
        fault(other.at, "ends while lane %u waits for it in %s with mask 0x%08x", peer,
              collective_name(other.wanted.op), other.wanted.mask);
    });
    warp.ended |= 1u << lane;
}

}  // namespace tulle_emu::emulator
