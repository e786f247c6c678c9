/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler: a few blocks at a time, every thread on a fiber of its own, one thread at a time
 * until it waits, spins or ends. */
#include "emulator/machine.h"

#include <sys/mman.h>

#include <new>
#include <numeric>

#include "emulator/arena.h"

#if defined(TULLE__ADDRESS_SANITIZER)
#include <sanitizer/lsan_interface.h>
static void holds_pointers(const void *p, size_t bytes) {
    __lsan_register_root_region(p, bytes);
}
#else
static void holds_pointers(const void *, size_t) {}
#endif

namespace tulle_emu::emulator {

machine device;
const position *here;

/* How often all blocks get their turn while nothing happens, before that counts as stuck. */
static constexpr int most_idle_rounds = 1000;

void make_ready(block_state &block, unsigned thread) {
    block.threads[thread].now = state::ready;
    block.ready[(block.ready_first + block.ready_count++) % most_threads] =
        static_cast<uint16_t>(thread);
}

void make_all_ready(block_state &block) {
    for (unsigned i = 0; i < block.size; i++) {
        make_ready(block, device.order == direction::backward ? block.size - 1 - i : i);
    }
}

/* Whose turn is next: the ring's first, after a random one has been put there. */
static unsigned peek_ready(block_state &block) {
    uint16_t *first = &block.ready[block.ready_first];
    if (device.order == direction::random) {
        unsigned pick = (block.ready_first + random_below(block.ready_count)) % most_threads;
        std::swap(*first, block.ready[pick]);
    }
    return *first;
}

static void drop_ready(block_state &block) {
    block.ready_first = (block.ready_first + 1) % most_threads;
    block.ready_count--;
}

static bool broken() {
    return device.faulted || device.no_memory;
}

static void become(thread_state &thread) {
    device.thread = &thread;
    here = &thread;
    device.moves++;
    device.runs_left--;
}

/* The thread that runs next in the block's turn; NULL when the turn is over. */
static thread_state *take_next() {
    if (device.runs_left == 0 || broken()) return nullptr;
    thread_state &next = device.block->threads[peek_ready(*device.block)];
    drop_ready(*device.block);
    return &next;
}

/* Its own fiber, where it waits, or a new one: NULL when there is no memory for that. */
static fiber *fiber_of(thread_state &thread) {
    if (!thread.on) thread.on = fiber_take();
    device.no_memory = !thread.on;
    return thread.on;
}

/* From fiber to fiber: the launcher is met once a turn. */
void let_others_run() {
    device.thread->looked_at = nullptr;
    fiber *own = device.thread->on;
    thread_state *next = take_next();
    if (!next || !fiber_of(*next)) return fiber_leave();
    become(*next);
    if (next->on != own) fiber_enter(next->on);
}

void wait_as(state how, site at) {
    thread_state &thread = *device.thread;
    thread.now = how;
    thread.at = at;
    thread.polls = 0;
    device.in_vain++;
    let_others_run();
}

void awaited() {
    device.thread->awaited = true;
}

static void end_thread() {
    if (!device.thread->awaited) {
        record_fault(*device.thread, device.shape->at,
                     "launched early, and ends without gpu::await_previous");
    }
    leave_barrier();
    leave_warp();
    device.thread->now = state::ended;
    device.block->ended++;
    device.progress = true;
    something_is_new();
}

/* A thread that has yet to start does so on the fiber of the one that ended. */
void run_thread() {
    for (;;) {
        device.call(device.closure);
        end_thread();
        fiber *own = device.thread->on;
        device.thread->on = nullptr;
        thread_state *next = take_next();
        if (next && !next->on) {
            next->on = own;
            become(*next);
            continue;
        }
        fiber_give(own);
        if (!next) return fiber_leave();
        become(*next);
        return fiber_enter(next->on);
    }
}

/* Lets every thread that is ready now run once; in random order, some of them. */
static void take_turn(block_state &block) {
    unsigned count = block.ready_count;
    if (device.order == direction::random && count > 1) count = 1 + random_below(count);
    device.block = &block;
    device.runs_left = count;
    if (thread_state *first = take_next(); first && fiber_of(*first)) {
        become(*first);
        fiber_enter(first->on);
    }
}

/* The blocks of a grid in the order that they start: first + step * i, modulo their number. */
class admission {
  public:
    explicit admission(int64_t blocks) : blocks_(blocks) {
        if (device.order == direction::backward) first_ = blocks - 1, step_ = blocks - 1;
        if (device.order == direction::random) shuffle();
    }
    bool done() const { return started_ == blocks_; }
    unsigned next() { return static_cast<unsigned>((first_ + step_ * started_++) % blocks_); }

