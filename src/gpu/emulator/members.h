/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a plain struct, one after the other: structured bindings of as many names as its
 * braces take initialisers (the idea is that of A. Polukhin's Boost.PFR). Structs with arrays in
 * them, with constructors or with more members are passed over; those with
 * bases do not compile. */
#ifndef TULLE_GPU_EMULATOR_MEMBERS_H
#define TULLE_GPU_EMULATOR_MEMBERS_H

#include <stddef.h>

#include <type_traits>
#include <utility>

namespace tulle_emu::emulator {

constexpr size_t most_members = 12;

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

template <class T, class Visit>
void each_member(const T &all, Visit visit) {
    constexpr size_t n = member_count<T>();
    auto visit_all = [&](const auto &...member) { (visit(member), ...); };
    if constexpr (n == 1) {
        const auto &[a] = all;
        visit_all(a);
    } else if constexpr (n == 2) {
        const auto &[a, b] = all;
        visit_all(a, b);
    } else if constexpr (n == 3) {
        const auto &[a, b, c] = all;
        visit_all(a, b, c);
    } else if constexpr (n == 4) {
        const auto &[a, b, c, d] = all;
        visit_all(a, b, c, d);
    } else if constexpr (n == 5) {
        const auto &[a, b, c, d, e] = all;
        visit_all(a, b, c, d, e);
    } else if constexpr (n == 6) {
        const auto &[a, b, c, d, e, f] = all;
        visit_all(a, b, c, d, e, f);
    } else if constexpr (n == 7) {
        const auto &[a, b, c, d, e, f, g] = all;
        visit_all(a, b, c, d, e, f, g);
    } else if constexpr (n == 8) {
        const auto &[a, b, c, d, e, f, g, h] = all;
        visit_all(a, b, c, d, e, f, g, h);
    } else if constexpr (n == 9) {
        const auto &[a, b, c, d, e, f, g, h, i] = all;
        visit_all(a, b, c, d, e, f, g, h, i);
    } else if constexpr (n == 10) {
        const auto &[a, b, c, d, e, f, g, h, i, j] = all;
        visit_all(a, b, c, d, e, f, g, h, i, j);
    } else if constexpr (n == 11) {
        const auto &[a, b, c, d, e, f, g, h, i, j, k] = all;
        visit_all(a, b, c, d, e, f, g, h, i, j, k);
    } else if constexpr (n == 12) {
        const auto &[a, b, c, d, e, f, g, h, i, j, k, l] = all;
        visit_all(a, b, c, d, e, f, g, h, i, j, k, l);
    }
}

}  // namespace tulle_emu::emulator

#endif
