/* SPDX-License-Identifier: Apache-2.0 */
/* The names of gpu.cuh for the host compiler, on the emulated device. */
#ifndef TULLE_GPU_EMULATOR_EMULATED_CUH
#define TULLE_GPU_EMULATOR_EMULATED_CUH

#include "emulator/device.h"
#include "emulator/members.h"
#include "emulator/shared.cuh"

/* Kernels stay in their file, as nvcc's do; functions are inlined, as nvcc's are, so that two files
 * may use the same name for different things. */
#define GPU_KERNEL inline
#define GPU_RESIDENT(threads, blocks)
#define GPU_FUNCTION inline __attribute__((always_inline))
#define GPU_SHARED(T, name, count)                                                                 \
    static const char gpu_key_of_##name = 0;                                                       \
    [[maybe_unused]] const gpu::shared<T> name(                                                    \
        gpu::emulator::static_array(&gpu_key_of_##name, #name, static_cast<size_t>(count),         \
                                    sizeof(T), gpu::emulator::site::current()))
#define GPU_DYNAMIC_SHARED(T, name)                                                                \
    [[maybe_unused]] const gpu::shared<T> name(                                                    \
        gpu::emulator::dynamic_array(#name, sizeof(T), gpu::emulator::site::current()))

/* Code in which the compiler's hooks are left out. */
#if defined(__clang__)
#define GPU_UNCHECKED __attribute__((no_sanitize("coverage")))
#else
#define GPU_UNCHECKED __attribute__((no_sanitize("thread")))
#endif

namespace tulle_emu {

GPU_FUNCTION unsigned thread() {
    return emulator::here->thread;
}
GPU_FUNCTION unsigned block() {
    return emulator::here->block;
}
GPU_FUNCTION unsigned block_size() {
    return emulator::here->block_size;
}
GPU_FUNCTION unsigned grid_size() {
    return emulator::here->grid_size;
}
GPU_FUNCTION unsigned lane() {
    return emulator::here->thread & 31;
}

GPU_FUNCTION void sync(emulator::site at = emulator::site::current()) {
    emulator::block_barrier(at);
}
GPU_FUNCTION void sync_warp(unsigned mask, emulator::site at = emulator::site::current()) {
    emulator::warp_collective({emulator::collective::sync, mask, 0, 0, 32}, at);
}

namespace emulator {

template <class T>
T shuffle(collective op, unsigned mask, T v, int64_t operand, int width, site at) {
    static_assert(
        std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
        "a shuffle moves numbers of 4 or 8 bytes; read gpu::shared into a variable first");
    uint64_t bits = 0;
    memcpy(&bits, &v, sizeof v);
    bits = warp_collective({op, mask, bits, operand, width}, at);
    memcpy(&v, &bits, sizeof v);
    return v;
}

}  // namespace emulator

template <class T>
GPU_FUNCTION T shuffle(unsigned mask, T v, int from, int width = 32,
                       emulator::site at = emulator::site::current()) {
    return emulator::shuffle(emulator::collective::shuffle, mask, v, from, width, at);
}
template <class T>
GPU_FUNCTION T shuffle_up(unsigned mask, T v, unsigned delta, int width = 32,
                          emulator::site at = emulator::site::current()) {
    return emulator::shuffle(emulator::collective::shuffle_up, mask, v, delta, width, at);
}
template <class T>
GPU_FUNCTION T shuffle_down(unsigned mask, T v, unsigned delta, int width = 32,
                            emulator::site at = emulator::site::current()) {
    return emulator::shuffle(emulator::collective::shuffle_down, mask, v, delta, width, at);
}
template <class T>
GPU_FUNCTION T shuffle_xor(unsigned mask, T v, int lanes, int width = 32,
                           emulator::site at = emulator::site::current()) {
    return emulator::shuffle(emulator::collective::shuffle_xor, mask, v, lanes, width, at);
}

GPU_FUNCTION unsigned ballot(unsigned mask, bool p, emulator::site at = emulator::site::current()) {
    return static_cast<unsigned>(
        emulator::warp_collective({emulator::collective::ballot, mask, p, 0, 32}, at));
}
GPU_FUNCTION bool any(unsigned mask, bool p, emulator::site at = emulator::site::current()) {
    return emulator::warp_collective({emulator::collective::any, mask, p, 0, 32}, at) != 0;
}
GPU_FUNCTION bool all(unsigned mask, bool p, emulator::site at = emulator::site::current()) {
    return emulator::warp_collective({emulator::collective::all, mask, p, 0, 32}, at) != 0;
}

GPU_FUNCTION int count_bits(unsigned v) {
    return __builtin_popcount(v);
}
GPU_FUNCTION int first_bit(unsigned v) {
    return __builtin_ctz(v);
}

GPU_FUNCTION void spin(emulator::site at = emulator::site::current()) {
    emulator::spin(at);
}
GPU_FUNCTION void spin_awake(emulator::site at = emulator::site::current()) {
    emulator::spin(at);
}
GPU_FUNCTION void fence() {
    emulator::fence();
}

namespace emulator {

/* A number of global memory, after the check: the compiler's own hook sees nothing of it. */
template <class T>
T checked(touch how, const T *p, const site &at) {
    T v;
    if (std::is_class_v<T>) {
        touch_struct(how, p, sizeof v, at);
    } else {
        touch_global(how, p, sizeof v, at);
    }
    raw_read(&v, p, sizeof v);
    return v;
}

}  // namespace emulator

template <class T>
GPU_FUNCTION T load(const T *p, const emulator::site &at = emulator::site::current()) {
    return emulator::checked(emulator::touch::read_constant, p, at);
}
template <class T>
GPU_FUNCTION T load_awaited(const T *p, const emulator::site &at = emulator::site::current()) {
    return emulator::checked(emulator::touch::read, p, at);
}
template <class T>
requires std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, int32_t> ||
    std::is_same_v<T, int64_t> || std::is_same_v<T, uint64_t>
        GPU_FUNCTION T load_once(const T *p, const emulator::site &at = emulator::site::current()) {
    constexpr bool constant = std::is_same_v<T, uint64_t>; /* as on the device */
    return emulator::checked(constant ? emulator::touch::read_constant : emulator::touch::read, p,
                             at);
}
template <class T, int n>
GPU_FUNCTION pack<T, n> load_once(const pack<T, n> *p,
                                  const emulator::site &at = emulator::site::current()) {
    return emulator::checked(emulator::touch::read, p, at);
}
template <class T, int n>
GPU_FUNCTION pack<T, n> load_if(bool condition, const pack<T, n> *p,
                                const emulator::site &at = emulator::site::current()) {
    return condition ? emulator::checked(emulator::touch::read_constant, p, at) : pack<T, n>{};
}

GPU_FUNCTION void allow_next() {} /* one grid at a time */
GPU_FUNCTION void await_previous() {
    emulator::awaited();
}

namespace emulator {

template <class T>
constexpr size_t size_of = sizeof(T);
template <>
inline constexpr size_t size_of<void> = 1;
template <>
inline constexpr size_t size_of<const void> = 1;

/* The pointers among a kernel's arguments, and in structs among them. */
struct noted_pointers {
    pointer_argument all[most_pointers];
    int count = 0;

    template <class T>
    void note(int place, T *const &p) {
        if (count == most_pointers) return;
        constexpr bool leads_on =
            std::is_pointer_v<T> && !std::is_const_v<std::remove_pointer_t<std::remove_cv_t<T>>>;
        all[count++] = {const_cast<const std::remove_cv_t<T> *>(p), size_of<T>, place,
                        std::is_const_v<T>, leads_on};
    }
    template <class T>
    void note(int place, const T &value) {
        if constexpr (member_count<T>() > 0) {
            each_member(value, [&](const auto &member) { note(place, member); });
        } else if constexpr (std::is_class_v<T> || std::is_union_v<T>) {
            note_words(place, &value, sizeof value);
        }
    }

  private:
    /* What cannot be taken apart may hold any pointer. */
    void note_words(int place, const void *value, size_t bytes) {
        for (size_t at = 0; at + sizeof(void *) <= bytes; at += sizeof(void *)) {
            const void *word;
            memcpy(&word, static_cast<const char *>(value) + at, sizeof word);
            if (count == most_pointers || !is_of_device(word)) continue;
            all[count++] = {word, 0, place, false, false};
        }
    }
};

/* The hooks do not look at how arguments get to a kernel: a device copies them. (What makes a
 * lambda a plain function would not be left out.) */
template <class Thread>
GPU_UNCHECKED void call(void *closure) {
    (*static_cast<Thread *>(closure))();
}

template <class... P>
tulle_status run(void (*kernel)(P...), const launch_shape &shape, P... arguments) {
    noted_pointers pointers;
    int place = 0;
    (pointers.note(++place, arguments), ...);
    auto thread = [&]() GPU_UNCHECKED { kernel(arguments...); };
    return run_grid(shape, {call<decltype(thread)>, &thread, pointers.all, pointers.count});
}

}  // namespace emulator

/* Arguments are converted to the kernel's parameter types, as in a call. */
template <class... P>
tulle_status launch(const tulle__place *place, void (*kernel)(P...), emulator::launch_shape shape,
                    std::type_identity_t<P>... arguments) {
    shape.stream = place->stream;
    if (emulator::is_captured(place)) {
        /* -ftrivial-auto-var-init of gcc 12 would clear bytes of arguments that have arrays in
         * them, which it takes for padding of the closure. */
        __attribute__((uninitialized))
        const auto step = [=] { return emulator::run<P...>(kernel, shape, arguments...); };
        using bytes = decltype(step);
        static_assert(std::is_trivially_copyable_v<bytes>, "a graph copies a kernel's arguments");
        auto again = [](const void *kept) { return (*static_cast<bytes *>(kept))(); };
        return emulator::capture_launch(place, again, &step, sizeof step);
    }
    return emulator::run<P...>(kernel, shape, arguments...);
}

/* The same, and every thread must have called await_previous. */
template <class... P>
tulle_status launch_early(const tulle__place *place, void (*kernel)(P...),
                          emulator::launch_shape shape, std::type_identity_t<P>... arguments) {
    shape.early = true;
    return launch(place, kernel, shape, arguments...);
}

/* Grids run one at a time, and are compared as if those of several sides ran at once. */
class side_by_side {
  public:
    explicit side_by_side(const tulle__place *place) : place_(place) {}
    side_by_side(const side_by_side &) = delete;
    side_by_side &operator=(const side_by_side &) = delete;
    ~side_by_side() { join(); }
    tulle_status next(const tulle__place **other) {
        *other = emulator::side_begins(place_, &all_);
        return TULLE_OK;
    }
    tulle_status join() {
        emulator::sides_end(place_, &all_);
        return TULLE_OK;
    }

  private:
    const tulle__place *place_;
    emulator::sides *all_ = nullptr;
};

template <class... P>
tulle_status resident_blocks(const tulle__place *, void (*)(P...), int, size_t, int64_t *blocks) {
    *blocks = emulator::resident();
    return TULLE_OK;
}

}  // namespace tulle_emu

#include "emulator/atomics.cuh"
#include "emulator/tiles.cuh"

#if defined(TULLE__KERNEL_CODE) /* not the emulator's own */
#define memcpy(...) tulle_emu::emulator::copy_bytes(__VA_ARGS__)
#define memmove(...) tulle_emu::emulator::copy_bytes(__VA_ARGS__)
#define memset(...) tulle_emu::emulator::set_bytes(__VA_ARGS__)
#endif

#endif
