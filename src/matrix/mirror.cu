/* SPDX-License-Identifier: Apache-2.0 */
/* The transpose of a pattern that is its own transpose: values change places with their mirror
 * images. */
#include "format/parts.h"
#include "gpu/fetch.cuh"
#include "matrix/functions.h"

namespace {

/* Values are only moved: P is as wide as one. */
template <class P, class O, class C>
struct mirror_task {
    int64_t rows;
    const O *offsets;
    const C *cols_of;
    const P *values;
    P *out_values;
    int64_t *perm;
    unsigned *missing;  /* nonzero: an entry has no mirror image */
    int64_t block_rows; /* number of rows that each block takes */
};

/* The search for the entry of a row, [first, last), with a column. It begins where the entry
 * would be if the k-th entry of a row were the k-th from the end in its mirror image, as in a
 * stencil; its steps double until they have passed the column, and then halve. */
template <class O>
struct mirror_search {
    O low, high, at, step;
    bool up, down;

    GPU_FUNCTION mirror_search(O first, O last, O k)
        : low(first),
          high(last),
          at(k < last - first ? last - 1 - k : first),
          step(1),
          up(false),
          down(false) {}
    GPU_FUNCTION bool goes_on() const { return low < high; }
    GPU_FUNCTION bool found() const { return low > high; }
    template <class C>
    GPU_FUNCTION void look(C seen, C column) {
        if (seen == column) {
            high = -1;
            return;
        }
        if (seen < column) {
            low = at + 1;
            up = true;
        } else {
            high = at;
            down = true;
        }
        if (up && down) {
            at = low + (high - low) / 2;
            return;
        }
        if (up) at = high - at > step ? at + step : high - 1;
        if (down) at = at - low > step ? at - step : low;
        step *= 2;
    }
};

/* Shape of the work of a block. A team is `lanes` lanes. A team takes `rows` rows at a time, which
 * are as far apart as the block has teams, and a lane loads `rounds` entries of each of these rows
 * together. */
template <int threads_, int lanes_, int rows_, int rounds_>
struct mirror_shape {
    static constexpr int threads = threads_, lanes = lanes_, rows = rows_, rounds = rounds_,
                         entries = rows * rounds, teams = threads / lanes, step = teams * rows;
};

/* A block takes neighbouring rows: in a stencil or a mesh most mirror images lie in rows near
 * the entry's own, so lines that one row brings into the first level of cache serve others. The
 * windows of rows that a multiprocessor's blocks have there must fit together, so blocks are
 * large, and have no more than large_rows; from many_rows on there is about one for each
 * multiprocessor. Small blocks are at most small_blocks, as each looks, once, at its start,
 * whether an entry was missed elsewhere, and all look in one place. */
constexpr int large_block = 1024, small_block = 256;
constexpr int64_t small_blocks = 8192, many_rows = 1 << 16, large_blocks = 512, large_rows = 1024;

template <class S>
int64_t rows_of_a_block(int64_t rows) {
    int64_t each = rows / (S::threads == large_block ? large_blocks : small_blocks) + 1;
    if (S::threads == large_block && each > large_rows) each = large_rows;
    return tulle__ceil_div(each, S::step) * S::step;
}

/* Copies this lane's entries of the given rows, from position `from` of each row. Returns false if
 * one of these entries (i, j) has no mirror image, an entry (j, i). */
template <class S, class P, class O, class C>
GPU_FUNCTION bool mirror_some(const mirror_task<P, O, C> &t, const int64_t *row, const O *begin,
                              const O *end, O from) {
    bool has[S::entries], all = true;
    C i[S::entries];
    O first[S::entries], last[S::entries];
    const auto place = [&](int s) { return static_cast<O>(from + s % S::rounds * S::lanes); };
    const auto entry = [&](int s) { return static_cast<O>(begin[s / S::rounds] + place(s)); };
    GPU_UNROLL
    for (int s = 0; s < S::entries; s++) {
        has[s] = place(s) < end[s / S::rounds] - begin[s / S::rounds];
        i[s] = has[s] ? gpu::load(t.cols_of + entry(s)) : 0;
    }
    GPU_UNROLL
    for (int s = 0; s < S::entries; s++) {
        first[s] = has[s] ? gpu::load(t.offsets + i[s]) : 0;
        last[s] = has[s] ? gpu::load(t.offsets + i[s] + 1) : 0;
    }
    O at[S::entries];
    GPU_UNROLL
    for (int s = 0; s < S::entries; s++) {
        mirror_search<O> search(first[s], last[s], place(s));
        at[s] = search.at;
        i[s] = has[s] && search.goes_on() ? gpu::load(t.cols_of + search.at) : C(-1);
    }
    GPU_UNROLL
    for (int s = 0; s < S::entries; s++) {
        const C column = static_cast<C>(row[s / S::rounds]);
        if (!has[s] || i[s] == column) continue;
        mirror_search<O> search(first[s], last[s], place(s));
        while (search.goes_on()) search.look(gpu::load(t.cols_of + search.at), column);
        at[s] = search.at;
        all &= search.found();
    }
    if (!all) return false;
    P value[S::entries] = {};
    GPU_UNROLL
    for (int s = 0; s < S::entries; s++) {
        if (has[s] && t.out_values) value[s] = gpu::load(t.values + at[s]);
    }
    GPU_UNROLL
    for (int s = 0; s < S::entries; s++) {
        if (has[s] && t.out_values) t.out_values[entry(s)] = value[s];
        if (has[s] && t.perm) t.perm[entry(s)] = at[s];
    }
    return true;
}

/* Number of a multiprocessor's threads that are at work: all, or half where places take twice as
 * many registers. */
template <class O>
constexpr int threads_at_work = sizeof(O) == sizeof(int32_t) ? 2048 : 1024;

template <class S, class P, class O, class C>
GPU_KERNEL GPU_RESIDENT(S::threads,
                        threads_at_work<O> / S::threads) void mirror(mirror_task<P, O, C> t) {
    GPU_SHARED(unsigned, missed, 1);
    if (gpu::thread() == 0) missed[0] = gpu::load_relaxed(t.missing);
    gpu::sync();
    const unsigned in_vain = missed[0];
    if (in_vain != 0) return;
    const O own = static_cast<O>(gpu::thread() % S::lanes);
    const int64_t first = gpu::block() * t.block_rows, team = gpu::thread() / S::lanes;
    const int64_t stop = first + t.block_rows < t.rows ? first + t.block_rows : t.rows;
    for (int64_t one = first + team; one < stop; one += S::step) {
        int64_t row[S::rows];
        O begin[S::rows], end[S::rows], longest = 0;
        GPU_UNROLL
        for (int r = 0; r < S::rows; r++) {
            row[r] = one + r * S::teams;
            begin[r] = row[r] < stop ? gpu::load(t.offsets + row[r]) : 0;
            end[r] = row[r] < stop ? gpu::load(t.offsets + row[r] + 1) : 0;
            if (end[r] - begin[r] > longest) longest = end[r] - begin[r];
        }
        bool found = true;
        for (O from = own; found && from < longest; from += S::lanes * S::rounds) {
            found = mirror_some<S>(t, row, begin, end, from);
        }
        if (!found) gpu::store_relaxed(t.missing, 1u);
    }
}

template <class S, class P, class O, class C>
tulle_status mirror_by(const tulle__place *place, mirror_task<P, O, C> t) {
    t.block_rows = rows_of_a_block<S>(t.rows);
    const int64_t blocks = tulle__ceil_div(t.rows, t.block_rows);
    return gpu::launch(place, mirror<S, P, O, C>, gpu::grid{blocks, S::threads}, t);
}

/* Moves a few entries of a row for each lane. */
template <int threads, class P, class O, class C>
tulle_status mirror_short(const tulle__place *place, double mean_row,
                          const mirror_task<P, O, C> &t) {
    return mean_row <= 6 ? mirror_by<mirror_shape<threads, 4, 2, 2>>(place, t)
                         : mirror_by<mirror_shape<threads, 8, 2, 1>>(place, t);
}

template <class P, class O, class C>
tulle_status launch_mirror(const tulle__place *place, double mean_row,
                           const mirror_task<P, O, C> &t) {
    if (mean_row > 12) return mirror_by<mirror_shape<small_block, 16, 1, 4>>(place, t);
    return t.rows < many_rows ? mirror_short<small_block>(place, mean_row, t)
                              : mirror_short<large_block>(place, mean_row, t);
}

template <class P, class O, class C>
tulle_status mirror_as(const tulle__place *place, const tulle__turning *job, bool *host_mirrored) {
    const tulle__pattern_view *csr = job->csr;
    gpu::scratch memory(place);
    unsigned *missing = nullptr, host = 0;
    GPU_TRY(memory.get(1, &missing));
    GPU_TRY(GPU_SYMBOL(set_bytes)(place, missing, 0, sizeof *missing));
    const mirror_task<P, O, C> t = {csr->rows,
                                    static_cast<const O *>(csr->offsets),
                                    static_cast<const C *>(csr->cols_of),
                                    static_cast<const P *>(job->values),
                                    static_cast<P *>(job->out_values),
                                    job->perm,
                                    missing,
                                    0};
    const double mean_row = static_cast<double>(csr->nnz) / static_cast<double>(csr->rows);
    GPU_TRY(launch_mirror(place, mean_row, t));
    GPU_TRY(gpu::to_host(place, &host, missing, sizeof host));
    *host_mirrored = host == 0;
    return TULLE_OK;
}

template <class P>
tulle_status mirror_wide(const tulle__place *place, const tulle__turning *job,
                         bool *host_mirrored) {
    switch (job->csr->index) {
        case TULLE_I32:
            return mirror_as<P, int32_t, int32_t>(place, job, host_mirrored);
        case TULLE_I64_I32:
            return mirror_as<P, int64_t, int32_t>(place, job, host_mirrored);
        default:
            return mirror_as<P, int64_t, int64_t>(place, job, host_mirrored);
    }
}

}  // namespace

tulle_status GPU_SYMBOL(mirror_csr)(const tulle__place *place, const tulle__turning *job,
                                    bool *host_mirrored) {
    return job->type == TULLE_F32 ? mirror_wide<uint32_t>(place, job, host_mirrored)
                                  : mirror_wide<uint64_t>(place, job, host_mirrored);
}
