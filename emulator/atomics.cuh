/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics and flags of the emulator, for the types that the device has them for. Sums wrap around.
 */
#ifndef TULLE_GPU_EMULATOR_ATOMICS_CUH
#define TULLE_GPU_EMULATOR_ATOMICS_CUH

#include "emulator/shared.cuh"

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

/* What a word of shared or global memory is called where threads meet, checked on the way. */
template <class T>
T *meet(touch how, T *p, const site &at) {
    touch_global(how, p, sizeof *p, at);
    return p;
}
template <class T>
void *meet(touch how, shared<T> p, const site &at) {
    return p.touch(how, at);
}

/* The same before it is checked. */
template <class T>
const void *name_of(const T *p) {
    return p;
}
template <class T>
const void *name_of(shared<T> p) {
    return p.name();
}

/* Whether the word has a number that is there for the running thread. */
template <class T>
bool is_written(const T *p) {
    return has_number(p, sizeof *p);
}
template <class T>
bool is_written(shared<T> p) {
    return p.has_number();
}

/* The number that an exchange has found. Where nobody has written one, it is a store for those who
 * do not ask. */
template <class T>
class exchanged {
  public:
    explicit exchanged(T old) : old_(old), known_(true) {}
    explicit exchanged(site at) : at_(at) {}
    operator T() const {
        if (!known_) fault_of_exchange(at_);
        return old_;
    }

  private:
    T old_ = {};
    site at_;
    bool known_ = false;
};

/* The number of a word; false: an older one than the newest. */
template <class T>
bool look(const void *word, T *v, touch how, const site &at) {
    raw_read(v, word, sizeof *v);
    if (sees_overwritten(word, v, sizeof *v, how, at)) return false;
    heard(word, how);
    return true;
}

/* Old value of *p := change(old value). An update that sees an older number comes before the store
 * that wrote the newest, and leaves it. */
template <class P, class Change>
target<P> atomically(P p, Change change, site at) {
    before_atomic(name_of(p), at);
    auto *word = meet(touch::update, p, at);
    target<P> old;
    bool newest = look(word, &old, touch::update, at);
    target<P> now = change(old);
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): other bits, also of equal numbers */
    bool changes = newest && memcmp(&old, &now, sizeof old) != 0;
    if (newest) {
        overwrites(word, &old, &now, sizeof now, touch::update);
        raw_write(word, &now, sizeof now);
        told(word, touch::update);
    }
    after_atomic(name_of(p), changes, at);
    return old;
}

template <class P>
target<P> atomic_read(P p, const site &at) {
    before_atomic(name_of(p), at);
    auto *word = meet(touch::atomic_read, p, at);
    target<P> v;
    look(word, &v, touch::atomic_read, at);
    after_atomic(name_of(p), false, at);
    return v;
}

template <class P>
void *atomic_write(P p, target<P> v, const site &at) {
    before_atomic(name_of(p), at);
    auto *word = meet(touch::atomic_write, p, at);
    target<P> old;
    raw_read(&old, word, sizeof old);
    overwrites(word, &old, &v, sizeof v, touch::atomic_write);
    raw_write(word, &v, sizeof v);
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): other bits, also of equal numbers */
    after_atomic(name_of(p), memcmp(&old, &v, sizeof v) != 0, at);
    return word;
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
concept emulator_flag = emulator::points_to<P, int, unsigned, int64_t, uint64_t, float, double>;
template <class P>
concept emulator_integer = emulator::points_to<P, int, unsigned, int64_t, uint64_t>;

template <emulator_flag P>
emulator::target<P> atomic_add(P p, emulator::target<P> v,
                               emulator::site at = emulator::site::current()) {
    return emulator::atomically(
        p, [=](auto old) { return emulator::sum(old, v); }, at);
}
template <emulator_integer P>
emulator::target<P> atomic_max(P p, emulator::target<P> v,
                               emulator::site at = emulator::site::current()) {
    return emulator::atomically(
        p, [=](auto old) { return old < v ? v : old; }, at);
}
template <emulator_integer P>
emulator::target<P> atomic_min(P p, emulator::target<P> v,
                               emulator::site at = emulator::site::current()) {
    return emulator::atomically(
        p, [=](auto old) { return v < old ? v : old; }, at);
}
template <emulator_integer P>
emulator::exchanged<emulator::target<P>> atomic_exchange(
    P p, emulator::target<P> v, emulator::site at = emulator::site::current()) {
    using number = emulator::target<P>;
    if (emulator::is_written(p)) {
        auto exchange = [=](auto) { return v; };
        return emulator::exchanged<number>(emulator::atomically(p, exchange, at));
    }
    emulator::told(emulator::atomic_write(p, v, at), emulator::touch::atomic_write);
    return emulator::exchanged<number>(at);
}
template <emulator_integer P>
emulator::target<P> atomic_cas(P p, emulator::target<P> expected, emulator::target<P> v,
                               emulator::site at = emulator::site::current()) {
    return emulator::atomically(
        p, [=](auto old) { return old == expected ? v : old; }, at);
}

template <class P>
requires emulator::points_to<P, unsigned>
unsigned atomic_or(P p, unsigned v, emulator::site at = emulator::site::current()) {
    return emulator::atomically(
        p, [=](auto old) { return old | v; }, at);
}

template <class T>
requires emulator_flag < std::remove_const_t<T>
* > std::remove_const_t<T> load_relaxed(T *p, emulator::site at = emulator::site::current()) {
    return emulator::atomic_read(const_cast<std::remove_const_t<T> *>(p), at);
}
template <class T>
requires emulator_flag<shared<T>> std::remove_const_t<T> load_relaxed(
    shared<T> p, emulator::site at = emulator::site::current()) {
    return emulator::atomic_read(p, at);
}
template <class T>
requires emulator_flag < std::remove_const_t<T>
* > std::remove_const_t<T> load_acquire(T *p, emulator::site at = emulator::site::current()) {
    auto v = emulator::atomic_read(const_cast<std::remove_const_t<T> *>(p), at);
    emulator::acquired();
    return v;
}
template <class T>
requires emulator_flag<T *>
void store_relaxed(T *p, std::type_identity_t<T> v, emulator::site at = emulator::site::current()) {
    emulator::told(emulator::atomic_write(p, v, at), emulator::touch::atomic_write);
}
template <class T>
requires emulator_flag<shared<T>>
void store_relaxed(shared<T> p, std::type_identity_t<T> v,
                   emulator::site at = emulator::site::current()) {
    emulator::told(emulator::atomic_write(p, v, at), emulator::touch::atomic_write);
}
template <class T>
requires emulator_flag<T *>
void store_release(T *p, std::type_identity_t<T> v, emulator::site at = emulator::site::current()) {
    emulator::released(emulator::atomic_write(p, v, at));
}

}  // namespace tulle_emu

#endif
