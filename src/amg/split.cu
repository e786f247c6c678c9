/* SPDX-License-Identifier: Apache-2.0 */
/* Splitting a level into coarse and fine rows, on a GPU: a team that suits the mean row for each
 * row where its entries are looked at, else a thread. The host asks after every other round whether
 * rows are open. */
#include "amg/functions.h"
#include "amg/team.cuh"
#include "gpu/fetch.cuh"
#include "gpu/primitives.h"
#include "gpu/reduce.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Diagonal and sum of a row. The sum is in the order of the row: lanes put neighbouring numbers
 * into shared memory, and each adds them all. */
template <class T, class V, class C>
GPU_FUNCTION void sum_row(const tulle__amg_split &s, int64_t i, int64_t begin, int64_t end,
                          shared<double> numbers, double *diagonal, double *sum) {
    for (int64_t at = begin; at < end; at += T::size) {
        const int64_t k = at + T::own();
        const double value = k < end ? static_cast<double>(static_cast<const V *>(s.values)[k]) : 0;
        if (k < end && static_cast<const C *>(s.csr.cols_of)[k] == i) *diagonal = value;
        numbers[T::own()] = value;
        T::sync();
        for (int n = 0; n < T::size; n++) *sum += numbers[n];
        T::sync();
    }
    *diagonal = T::sum(*diagonal); /* one lane has it, the others have 0 */
}

template <class T, class V, class O, class C>
GPU_KERNEL void connect_rows(tulle__amg_split s) {
    GPU_SHARED(double, room, team_threads);
    const O *offsets = static_cast<const O *>(s.csr.offsets);
    for (int64_t i = T::first(); i < s.csr.rows; i += T::stride()) {
        const int64_t begin = offsets[i], end = offsets[i + 1];
        double diagonal = 0, sum = 0, largest = 0;
        sum_row<T, V, C>(s, i, begin, end, room + T::number() * T::size, &diagonal, &sum);
        for (int64_t k = begin + T::own(); k < end; k += T::size) {
            const double size = connection_of<V, O, C>(&s, i, k, diagonal);
            if (size > largest) largest = size;
        }
        largest = T::greatest(largest);
        const bool alone = is_alone<V, O, C>(&s, diagonal, sum);
        const double least = s.threshold * largest;
        int marked = 0;
        for (int64_t k = begin + T::own(); k < end; k += T::size) {
            const double size = connection_of<V, O, C>(&s, i, k, diagonal);
            marked += mark_connection<V, O, C>(&s, k, alone, size, least);
        }
        marked = T::sum(marked);
        if (T::own() != 0) continue;
        s.diagonal[i] = diagonal;
        s.fine[i] = marked > 0;
    }
}

template <class V, class O, class C>
GPU_KERNEL void begin_rows(tulle__amg_split s) {
    for (int64_t i = loop_first(); i < s.csr.rows; i += loop_stride()) begin_row<V, O, C>(&s, i);
}

template <class T, class V, class O, class C>
GPU_KERNEL void compete_rows(tulle__amg_split s, int round) {
    const O *offsets = static_cast<const O *>(s.csr.offsets);
    for (int64_t i = T::first(); i < s.csr.rows; i += T::stride()) {
        if (s.kind[i] != TULLE__AMG_OPEN) continue;
        const int64_t end = offsets[i + 1];
        for (int64_t k = offsets[i] + T::own(); k < end; k += T::size) {
            compete<V, O, C>(&s, round, i, k);
        }
    }
}

template <class V, class O, class C>
GPU_KERNEL void choose_rows(tulle__amg_split s, int round) {
    for (int64_t i = loop_first(); i < s.csr.rows; i += loop_stride()) {
        choose_row<V, O, C>(&s, round, i);
    }
}

template <class T, class V, class O, class C>
GPU_KERNEL void settle_rows(tulle__amg_split s) {
    const O *offsets = static_cast<const O *>(s.csr.offsets);
    for (int64_t i = T::first(); i < s.csr.rows; i += T::stride()) {
        if (s.kind[i] != TULLE__AMG_OPEN) continue;
        const int64_t end = offsets[i + 1];
        int found = 0, before = 0;
        for (int64_t at = offsets[i]; at < end && found == 0; at += T::size) {
            const int64_t k = at + T::own();
            found = T::count(k < end && settles<V, O, C>(&s, k), &before);
        }
        if (T::own() == 0 && found > 0) s.fine[i] = 1;
    }
}

/* Lanes of a warp count their open rows together. */
template <class V, class O, class C>
GPU_KERNEL void end_rows(tulle__amg_split s) {
    int64_t own = 0;
    for (int64_t i = loop_first(); i < s.csr.rows; i += loop_stride()) {
        own += end_row<V, O, C>(&s, i);
    }
    own = warp_reduce<total>(own);
    if (lane() == 0 && own > 0) atomic_add(s.open, own);
}

