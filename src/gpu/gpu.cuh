/* SPDX-License-Identifier: Apache-2.0 */
/* The few names that kernels use. A .cu file of tulle includes this and no other device header; it
 * is compiled by nvcc for the device (namespace gpu = tulle_cuda) and by the host compiler against
 * the emulator (namespace gpu = tulle_emu, TULLE__EMULATOR defined). Both define what follows.
 *
 * Declarations
 *   GPU_KERNEL                       before `void kernel(...)`, template or not
 *   GPU_RESIDENT(threads, blocks)    after GPU_KERNEL: blocks have at most so many threads, and so
 *                                    many are resident; the registers which that leaves may be used
 *   GPU_FUNCTION                     before a device function (inline)
 *   GPU_UNROLL                       before a loop that is to be unrolled whole
 *   GPU_KEEP_LOOP                    before a loop that is not to be unrolled: it saves registers
 *
 * Shared memory
 *   GPU_SHARED(T, name, count)       of the block, size known at compile time
 *   GPU_DYNAMIC_SHARED(T, name)      what was asked for at launch, up to 227 KB; one a kernel
 *   gpu::shared<T>                   what name decays to: s[i], s + i; read and written like T
 *   gpu::part_of(s, first, count)    one of several arrays in memory that was declared as one:
 *                                    nothing else may be reached through it
 *
 * Threads
 *   gpu::thread() block() block_size() grid_size() lane()    x only, unsigned
 *   gpu::sync()                      barrier of the block; every thread must reach it
 *   gpu::sync_warp(mask)             barrier and memory order among the lanes of mask
 *   gpu::shuffle(mask, v, lane, width)   also shuffle_up and shuffle_down (delta), shuffle_xor
 *                                    (lane mask)
 *   gpu::ballot(mask, p) any(mask, p) all(mask, p)
 *   gpu::count_bits(v) first_bit(v)  of an unsigned: how many are 1; the number of the lowest of
 *                                    them, v not being 0
 *
 * Atomics, on global pointers and gpu::shared; they order nothing but themselves
 *   gpu::atomic_add(p, v) atomic_max atomic_min atomic_exchange atomic_cas(p, expected, v)
 *                                    return the old value. p: int, unsigned, int64_t, uint64_t;
 *                                    atomic_add also float and double
 *   gpu::atomic_or(p, v)             on unsigned words alone
 *
 * Flags of 32 or 64 bits, device scope
 *   gpu::load_relaxed(p) store_relaxed(p, v)   a value that is its own flag: they order no other
 *                                    data; also on gpu::shared
 *   gpu::load_acquire(p) store_release(p, v)   the same, and what came before the store is there
 *                                    after the load that saw it
 *   gpu::fence()                     before a relaxed store or an atomic: makes it a release; after
 *                                    a relaxed load or an atomic: an acquire; also if a barrier
 * lies between, and one thread stores or loads for all. Sequentially consistent among fences
 *   gpu::spin()                      in the body of every waiting loop: sleeps a little
 *   gpu::spin_awake()                the same without sleep, where the wait is short
 *
 * Global memory
 *   gpu::load(p)                     data that no thread of the kernel writes, and others read
 *                                    again soon (cached)
 *   gpu::load_awaited(p)             the same for what the grids before this one may have written,
 *                                    in a kernel that starts early, after await_previous: the
 *                                    compiler may move gpu::load in front of that
 *   gpu::load_once(p)                data that is read once (does not displace the L1)
 *   gpu::pack<T, n>                  n neighbouring numbers (a power of two), pack.at[i], that load
 *                                    and load_once take in one go, 16 bytes at a time; so aligned
 *   gpu::load_if(condition, p)       load(p) of a pack of 16 bytes or less, or zeros
 *   gpu::copy_async<bytes>(s, p)     4, 8 or 16 bytes from global to shared memory, both so aligned
 *   gpu::copy_commit()               those so far belong to a group
 *   gpu::copy_wait<n>()              all groups but the last n have arrived, for this thread
 *
 * The host's side
 *   gpu::launch(place, kernel, {blocks, threads, dynamic_shared}, args...)   tulle_status
 *   gpu::launch_early(...)           the same; the grid may start while the one before it in the
 *                                    stream ends, if that allows it. Every thread then calls
 *                                    gpu::allow_next() first: the next grid may start as soon as
 *                                    all blocks have; and gpu::await_previous() before it touches
 *                                    what earlier work may write or read: all but the pattern of a
 *                                    matrix and prepared data, which are complete once made
 *   gpu::resident_blocks(place, kernel, threads, dynamic_shared, &blocks)   how many blocks run at
 *                                    once: in a grid of no more, all wait for each other safely
 *   gpu::side_by_side beside(place)  beside.next(&other) gives a place whose work comes after what
 *                                    is in place's stream now, and runs beside what comes later;
 *                                    beside.join() makes later work of place wait for it. Scratch
 *                                    is of place alone
 *   gpu::scratch                     from the context's pool, freed at the end of the scope
 *   gpu::parts, gpu::part_bytes      several arrays in scratch that was asked for as one
 *
 * full_warp is the mask of all 32 lanes. Kernels are templates over value and index types; no STL.
 */
