/* SPDX-License-Identifier: Apache-2.0 */
/* gpu::shared in the emulator: a pointer into the block's shared memory that checks every access.
 * An element takes whole words of 4 bytes, so that words can tell who wrote them; elements smaller
 * than a word take one each. */
#ifndef TULLE_GPU_EMULATOR_SHARED_CUH
#define TULLE_GPU_EMULATOR_SHARED_CUH

#include <string.h>

#include <type_traits>

#include "emulator/device.h"

namespace tulle_emu {

template <class T>
class shared;

namespace emulator {

/* An element index, and where it was written down. */
struct index_at {
    template <class I> /* NOLINTNEXTLINE(bugprone-forwarding-reference-overload): copied as const */
    index_at(I &&i, site where = site::current())
        : value(static_cast<int64_t>(static_cast<I &&>(i))), at(where) {}
    int64_t value;
    site at;
};

/* What s[i] is: read and written like a T. It has no name of its own (`auto v = s[i]` would read
 * later than on the device, and does not compile): write the type, `T v = s[i]`. */
template <class T>
class element {
  public:
    using value = std::remove_const_t<T>;
    element(shared<T> pointer, site at) : pointer_(pointer), at_(at) {}
    element(const element &) = delete;

    operator value() && { return pointer_.get(at_); }
    shared<T> operator&() && { return pointer_; }
    value operator=(value v) && { return pointer_.put(v, at_); }
    value operator=(element &&other) && {
        return pointer_.put(static_cast<element &&>(other), at_);
    }
    value operator+=(value v) && {
        return pointer_.put(static_cast<value>(pointer_.get(at_) + v), at_);
    }
    value operator-=(value v) && {
        return pointer_.put(static_cast<value>(pointer_.get(at_) - v), at_);
    }
    value operator*=(value v) && {
        return pointer_.put(static_cast<value>(pointer_.get(at_) * v), at_);
    }
    value operator/=(value v) && {
        return pointer_.put(static_cast<value>(pointer_.get(at_) / v), at_);
    }
    value operator|=(value v) && {
        return pointer_.put(static_cast<value>(pointer_.get(at_) | v), at_);
    }
    value operator&=(value v) && {
        return pointer_.put(static_cast<value>(pointer_.get(at_) & v), at_);
    }
    value operator^=(value v) && {
        return pointer_.put(static_cast<value>(pointer_.get(at_) ^ v), at_);
    }
    value operator++() && { return pointer_.put(static_cast<value>(pointer_.get(at_) + 1), at_); }
    value operator--() && { return pointer_.put(static_cast<value>(pointer_.get(at_) - 1), at_); }
    value operator++(int) && {
        value old = pointer_.get(at_);
        pointer_.put(static_cast<value>(old + 1), at_);
        return old;
    }
    value operator--(int) && {
        value old = pointer_.get(at_);
        pointer_.put(static_cast<value>(old - 1), at_);
        return old;
    }

  private:
    shared<T> pointer_;
    site at_;
};

}  // namespace emulator

template <class T>
class shared {
  public:
    using value = std::remove_const_t<T>;
    static_assert(std::is_trivially_copyable_v<T>, "shared memory holds plain data");
    static constexpr uint32_t words = (sizeof(T) + 3) / 4;
    static constexpr uint32_t alignment = (alignof(T) + 3) / 4;

    shared() = default;
    explicit shared(emulator::extent array) : array_(array) {}

    /* The same memory as another type, as a cast of pointers. */
    template <class U>
    explicit shared(const shared<U> &other)
        : array_(other.array_), at_(other.at_), cut_(other.cut_ || is_cut_by(other)) {
        static_assert(sizeof(T) % 4 == 0 && sizeof(U) % 4 == 0,
                      "the emulator spreads types smaller than 4 bytes: declare the memory with a "
                      "type of 4 or 8 bytes");
    }
    operator shared<const T>() const { return shared<const T>(*this); }

    emulator::element<T> operator[](emulator::index_at i) const { return {*this + i.value, i.at}; }
    emulator::element<T> operator*() const { return {*this, emulator::site()}; }

    shared operator+(int64_t n) const {
        shared moved = *this;
        return moved += n;
    }
    shared operator-(int64_t n) const { return *this + -n; }
    int64_t operator-(shared other) const { return (at_ - other.at_) / words; }
    shared &operator+=(int64_t n) {
        at_ += n * words;
        return *this;
    }
    shared &operator-=(int64_t n) { return *this += -n; }
    shared &operator++() { return *this += 1; }
    shared &operator--() { return *this += -1; }
    bool operator==(shared other) const { return at_ == other.at_; }
    bool operator!=(shared other) const { return at_ != other.at_; }
    bool operator<(shared other) const { return at_ < other.at_; }

    value get(emulator::site at) const {
        value v;
        emulator::raw_read(&v, touch(emulator::touch::read, at), sizeof v);
        return v;
    }
    value put(value v, emulator::site at) const {
        static_assert(!std::is_const_v<T>, "a write through gpu::shared<const T>");
        emulator::raw_write(touch(emulator::touch::write, at), &v, sizeof v);
        return v;
    }
    /* The elements from first on, and no others. */
    shared part(int64_t first, int64_t count) const {
        return shared(emulator::part_of_array(array_, at_ + first * words, count * words));
    }
    uint32_t *touch(emulator::touch how, emulator::site at) const {
        if (cut_) emulator::fault_of_cut(how, at);
        return emulator::touch_shared(how, array_, at_, words, alignment, at);
    }
    /* Tells its words from others of the block. */
    const void *name() const {
        return reinterpret_cast<const void *>(static_cast<uintptr_t>(array_.first + at_ + 1));
    }
    bool has_number() const { return emulator::shared_has_number(array_, at_, words); }
    /* Words from memory, to arrive when the thread waits for them. */
    void copy_from(const void *from, uint32_t count, emulator::site at) const {
        if (cut_) emulator::fault_of_cut(emulator::touch::copy, at);
        emulator::copy_starts(array_, at_, from, count, at);
    }

  private:
    template <class U>
    friend class shared;
    template <class U>
    static bool is_cut_by(const shared<U> &other) {
        constexpr bool same = std::is_same_v<value, typename shared<U>::value>;
        return !same && other.array_.dynamic && other.at_ != 0;
    }
    emulator::extent array_;
    int64_t at_ = 0;   /* in words, from the array's first */
    bool cut_ = false; /* another array in the memory asked for at launch, and no part of it */
};

template <class T>
shared<T> part_of(shared<T> array, int64_t first, int64_t count) {
    return array.part(first, count);
}

}  // namespace tulle_emu

#endif