GPU_KERNEL void mark_coarse(tulle__amg_split s) {
    for (int64_t i = loop_first(); i <= s.csr.rows; i += loop_stride()) {
        s.number[i] = i < s.csr.rows && s.kind[i] == TULLE__AMG_COARSE;
    }
}

template <class V, class O, class C>
tulle_status connect(const tulle__place *place, const tulle__amg_split *s) {
    const int64_t rows = s->csr.rows;
    GPU_TRY(with_team(s, [&](auto team) {
        using T = decltype(team);
        return launch(place, connect_rows<T, V, O, C>, team_grid<T>(rows), *s);
    }));
    return launch(place, begin_rows<V, O, C>, loop_grid(rows), *s);
}

template <class T, class V, class O, class C>
tulle_status choose_of(const tulle__place *place, const tulle__amg_split *s, int round) {
    const grid all = loop_grid(s->csr.rows), teams = team_grid<T>(s->csr.rows, loop_blocks);
    GPU_TRY(launch(place, compete_rows<T, V, O, C>, teams, *s, round));
    return launch(place, choose_rows<V, O, C>, all, *s, round);
}

template <class T, class V, class O, class C>
tulle_status settle_of(const tulle__place *place, const tulle__amg_split *s) {
    const grid all = loop_grid(s->csr.rows), teams = team_grid<T>(s->csr.rows, loop_blocks);
    GPU_TRY(TULLE__HERE(set_bytes)(place, s->open, 0, sizeof *s->open));
    GPU_TRY(launch(place, settle_rows<T, V, O, C>, teams, *s));
    return launch(place, end_rows<V, O, C>, all, *s);
}

template <class T, class V, class O, class C>
tulle_status round_of(const tulle__place *place, const tulle__amg_split *s, int round) {
    GPU_TRY((choose_of<T, V, O, C>(place, s, round)));
    return settle_of<T, V, O, C>(place, s);
}

template <class T, class V, class O, class C>
tulle_status two_rounds(const tulle__place *place, const tulle__amg_split *s, int first) {
    GPU_TRY((round_of<T, V, O, C>(place, s, first)));
    return round_of<T, V, O, C>(place, s, first + 1);
}

/* Makes two rounds for one wait of the host: a round without open rows changes nothing, and takes
 * less time than a wait. */
template <class V, class O, class C>
tulle_status split_rounds(const tulle__place *place, const tulle__amg_split *s, int round,
                          int64_t *open) {
    GPU_TRY(with_team(s, [&](auto team) {
        return two_rounds<decltype(team), V, O, C>(place, s, 2 * round - 1);
    }));
    return to_host(place, open, s->open, sizeof *open);
}

template <class V, class O, class C>
tulle_status choose(const tulle__place *place, const tulle__amg_split *s, int round) {
    return with_team(
        s, [&](auto team) { return choose_of<decltype(team), V, O, C>(place, s, round); });
}

template <class V, class O, class C>
tulle_status settle(const tulle__place *place, const tulle__amg_split *s, int64_t *open) {
    GPU_TRY(with_team(s, [&](auto team) { return settle_of<decltype(team), V, O, C>(place, s); }));
    return to_host(place, open, s->open, sizeof *open);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(amg_choose)(const tulle__place *place, const tulle__amg_split *s,
                                    int round) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__amg_split *, int) = GPU_RUN_ALL(gpu::choose);
    return run[tulle__values_of(s->type)][s->csr.index](place, s, round);
}

tulle_status GPU_SYMBOL(amg_settle)(const tulle__place *place, const tulle__amg_split *s,
                                    int64_t *open) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__amg_split *, int64_t *) = GPU_RUN_ALL(gpu::settle);
    return run[tulle__values_of(s->type)][s->csr.index](place, s, open);
}

tulle_status GPU_SYMBOL(amg_connect)(const tulle__place *place, const tulle__amg_split *s) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__amg_split *) = GPU_RUN_ALL(gpu::connect);
    return run[tulle__values_of(s->type)][s->csr.index](place, s);
}

tulle_status GPU_SYMBOL(amg_round)(const tulle__place *place, const tulle__amg_split *s, int round,
                                   int64_t *open) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__amg_split *, int, int64_t *) =
        GPU_RUN_ALL(gpu::split_rounds);
    return run[tulle__values_of(s->type)][s->csr.index](place, s, round, open);
}

tulle_status GPU_SYMBOL(amg_number)(const tulle__place *place, const tulle__amg_split *s,
                                    int64_t *coarse) {
    GPU_TRY(gpu::launch(place, gpu::mark_coarse, gpu::loop_grid(s->csr.rows + 1), *s));
    GPU_TRY(gpu::exclusive_scan(place, s->number, s->number, s->csr.rows + 1));
    return gpu::to_host(place, coarse, s->number + s->csr.rows, sizeof *coarse);
}