#ifndef TULLE_GPU_GPU_CUH
#define TULLE_GPU_GPU_CUH

#include <stddef.h>
#include <stdint.h>

#include "core/place.h"
#include "core/types.h"

namespace TULLE_GPU_NAMESPACE {

constexpr unsigned full_warp = 0xffffffffu;

template <class T, int n>
struct alignas(sizeof(T) * n < 16 ? sizeof(T) * n : 16) pack {
    T at[n];
};

struct grid {
    int64_t blocks;
    int threads;
    size_t dynamic_shared = 0;
};

/* Functions that libtulle lends to the back end; set when the back end is opened. */
extern const tulle__services *services;

/* Returns the bytes of a part of scratch, with the padding before the next part. */
template <class T>
constexpr size_t part_bytes(int64_t count) {
    constexpr size_t unit = 256;
    return (static_cast<size_t>(count) * sizeof(T) + unit - 1) / unit * unit + unit;
}

/* Scratch from the context's pool, which is freed in stream order at the end of the scope. */
class scratch {
  public:
    explicit scratch(const tulle__place *place) : ctx_(place->ctx), device_(place->device) {}
    scratch(const scratch &) = delete;
    scratch &operator=(const scratch &) = delete;
    ~scratch() {
        for (int i = 0; i < count_; i++) services->free(ctx_, pointers_[i]);
    }
    /* Makes one allocation for the next arrays, as far as they fit. These arrays cannot be handed
     * over. bytes: the sum of their part_bytes. */
    tulle_status reserve(size_t bytes) {
        left_ = 0;
        const tulle_status status = get(static_cast<int64_t>(bytes), &next_);
        if (status == TULLE_OK) left_ = bytes;
        return status;
    }
    template <class T>
    tulle_status get(int64_t count, T **pointer) {
        if (count > 0 && part_bytes<T>(count) <= left_) return cut(count, pointer);
        void *raw = nullptr;
        tulle_status status = services->alloc(ctx_, static_cast<size_t>(count) * sizeof(T), &raw);
        *pointer = static_cast<T *>(raw);
        if (status == TULLE_OK && raw) pointers_[count_++] = raw;
        return status;
    }
    /* Gives an array, or NULL, to the caller, who frees it with tulle__free. */
    void *hand_over(void *array) {
        for (int i = 0; i < count_; i++) {
            if (pointers_[i] == array) pointers_[i] = nullptr;
        }
        return array;
    }

  private:
    tulle_ctx *ctx_;
    tulle__device *device_;
    void *pointers_[16];
    int count_ = 0;
    char *next_ = nullptr; /* next free byte of the reserved memory */
    size_t left_ = 0;

