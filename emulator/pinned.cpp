/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/pinned.h"

#include <string.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <vector>

#include "emulator/machine.h"

namespace tulle_emu::emulator {

struct late_copy {
    void *to;
    std::vector<char> bytes;
};

static std::mutex lock;
static std::vector<memory> pinned;
static std::deque<late_copy> on_their_way; /* the last one's number is last */
static uint64_t last;

void pin(const void *first, size_t bytes) {
    std::lock_guard<std::mutex> alone(lock);
    pinned.push_back({first, bytes});
}

void unpin(const void *first) {
    copies_arrive();
    std::lock_guard<std::mutex> alone(lock);
    std::erase_if(pinned, [=](const memory &m) { return m.first == first; });
}

static bool is_pinned(const void *p) {
    return std::any_of(pinned.begin(), pinned.end(), [=](const memory &m) { return m.has(p); });
}

static void arrive(uint64_t up_to) {
    for (; !on_their_way.empty() && last - on_their_way.size() < up_to; on_their_way.pop_front()) {
        const late_copy &copy = on_their_way.front();
        memcpy(copy.to, copy.bytes.data(), copy.bytes.size());
    }
}

bool copy_late(void *to, const void *from, size_t bytes) {
    constexpr int not_a_number = 0xff; /* as float and as double; as an index out of range */
    std::lock_guard<std::mutex> alone(lock);
    if (is_pinned(from)) arrive(last);
    if (!is_pinned(to)) return false;
    const char *first = static_cast<const char *>(from);
    on_their_way.push_back({to, {first, first + bytes}});
    last++;
    memset(to, not_a_number, bytes);
    return true;
}

uint64_t last_copy() {
    std::lock_guard<std::mutex> alone(lock);
    return last;
}

void copies_arrive(uint64_t up_to) {
    std::lock_guard<std::mutex> alone(lock);
    arrive(up_to);
}

}  // namespace tulle_emu::emulator
