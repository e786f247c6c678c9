/* SPDX-License-Identifier: Apache-2.0 */
/* Lists and counts for interpolation of the classical family, on a GPU: a thread or a team of lanes
 * for each row, as suits the mean row. The lists stay until P is made, beside P's arrays. Counting
 * the columns of a row of P needs no table: it ends at the largest number that truncation keeps. */
#include "amg/functions.h"
#include "amg/interpolate_near.cuh"
#include "amg/part.cuh"
#include "amg/tables.cuh"
#include "amg/team.cuh"
#include "gpu/fetch.cuh"
#include "gpu/primitives.h"
#include "gpu/reduce.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Marks entries of fine rows, and counts and sums up their strong connections; near: lengths of the
 * lists. Sums are in the order of a row: lanes put numbers of neighbouring entries into shared
 * memory, and each adds them all. */
template <class T, class V, class O, class C>
GPU_KERNEL void mark_rows(tulle__amg_split s, tulle__amg_interpolation m, int64_t *near,
                          int64_t *strong) {
    GPU_SHARED(double, room, team_threads);
    const O *offsets = static_cast<const O *>(s.csr.offsets);
    const V *values = static_cast<const V *>(s.values);
    const shared<double> numbers = room + T::number() * T::size;
    int64_t marked = 0;
    for (int64_t i = T::first(); i < s.csr.rows; i += T::stride()) {
        double sum = 0;
        int listed = 0;
        const bool counts = i >= s.begin && i < s.end;
        const int64_t end = s.kind[i] == TULLE__AMG_FINE ? offsets[i + 1] : 0;
        for (int64_t at = offsets[i]; at < end; at += T::size) {
            const int64_t k = at + T::own();
            const uint8_t mark = k < end ? mark_of<V, O, C>(&s, k) : uint8_t{TULLE__AMG_WEAK};
            const bool down = mark == TULLE__AMG_TO_COARSE;
            if (k < end) s.strong[k] = mark;
            marked += counts && mark >= TULLE__AMG_TO_FINE;
            listed += down;
            numbers[T::own()] = down ? static_cast<double>(values[k]) : 0;
            T::sync();
            for (int n = 0; n < T::size; n++) sum += numbers[n];
            T::sync();
        }
        listed = T::sum(listed);
        if (T::own() != 0) continue;
        m.to_coarse[i] = sum;
        near[i] = listed;
    }
    marked = warp_reduce<total>(marked);
    if (lane() == 0 && marked > 0) atomic_add(strong, marked);
}

/* Columns of a row that a team has found. */
template <class C>
struct found_columns {
    shared<C> columns; /* room for TULLE__AMG_MOST_KEPT, each `step` behind the last */
    int step, count;

    /* Adds the columns of the list of row i, unless they are found already, until there are `most`.
     * A list has each column once. */
    template <class T, class V>
    GPU_FUNCTION void add_list(const near_lists<V, C> &near, int64_t i, int most) {
        const int64_t end = near.before[i + 1];
        const int others = count;
        for (int64_t at = near.before[i]; at < end && count < most; at += T::size) {
            const int64_t k = at + T::own();
            bool fresh = k < end;
            const C column = fresh ? near.columns[k] : C(0);
            for (int n = 0; fresh && n < others; n++) {
                const C other = columns[n * step];
                fresh = other != column;
            }
            int before = 0;
            const int more = T::count(fresh, &before);
            if (fresh && count + before < most) columns[(count + before) * step] = column;
            count = count + more < most ? count + more : most;
            T::sync();
        }
    }
};

