/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics of the emulator, for the types that the device has them for. Sums wrap around. */
#ifndef TULLE_GPU_EMULATOR_ATOMICS_CUH
#define TULLE_GPU_EMULATOR_ATOMICS_CUH

#include "gpu/emulator/shared.cuh"

namespace tulle_emu {

namespace emulator {

/* What a global pointer or a gpu::shared points to. */
template <class P>
struct pointee {};
template <class T>
struct pointee<T *> {
    using type = T;
};
template <class T>
struct pointee<shared<T>> {
    using type = T;
};
template <class P>
using target = typename pointee<P>::type;

template <class P, class... T>
concept points_to = (std::is_same_v<target<P>, T> || ...);

template <class T, class Change>
T update(T *p, Change change, site) {
    T old = *p;
    *p = change(old);
    return old;
}
template <class T, class Change>
T update(shared<T> p, Change change, site at) {
    return p.update(change, at);
}

/* Old value of *p := change(old value). */
template <class P, class Change>
target<P> atomically(P p, Change change, site at) {
    using T = target<P>;
    bool changed = false;
    before_atomic(at);
    T old = update(
        p,
        [&](T was) {
            T now = change(was);
            changed = memcmp(&was, &now, sizeof was) != 0;
            return now;
        },
        at);
    after_atomic(changed, at);
    return old;
}

template <class T>
T sum(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        using wrapping = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<wrapping>(a) + static_cast<wrapping>(b));
    } else {
        return a + b;
    }
}

}  // namespace emulator

template <class P>
requires emulator::points_to<P, int, unsigned, float, double, int64_t> emulator::target<P>
atomic_add(P p, emulator::target<P> v, emulator::site at = emulator::site::current()) {
    return emulator::atomically(
        p, [=](auto old) { return emulator::sum(old, v); }, at);
}
template <class P>
requires emulator::points_to<P, int, int64_t> emulator::target<P> atomic_max(
    P p, emulator::target<P> v, emulator::site at = emulator::site::current()) {
    return emulator::atomically(
        p, [=](auto old) { return old < v ? v : old; }, at);
}
template <class P>
requires emulator::points_to<P, int, int64_t> emulator::target<P> atomic_min(
    P p, emulator::target<P> v, emulator::site at = emulator::site::current()) {
    return emulator::atomically(
        p, [=](auto old) { return v < old ? v : old; }, at);
}
template <class P>
requires emulator::points_to<P, int> emulator::target<P> atomic_exchange(
    P p, emulator::target<P> v, emulator::site at = emulator::site::current()) {
    return emulator::atomically(
        p, [=](auto) { return v; }, at);
}
template <class P>
requires emulator::points_to<P, int, int64_t> emulator::target<P> atomic_cas(
    P p, emulator::target<P> expected, emulator::target<P> v,
    emulator::site at = emulator::site::current()) {
    return emulator::atomically(
        p, [=](auto old) { return old == expected ? v : old; }, at);
}

GPU_FUNCTION int load_acquire(const int *p, emulator::site at = emulator::site::current()) {
    emulator::before_atomic(at);
    int v = *p;
    emulator::after_atomic(false, at);
    return v;
}
GPU_FUNCTION void store_release(int *p, int v, emulator::site at = emulator::site::current()) {
    emulator::before_atomic(at);
    bool changed = *p != v;
    *p = v;
    emulator::after_atomic(changed, at);
}

}  // namespace tulle_emu

#endif