    /* Takes an array from the reserved memory. On the emulator no kernel may touch the memory
     * between two arrays. */
    template <class T>
    tulle_status cut(int64_t count, T **pointer) {
        const size_t used = static_cast<size_t>(count) * sizeof(T), all = part_bytes<T>(count);
        *pointer = reinterpret_cast<T *>(next_);
        next_ += all;
        left_ -= all;
        return TULLE__HERE(watch)(device_, next_ - all + used, all - used, TULLE__WATCH_CLOSED);
    }
};

/* Cuts scratch into parts, one after the other. On the emulator no kernel may touch the memory
 * between two parts. */
class parts {
  public:
    parts(const tulle__place *place, void *scratch)
        : device_(place->device), next_(static_cast<char *>(scratch)) {}
    template <class T>
    tulle_status take(int64_t count, T **part) {
        size_t used = static_cast<size_t>(count) * sizeof(T), all = part_bytes<T>(count);
        *part = reinterpret_cast<T *>(next_);
        next_ += all;
        return TULLE__HERE(watch)(device_, next_ - all + used, all - used, TULLE__WATCH_CLOSED);
    }
    void *rest() const { return next_; }

  private:
    tulle__device *device_;
    char *next_;
};

}  // namespace TULLE_GPU_NAMESPACE

namespace gpu = TULLE_GPU_NAMESPACE;

#define GPU_PASTE_(a, b) a##b
#define GPU_PASTE(a, b) GPU_PASTE_(a, b)
/* The name of an external symbol of this back end: tulle__cuda_NAME or tulle__emu_NAME. */
#define GPU_SYMBOL(name) GPU_PASTE(TULLE_GPU_PREFIX, name)

/* The run table of a kernel: all combinations of types. For a kernel that no rule picks, only those
 * that its experiments need: 32-bit offsets and indices. */
#define GPU_RUN_ALL(run)                                                                           \
    {                                                                                              \
        {run<float, int32_t, int32_t>, run<float, int64_t, int32_t>,                               \
         run<float, int64_t, int64_t>},                                                            \
        {                                                                                          \
            run<double, int32_t, int32_t>, run<double, int64_t, int32_t>,                          \
                run<double, int64_t, int64_t>                                                      \
        }                                                                                          \
    }
#define GPU_RUN_I32(run)                                                                           \
    {                                                                                              \
        {run<float, int32_t, int32_t>}, {                                                          \
            run<double, int32_t, int32_t>                                                          \
        }                                                                                          \
    }

/* The run table of a kernel run<stored, computed, offset, column>, which also takes stored values
 * of another type than the one it computes with. */
#define GPU_RUN_ROW(run, S, V)                                                                     \
    { run<S, V, int32_t, int32_t>, run<S, V, int64_t, int32_t>, run<S, V, int64_t, int64_t> }
#define GPU_RUN_MIXED(run)                                                                         \
    {                                                                                              \
        GPU_RUN_ROW(run, float, float), GPU_RUN_ROW(run, double, double),                          \
            GPU_RUN_ROW(run, float, double)                                                        \
    }

/* For clang-tidy, which checks each instance anew: values and columns of all types, and the offsets
 * that could be cut. */
#ifdef __clang_analyzer__
#undef GPU_RUN_ALL
#undef GPU_RUN_MIXED
#define GPU_RUN_ALL(run)                                                                           \
    {                                                                                              \
        {nullptr, nullptr, run<float, int64_t, int64_t>}, {                                        \
            nullptr, run<double, int64_t, int32_t>                                                 \
        }                                                                                          \
    }
#define GPU_RUN_MIXED(run)                                                                         \
    {                                                                                              \
        {nullptr, nullptr, run<float, float, int64_t, int64_t>},                                   \
            {nullptr, run<double, double, int64_t, int32_t>}, {                                    \
            nullptr, run<float, double, int64_t, int32_t>                                          \
        }                                                                                          \
    }
#endif

/* Returns from the function with the status of a failing call. */
#define GPU_TRY(call)                                                                              \
    do {                                                                                           \
        tulle_status gpu_status_ = (call);                                                         \
        if (gpu_status_ != TULLE_OK) return gpu_status_;                                           \
    } while (0)

#if defined(TULLE__EMULATOR)
#define GPU_UNROLL
#define GPU_KEEP_LOOP
#else
#define GPU_UNROLL _Pragma("unroll")
#define GPU_KEEP_LOOP _Pragma("unroll 1")
#endif
/* The build defines TULLE_GPU_NAMES as the header of the device: gpu/cuda/cuda.cuh or
 * emulator/emulated.cuh. */
#include TULLE_GPU_NAMES

#endif
