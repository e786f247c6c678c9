/* SPDX-License-Identifier: Apache-2.0 */
/* Counts for interpolation of the classical family, on a GPU: a team of lanes for each row, of as
 * many lanes as suit the mean row. Counting the columns of a row of P needs no table: it ends at
 * the largest number that truncation keeps. */
#include "amg/functions.h"
#include "amg/part.cuh"
#include "amg/tables.cuh"
#include "amg/team.cuh"
#include "gpu/reduce.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Marks entries of fine rows, and counts and sums up their strong connections. Sums are in the
 * order of a row: lanes put numbers of neighbouring entries into shared memory, and each adds them
 * all. */
template <class T, class V, class O, class C>
GPU_KERNEL void mark_rows(tulle__amg_split s, tulle__amg_interpolation m, int64_t *strong) {
    GPU_SHARED(double, room, team_threads);
    const O *offsets = static_cast<const O *>(s.csr.offsets);
    const V *values = static_cast<const V *>(s.values);
    const shared<double> numbers = room + T::number() * T::size;
    int64_t marked = 0;
    for (int64_t i = T::first(); i < s.csr.rows; i += T::stride()) {
        double sum = 0;
        C near = 0;
        const int64_t end = s.kind[i] == TULLE__AMG_FINE ? offsets[i + 1] : 0;
        for (int64_t at = offsets[i]; at < end; at += T::size) {
            const int64_t k = at + T::own();
            const uint8_t mark = k < end ? mark_of<V, O, C>(&s, k) : uint8_t{TULLE__AMG_WEAK};
            const bool down = mark == TULLE__AMG_TO_COARSE;
            if (k < end) s.strong[k] = mark;
            marked += mark >= TULLE__AMG_TO_FINE;
            near += down;
            numbers[T::own()] = down ? static_cast<double>(values[k]) : 0;
            T::sync();
            for (int n = 0; n < T::size; n++) sum += numbers[n];
            T::sync();
        }
        near = T::sum(near);
        if (T::own() != 0) continue;
        m.to_coarse[i] = sum;
        static_cast<C *>(m.near)[i] = near;
    }
    marked = warp_reduce<total>(marked);
    if (lane() == 0 && marked > 0) atomic_add(strong, marked);
}

/* Columns of a row that a team has found. */
template <class C>
struct found_columns {
    shared<C> columns; /* room for TULLE__AMG_MOST_KEPT */
    int count;

    /* Adds those columns of row i that lead to coarse rows, unless they are found already, until
     * there are `most`. */
    template <class T, class V, class O>
    GPU_FUNCTION void add_row(const tulle__amg_split *s, int64_t i, int most) {
        const O *offsets = static_cast<const O *>(s->csr.offsets);
        const C *cols_of = static_cast<const C *>(s->csr.cols_of);
        const int64_t end = offsets[i + 1];
        for (int64_t at = offsets[i]; at < end && count < most; at += T::size) {
            const int64_t k = at + T::own();
            bool fresh = k < end && s->strong[k] == TULLE__AMG_TO_COARSE;
            const C column = fresh ? cols_of[k] : C(0);
            for (int n = 0; fresh && n < count; n++) {
                const C other = columns[n];
                fresh = other != column;
            }
            int before = 0;
            const int more = T::count(fresh, &before);
            if (fresh && count + before < most) columns[count + before] = column;
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
    const C *cols_of = static_cast<const C *>(s->csr.cols_of), *near = static_cast<C *>(m->near);
    const int64_t begin = offsets[i], end = offsets[i + 1];
    const C own_near = near[i];
    int64_t bound = 0, work = 0, enough = own_near >= m->most;
    for (int64_t k = begin + T::own(); k < end; k += T::size) {
        if (s->strong[k] != TULLE__AMG_TO_FINE) continue;
        const C column = cols_of[k], others = near[column];
        if (others == 0) continue;
        bound += others;
        work += offsets[column + 1] - offsets[column];
        enough += others >= m->most;
    }
    bound = T::sum(bound) + own_near;
    work = T::sum(work) + (end - begin);
    enough = T::sum(enough);
    if (T::own() == 0) m->bits[i] = raised_bits(bits_of_table<V, O, C>(m, bound), work);
    if (enough > 0) return m->most;
    found_columns<C> found = {columns, 0};
    found.template add_row<T, V, O>(s, i, m->most);
    for (int64_t k = begin; k < end && found.count < m->most; k++) {
        if (s->strong[k] != TULLE__AMG_TO_FINE || near[cols_of[k]] == 0) continue;
        found.template add_row<T, V, O>(s, cols_of[k], m->most);
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
            entries = count_fine_row<T, V, O, C>(&m, i, room + T::number() * TULLE__AMG_MOST_KEPT);
            T::sync(); /* the next row takes the room */
        }
        if (T::own() != 0) continue;
        m.P.before[i] = entries;
        if (i < s.csr.rows && kind != TULLE__AMG_FINE) m.bits[i] = 0;
    }
}

template <class T, class V, class O, class C>
tulle_status count_by(const tulle__place *place, const tulle__amg_interpolation *m,
                      int64_t *strong) {
    const tulle__amg_split *s = m->split;
    const grid all = team_grid<T>(s->csr.rows + 1);
    GPU_TRY(launch(place, mark_rows<T, V, O, C>, all, *s, *m, strong));
    return launch(place, count_rows<T, V, O, C>, all, *s, *m);
}

template <class V, class O, class C>
tulle_status count_all(const tulle__place *place, const tulle__amg_interpolation *m,
                       int64_t *strong) {
    const auto by =
        suits_lanes(m->split->csr) ? count_by<lanes_team, V, O, C> : count_by<warp_team, V, O, C>;
    return by(place, m, strong);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(amg_count_rows)(const tulle__place *place,
                                        const tulle__amg_interpolation *m, int64_t counted[2]) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__amg_interpolation *, int64_t *) =
        GPU_RUN_ALL(gpu::count_all);
    const tulle__amg_split *s = m->split;
    gpu::scratch scratch(place);
    int64_t *strong = nullptr;
    GPU_TRY(scratch.get(1, &strong));
    GPU_TRY(TULLE__HERE(set_bytes)(place, strong, 0, sizeof *strong));
    GPU_TRY(run[tulle__values_of(s->type)][s->csr.index](place, m, strong));
    GPU_TRY(gpu::to_host(place, counted + 1, strong, sizeof *strong));
    return gpu::sum_up(place, m->P.before, s->csr.rows, counted);
}
