/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a plain struct, one after the other: structured bindings of as many names as its
 * braces take initialisers (the idea is that of A. Polukhin's Boost.PFR). Structs with arrays in
 * them, with constructors or with more members cannot be taken apart, and count as having none;
 * those with bases do not compile. */
#ifndef TULLE_GPU_EMULATOR_MEMBERS_H
#define TULLE_GPU_EMULATOR_MEMBERS_H

#include <stddef.h>

#include <type_traits>
#include <utility>

namespace tulle_emu::emulator {

constexpr size_t most_members = 32;

struct anything {
    template <class T>
    operator T() const;
};

template <class T, size_t... i>
constexpr bool takes(std::index_sequence<i...>) {
    return requires {
        T{(static_cast<void>(i), anything{})...};
    };
}
template <class T, size_t... before, size_t... after>
constexpr bool takes_braces(std::index_sequence<before...>, std::index_sequence<after...>) {
    return requires {
        T{(static_cast<void>(before), anything{})...,
          {anything{}},
          (static_cast<void>(after), anything{})...};
    };
}

template <class T, size_t n = most_members + 1>
constexpr size_t initialisers() {
    if constexpr (n == 0 || takes<T>(std::make_index_sequence<n>())) {
        return n;
    } else {
        return initialisers<T, n - 1>();
    }
}

/* An array takes several initialisers, and one in braces instead of them all. */
template <class T, size_t n, size_t... i>
constexpr bool has_no_array(std::index_sequence<i...>) {
    return (takes_braces<T>(std::make_index_sequence<i>(), std::make_index_sequence<n - 1 - i>()) &&
            ...);
}

template <class T>
constexpr size_t member_count() {
    if constexpr (!std::is_aggregate_v<T> || std::is_array_v<T> || std::is_union_v<T>) {
        return 0;
    } else {
        constexpr size_t n = initialisers<T>();
        return n <= most_members && has_no_array<T, n>(std::make_index_sequence<n>()) ? n : 0;
    }
}

/* Names of as many members. */
#define TULLE__MEMBERS_1 m1
#define TULLE__MEMBERS_2 TULLE__MEMBERS_1, m2
#define TULLE__MEMBERS_3 TULLE__MEMBERS_2, m3
#define TULLE__MEMBERS_4 TULLE__MEMBERS_3, m4
#define TULLE__MEMBERS_5 TULLE__MEMBERS_4, m5
#define TULLE__MEMBERS_6 TULLE__MEMBERS_5, m6
#define TULLE__MEMBERS_7 TULLE__MEMBERS_6, m7
#define TULLE__MEMBERS_8 TULLE__MEMBERS_7, m8
#define TULLE__MEMBERS_9 TULLE__MEMBERS_8, m9
#define TULLE__MEMBERS_10 TULLE__MEMBERS_9, m10
#define TULLE__MEMBERS_11 TULLE__MEMBERS_10, m11
#define TULLE__MEMBERS_12 TULLE__MEMBERS_11, m12
#define TULLE__MEMBERS_13 TULLE__MEMBERS_12, m13
#define TULLE__MEMBERS_14 TULLE__MEMBERS_13, m14
#define TULLE__MEMBERS_15 TULLE__MEMBERS_14, m15
#define TULLE__MEMBERS_16 TULLE__MEMBERS_15, m16
#define TULLE__MEMBERS_17 TULLE__MEMBERS_16, m17
#define TULLE__MEMBERS_18 TULLE__MEMBERS_17, m18
#define TULLE__MEMBERS_19 TULLE__MEMBERS_18, m19
#define TULLE__MEMBERS_20 TULLE__MEMBERS_19, m20
#define TULLE__MEMBERS_21 TULLE__MEMBERS_20, m21
#define TULLE__MEMBERS_22 TULLE__MEMBERS_21, m22
#define TULLE__MEMBERS_23 TULLE__MEMBERS_22, m23
#define TULLE__MEMBERS_24 TULLE__MEMBERS_23, m24
#define TULLE__MEMBERS_25 TULLE__MEMBERS_24, m25
#define TULLE__MEMBERS_26 TULLE__MEMBERS_25, m26
#define TULLE__MEMBERS_27 TULLE__MEMBERS_26, m27
#define TULLE__MEMBERS_28 TULLE__MEMBERS_27, m28
#define TULLE__MEMBERS_29 TULLE__MEMBERS_28, m29
#define TULLE__MEMBERS_30 TULLE__MEMBERS_29, m30
#define TULLE__MEMBERS_31 TULLE__MEMBERS_30, m31
#define TULLE__MEMBERS_32 TULLE__MEMBERS_31, m32

#define TULLE__BIND(count)                                                                         \
    if constexpr (n == count) {                                                                    \
        const auto &[TULLE__MEMBERS_##count] = all;                                                \
        visit_all(TULLE__MEMBERS_##count);                                                         \
    }

template <class T, class Visit>
void each_member(const T &all, Visit visit) {
    constexpr size_t n = member_count<T>();
    static_assert(n <= most_members);
    auto visit_all = [&](const auto &...member) { (visit(member), ...); };
    TULLE__BIND(1)
    TULLE__BIND(2)
    TULLE__BIND(3)
    TULLE__BIND(4)
    TULLE__BIND(5)
    TULLE__BIND(6)
    TULLE__BIND(7)
    TULLE__BIND(8)
    TULLE__BIND(9)
    TULLE__BIND(10)
    TULLE__BIND(11)
    TULLE__BIND(12)
    TULLE__BIND(13)
    TULLE__BIND(14)
    TULLE__BIND(15)
    TULLE__BIND(16)
    TULLE__BIND(17)
    TULLE__BIND(18)
    TULLE__BIND(19)
    TULLE__BIND(20)
    TULLE__BIND(21)
    TULLE__BIND(22)
    TULLE__BIND(23)
    TULLE__BIND(24)
    TULLE__BIND(25)
    TULLE__BIND(26)
    TULLE__BIND(27)
    TULLE__BIND(28)
    TULLE__BIND(29)
    TULLE__BIND(30)
    TULLE__BIND(31)
    TULLE__BIND(32)
}

}  // namespace tulle_emu::emulator

#endif