/* Returns the number of entries of a fine row of P, and sets the bits of its table. */
template <class T, class V, class O, class C>
GPU_FUNCTION int64_t count_fine_row(const tulle__amg_interpolation *m, int64_t i,
                                    shared<C> columns) {
    const tulle__amg_split *s = m->split;
    const O *offsets = static_cast<const O *>(s->csr.offsets);
    const C *cols_of = static_cast<const C *>(s->csr.cols_of);
    const near_lists<V, C> near(m);
    const int64_t begin = offsets[i], end = offsets[i + 1], own_near = near.length(i);
    int64_t bound = 0, enough = own_near >= m->most;
    for (int64_t k = begin + T::own(); k < end; k += T::size) {
        if (s->strong[k] != TULLE__AMG_TO_FINE) continue;
        const int64_t others = near.length(cols_of[k]);
        bound += others;
        enough += others >= m->most;
    }
    bound = T::sum(bound) + own_near;
    enough = T::sum(enough);
    if (T::own() == 0) {
        m->bits[i] = raised_bits(bits_of_table<V, O, C>(m, bound), bound, end - begin);
    }
    if (enough > 0) return m->most;
    found_columns<C> found = {columns, T::teams, 0};
    found.template add_list<T>(near, i, m->most);
    for (int64_t k = begin; k < end && found.count < m->most; k++) {
        if (s->strong[k] != TULLE__AMG_TO_FINE) continue;
        found.template add_list<T>(near, cols_of[k], m->most);
    }
    return found.count;
}

/* Has one row more than the matrix: the offset behind the last row. */
template <class T, class V, class O, class C>
GPU_KERNEL void count_rows(tulle__amg_split s, tulle__amg_interpolation m) {
    GPU_SHARED(C, room, T::teams * TULLE__AMG_MOST_KEPT);
    m.split = &s;
    for (int64_t i = T::first(); i <= s.csr.rows; i += T::stride()) {
        const int kind = i < s.csr.rows ? s.kind[i] : int{TULLE__AMG_ALONE};
        int64_t entries = kind == TULLE__AMG_COARSE;
        if (kind == TULLE__AMG_FINE) {
            entries = count_fine_row<T, V, O, C>(&m, i, room + T::number());
            T::sync(); /* the next row takes the room */
        }
        if (T::own() != 0) continue;
        m.P.before[i] = entries;
        if (i < s.csr.rows && kind != TULLE__AMG_FINE) m.bits[i] = 0;
    }
}

/* Takes memory for the lists, for which `before` has what comes before each. */
template <class V, class C>
tulle_status take_lists(const tulle__place *place, int64_t entries, tulle__amg_near_lists *near) {
    scratch memory(place);
    C *columns = nullptr;
    V *values = nullptr;
    GPU_TRY(memory.get(entries, &columns));
    GPU_TRY(memory.get(entries, &values));
    near->columns = memory.hand_over(columns);
    near->values = memory.hand_over(values);
    return TULLE_OK;
}

template <class T, class V, class O, class C>
tulle_status count_by(const tulle__place *place, tulle__amg_interpolation *m, int64_t *strong) {
    const tulle__amg_split *s = m->split;
    const int64_t rows = s->csr.rows;
    int64_t *before = m->near.before, counted[2]; /* entries of all lists, and strong connections */
    const grid all = team_grid<T>(rows);
    GPU_TRY(TULLE__HERE(set_bytes)(place, before + rows, 0, sizeof counted));
    GPU_TRY(launch(place, mark_rows<T, V, O, C>, all, *s, *m, before, before + rows + 1));
    GPU_TRY(exclusive_scan(place, before, before, rows + 1));
    GPU_TRY(to_host(place, counted, before + rows, sizeof counted));
    *strong = counted[1];
    GPU_TRY((take_lists<V, C>(place, counted[0], &m->near)));
    GPU_TRY(launch(place, fill_lists<T, V, O, C>, all, *s, m->near));
    return launch(place, count_rows<T, V, O, C>, team_grid<T>(rows + 1), *s, *m);
}

template <class V, class O, class C>
tulle_status count_all(const tulle__place *place, tulle__amg_interpolation *m, int64_t *strong) {
    scratch memory(place);
    int64_t *before = nullptr;
    GPU_TRY(memory.get(m->split->csr.rows + 2, &before));
    m->near.before = before;
    memory.hand_over(before);
    return with_team(
        m->split, [&](auto team) { return count_by<decltype(team), V, O, C>(place, m, strong); });
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(amg_count_rows)(const tulle__place *place, tulle__amg_interpolation *m,
                                        int64_t counted[2]) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, tulle__amg_interpolation *, int64_t *) = GPU_RUN_ALL(gpu::count_all);
    const tulle__amg_split *s = m->split;
    GPU_TRY(run[tulle__values_of(s->type)][s->csr.index](place, m, counted + 1));
    return gpu::sum_up(place, m->P.before, s->csr.rows, counted);
}
