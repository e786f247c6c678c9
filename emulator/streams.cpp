/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/streams.h"

#include <algorithm>
#include <atomic>
#include <vector>

namespace tulle_emu::emulator {

/* Of each stream, by number: up to which launch it is complete. */
using launches_done = std::vector<uint32_t>;

struct stream {
    const void *name;        /* NULL: the program's own, or a side's that was joined */
    launches_done before;    /* for an early launch that has yet to wait */
    launches_done done;      /* for whoever waits */
    bool overlapped = false; /* launches in it, that an early one may meet */
};

static std::vector<stream> streams(1);
static uint32_t sides;                  /* not joined */
static thread_local uint32_t own_sides; /* those of this thread: no work of another one is beside
                                           its arrays */

static launch_number now;
static launches_done before_now, done_now;

/* Of the launches that may overlap, and the number of the first. */
static std::vector<launch_note> notes;
static uint32_t first_note;

static stream &find(const void *name) {
    for (size_t i = 1; name && i < streams.size(); i++) {
        if (streams[i].name == name) return streams[i];
    }
    return streams[0];
}

static uint16_t number_of(const stream &s) {
    return static_cast<uint16_t>(&s - streams.data());
}

static bool has(const launches_done &done, launch_number past) {
    return past.stream < done.size() && past.launch <= done[past.stream];
}

static void set_done(launches_done &done, launch_number past) {
    if (done.size() <= past.stream) done.resize(past.stream + size_t{1});
    done[past.stream] = past.launch;
}

static void add_done(launches_done &done, const launches_done &more) {
    if (done.size() < more.size()) done.resize(more.size());
    for (size_t i = 0; i < more.size(); i++) done[i] = std::max(done[i], more[i]);
}

static void settle(stream &s) {
    s.before = s.done;
    s.overlapped = false;
}

bool stream_launches(const void *name, bool early, const launch_note &note) {
    stream &s = find(name);
    if (!early) settle(s);
    const bool alone = sides == 0 && !s.overlapped;
    now = {now.launch + 1, number_of(s)};
    if (alone) {
        notes.clear();
        first_note = now.launch;
    }
    notes.push_back(note);
    before_now = s.before;
    done_now = s.done;
    set_done(s.done, now);
    s.overlapped = true;
    return alone;
}

launch_number launch_now() {
    return now;
}

bool launch_is_complete(launch_number past, bool awaited) {
    return has(awaited ? done_now : before_now, past);
}

const launch_note &note_of(uint32_t launch) {
    return notes[launch - first_note];
}

void stream_settles(const void *name) {
    settle(find(name));
}

void *new_side_name() {
    static std::atomic<uintptr_t> last{1};
    return reinterpret_cast<void *>(last += 2); /* odd: of no array */
}

void stream_forks(const void *name, const void *side) {
    const launches_done done = find(name).done;
    streams.push_back({side, done, done});
    sides++;
    own_sides++;
}

void stream_joins(const void *name, const void *side) {
    stream &joined = find(side);
    if (number_of(joined) == 0) return;
    stream &s = find(name);
    add_done(s.done, joined.done);
    settle(s);
    joined.name = nullptr;
    own_sides--;
    if (--sides == 0) streams.resize(1);
}

bool has_sides() {
    return own_sides > 0;
}

}  // namespace tulle_emu::emulator