  private:
    void shuffle() {
        unsigned count = static_cast<unsigned>(blocks_);
        first_ = random_below(count);
        do {
            step_ = 1 + random_below(count);
        } while (std::gcd(step_, blocks_) != 1);
    }
    int64_t blocks_, first_ = 0, step_ = 1, started_ = 0;
};

static void start(block_state &block, unsigned index) {
    const grid &size = device.shape->size;
    block.index = index;
    block.size = static_cast<unsigned>(size.threads);
    block.ended = block.arrived = block.ready_count = 0;
    reset_shared(block);
    for (unsigned i = 0; i < block.size; i++) {
        thread_state &thread = block.threads[i];
        thread.thread = i;
        thread.block = index;
        thread.block_size = block.size;
        thread.grid_size = static_cast<unsigned>(size.blocks);
        thread.on = nullptr;
        thread.awaited = !device.shape->early;
        thread.moment = 0;
        thread.polls = 0;
        static_cast<lore &>(thread) = {};
        thread.last_fence = 0;
        thread.found = nullptr;
        thread.looked_at = nullptr;
        thread.copies.clear();
        thread.copy_groups = 0;
        if (i % warp_lanes == 0) {
            unsigned lanes = block.size - i;
            warp_state &warp = warp_of(block, i);
            warp.ended = lanes < warp_lanes ? full_warp << lanes : 0;
            warp.waiting = 0;
        }
    }
    make_all_ready(block);
}

/* Runs all blocks; on a fault it stops where it is. */
static void run_blocks(int64_t blocks) {
    admission order(blocks);
    for (int i = 0; i < device.active; i++) start(*device.slots[i], order.next());
    int idle_rounds = 0, live = device.active;
    while (live > 0) {
        bool ran = false;
        device.progress = false;
        for (int i = 0; i < device.active; i++) {
            block_state &block = *device.slots[i];
            if (block.ended == block.size) continue;
            ran = ran || block.ready_count > 0;
            take_turn(block);
            if (broken()) return;
            if (block.ended < block.size) continue;
            if (order.done()) {
                live--;
            } else {
                start(block, order.next());
            }
        }
        idle_rounds = device.progress ? 0 : idle_rounds + 1;
        if (!ran) return record_deadlock();
        if (idle_rounds == most_idle_rounds) return record_livelock();
        if (is_in_vain()) return record_turns_in_vain();
    }
}

static void drop_fibers() {
    for (int i = 0; i < device.active; i++) {
        block_state &block = *device.slots[i];
        for (unsigned t = 0; t < block.size; t++) {
            if (block.threads[t].on) fiber_drop(block.threads[t].on);
        }
    }
}

/* Memory that is all zero and takes no room before it is used: to make the block leaves its largest
 * arrays as they are. */
static bool make_slots(int count) {
    for (int i = 0; i < count; i++) {
        if (device.slots[i]) continue;
        void *memory = mmap(nullptr, sizeof(block_state), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) return false;
        holds_pointers(memory, sizeof(block_state));
        device.slots[i] = new (memory) block_state;
    }
    return true;
}

int resident() {
    return device.resident;
}

static tulle_status check_shape(const grid &size) {
    if (size.blocks < 0 || size.blocks > INT32_MAX) {
        return services->fail(TULLE_TOO_LARGE, nullptr, nullptr, -1,
                              "a grid of %lld blocks: a GPU takes at most %d",
                              static_cast<long long>(size.blocks), INT32_MAX);
    }
    if (size.threads < 1 || size.threads > most_threads) {
        return services->fail(TULLE_TOO_LARGE, nullptr, nullptr, -1,
                              "a block of %d threads: a GPU takes 1 to %d", size.threads,
                              most_threads);
    }
    if (size.dynamic_shared > most_shared) {
        return services->fail(TULLE_TOO_LARGE, nullptr, nullptr, -1,
                              "%zu bytes of shared memory: a block has at most %zu",
                              size.dynamic_shared, most_shared);
    }
    return TULLE_OK;
}

/* An argument is an input when all pointers of the launch into its array point to const. */
static bool is_closed(const char *word) {
    return arena_word(word).write.moment == word_closed;
}

/* The argument's array is cut into parts: its own, as far as closed words. */
static void keep_to_part(argument *a) {
    constexpr int64_t word = sizeof(uint32_t);
    const char *end = a->first + a->bytes, *from = static_cast<const char *>(a->pointer);
    from -= (from - a->first) % word;
    const char *to = from;
    if (arena_unwatched(from)) return;
    while (from > a->first && !is_closed(from - word)) from -= word;
    while (to + word <= end && !is_closed(to)) to += word;
    a->first = from;
    a->bytes = static_cast<size_t>((to < end ? to : end) - from);
}

static bool share_array(const argument &a, const argument &b) {
    return a.first < b.first + b.bytes && b.first < a.first + a.bytes;
}

/* What a kernel names by itself stands for a constant in the device's code. */
static tulle_status check_argument(const pointer_argument &p) {
    if (!p.pointer || arena.has(p.pointer) || !is_constant(p.pointer) || is_lent(p.pointer)) {
        return TULLE_OK;
    }
    return services->fail(TULLE_DEVICE_FAULT, nullptr, nullptr, -1,
                          "argument %d of the kernel launched at %s:%u is host memory, a constant "
                          "of the program: a kernel reaches the device's memory alone",
                          p.place, file_of(device.shape->at),
                          static_cast<unsigned>(device.shape->at.line()));
}

void look_through_structs(argument *input) {
    for (int i = 0; input->input && i < device.argument_count; i++) {
        argument word = device.arguments[i];
        if (word.element > 0 || !share_array(*input, word)) continue;
        keep_to_part(input);
        keep_to_part(&word);
        input->input = !share_array(*input, word);
    }
}

bool is_of_device(const void *p) {
    return arena.has(p);
}

/* The array of pointers that a pointer leads to: what they lead to is no input. */
static void look_through_table(const pointer_argument &table) {
    const array_info *array = arena.has(table.pointer) ? arena_find(table.pointer) : nullptr;
    if (!array || array->freed) return;
    const char *end = array->first + array->bytes;
    for (const char *at = static_cast<const char *>(table.pointer); at + sizeof(void *) <= end;
         at += sizeof(void *)) {
        const char *entry = nullptr;
        raw_read(&entry, at, sizeof entry);
        for (int i = 0; i < device.argument_count && arena.has(entry); i++) {
            argument &a = device.arguments[i];
            if (entry >= a.first && entry < a.first + a.bytes) a.input = false;
        }
    }
}

static tulle_status note_arguments(const grid_work &work) {
    device.argument_count = 0;
    for (int i = 0; i < work.pointer_count; i++) {
        const pointer_argument &p = work.pointers[i];
        GPU_TRY(check_argument(p));
        const array_info *array = arena.has(p.pointer) ? arena_find(p.pointer) : nullptr;
        if (!array || array->freed) continue;
        device.arguments[device.argument_count++] = {
            p.pointer, p.element, p.place, p.constant, p.constant, array->first, array->bytes};
    }
    for (int i = 0; i < device.argument_count; i++) {
        argument &mine = device.arguments[i];
        for (int j = 0; mine.input && j < device.argument_count; j++) {
            argument &other = device.arguments[j];
            if (other.constant || other.element == 0 || !share_array(mine, other)) continue;
            keep_to_part(&mine);
            keep_to_part(&other);
            if (share_array(mine, other)) mine.input = false;
        }
    }
    for (int i = 0; i < work.pointer_count; i++) {
        if (work.pointers[i].table) look_through_table(work.pointers[i]);
    }
    return TULLE_OK;
}

/* What threads have learned of each other is of their own launch, and goes with it. */
static void begin_launch(const launch_shape &shape) {
    bool alone = stream_launches(shape.stream, shape.early, {shape.at, host_work ? host_work : ""});
    bool anew = !moments_begin(!alone);
    device.overlaps = !alone;
    if (alone) forget_lists();
    if (alone || anew) forget_overwritten();
    if (anew) arena_forget();
    forget_releases();
    device.shape = &shape;
    device.faulted = false;
    something_is_new();
}

static tulle_status result_of(const grid &size) {
    if (device.no_memory) {
        return services->fail(TULLE_OUT_OF_MEMORY, nullptr, nullptr, -1,
                              "no memory for the stacks of %d emulated threads",
                              size.threads * device.active);
    }
    if (device.faulted) {
        return services->fail(TULLE_DEVICE_FAULT, nullptr, nullptr, -1, "%s", device.report);
    }
    return TULLE_OK;
}

tulle_status run_grid(const launch_shape &shape, const grid_work &work) {
    const grid &size = shape.size;
    GPU_TRY(check_shape(size));
    if (size.blocks == 0) return TULLE_OK;
    GPU_TRY(kept_fault());
    std::lock_guard<std::mutex> alone(device.lock);
    bool few = size.blocks < device.resident;
    device.active = few ? static_cast<int>(size.blocks) : device.resident;
    device.call = work.call;
    device.closure = work.closure;
    device.no_memory = !make_slots(device.active);
    begin_launch(shape);
    GPU_TRY(note_arguments(work));
    if (!device.no_memory) {
        in_kernel = true;
        watchdog_starts();
        run_blocks(size.blocks);
        watchdog_stops();
        in_kernel = false;
        if (broken()) drop_fibers();
    }
    return result_of(size);
}

}  // namespace tulle_emu::emulator
