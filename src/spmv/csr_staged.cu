/* SPDX-License-Identifier: Apache-2.0 */
/* Cooperating threads as in csr_vector, with the entries of a warp's rows by way of shared memory.
 * They are one stretch of A, which the warp asks for at once, 16 bytes a lane: a load takes as many
 * cycles of the L1 as it reads lines, and lanes that read their own rows each read lines of their
 * own. From shared memory the lanes read number k of their rows together, which on a grid are
 * neighbours in x, so that x also takes few lines (docs/lab-notes.md, "csr_staged"). Rows that do
 * not fit are walked where they are. The stretch in shared memory is CSR-Stream's (Greathouse and
 * Daga, SC 2014), which keeps products there instead of entries. */
#include "spmv/csr_row.cuh"
#include "spmv/spmm_entries.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { COOP, GROUPS };
const int coop_values[] = {1, 2, 4, 8, 16, 32};
const int groups_values[] = {1, 2, 3, 4};
const tulle__param params[] = {
    {"coop", "threads that share a row", 6, coop_values},
    {"groups", "groups of four entries that a lane brings to shared memory", 4, groups_values}};

constexpr int threads = 256, lanes_of_warp = 32, warps = threads / lanes_of_warp;

/* Blocks of a multiprocessor: what the registers leave that a lane's groups take. */
template <int groups, class V, class C>
constexpr int resident = groups *(sizeof(V) + sizeof(C)) <= 16   ? 6
                         : groups *(sizeof(V) + sizeof(C)) <= 24 ? 5
                                                                 : 4;

/* After 32 entries a gap of a group: rows of 32, 64, ... entries begin in different banks. */
GPU_FUNCTION unsigned place_of(unsigned entry) {
    return entry + entry / 32 * group_size;
}
template <int groups>
constexpr int room_groups = lanes_of_warp *groups + lanes_of_warp *groups / 8;

/* The group from entry `at` on, as far as there are entries. */
template <class T, class O>
GPU_FUNCTION pack<T, group_size> load_part(const T *array, O at, O nnz) {
    if (at + group_size <= nnz) return load_group(array, at);
    pack<T, group_size> part = {};
    GPU_UNROLL
    for (int f = 0; f < group_size; f++) {
        if (at + f < nnz) part.at[f] = load_once(array + at + f);
    }
    return part;
}

/* A warp's stretch: `count` entries from `first` on, which begins a group. */
template <class O>
struct stretch {
    O first;
    int count;
    GPU_FUNCTION int group(int g) const { return static_cast<int>(lane()) + g * lanes_of_warp; }
    GPU_FUNCTION bool has(int g) const { return group(g) * group_size < count; }
    GPU_FUNCTION O entry(int g) const { return first + static_cast<O>(group(g) * group_size); }
    GPU_FUNCTION int place(int g) const { return group(g) + group(g) / 8; }
};

template <int groups, class V, class O, class C>
GPU_FUNCTION void stage(const csr_product<V, O, C> &a, const stretch<O> &s,
                        shared<pack<C, group_size>> columns, shared<pack<V, group_size>> values) {
    O nnz = static_cast<O>(a.nnz);
    pack<C, group_size> column[groups];
    pack<V, group_size> value[groups];
    GPU_UNROLL
    for (int g = 0; g < groups; g++) {
        if (s.has(g)) column[g] = load_part(a.cols_of, s.entry(g), nnz);
    }
    await_previous();
    GPU_UNROLL
    for (int g = 0; g < groups; g++) {
        if (s.has(g)) value[g] = load_part(a.values, s.entry(g), nnz);
    }
    GPU_UNROLL
    for (int g = 0; g < groups; g++) {
        if (s.has(g)) columns[s.place(g)] = column[g];
    }
    GPU_UNROLL
    for (int g = 0; g < groups; g++) {
        if (s.has(g)) values[s.place(g)] = value[g];
    }
}

/* The sum of a lane's entries: every coop-th from k on. */
template <class V, class C>
GPU_FUNCTION V staged_sum(const V *x, int k, int end, int coop, shared<C> columns,
                          shared<V> values) {
    V sum = 0;
    GPU_KEEP_LOOP
    for (; k < end; k += flight * coop) {
        V at_column[flight];
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            at_column[f] = 0;
            if (k + f * coop >= end) continue;
            C column = columns[place_of(static_cast<unsigned>(k + f * coop))];
            at_column[f] = load(x + column);
        }
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            if (k + f * coop >= end) continue;
            V value = values[place_of(static_cast<unsigned>(k + f * coop))];
            sum += value * at_column[f];
        }
    }
    return sum;
}

struct await_here {
    GPU_FUNCTION void operator()() const { await_previous(); }
};

/* The sum of a lane's row, from where its entries are. Long rows have the whole warp, one after the
 * other. All lanes take part; the first of a row gets its sum. */
template <class V, class O, class C>
GPU_FUNCTION V walked_sum(const csr_product<V, O, C> &a, O begin, O end, int own, int coop) {
    constexpr int long_for_a_lane = 32;
    bool is_long = end - begin > long_for_a_lane * coop;
    V sum = partial_sum<true>(a, begin, is_long ? begin : end, own, coop, await_here());
    sum = sum_of_lanes(sum, coop);
    unsigned pending = ballot(full_warp, is_long);
    GPU_KEEP_LOOP
    for (int leader = 0; leader < lanes_of_warp; leader += coop) {
        if ((pending >> leader & 1u) == 0) continue;
        O first = shuffle(full_warp, begin, leader), behind = shuffle(full_warp, end, leader);
        V all = partial_sum<false>(a, first, behind, static_cast<int>(lane()), lanes_of_warp);
        all = shuffle(full_warp, sum_of_lanes(all, lanes_of_warp), 0);
        if (static_cast<int>(lane()) == leader) sum = all;
    }
    return sum;
}

template <int groups, class V, class O, class C>
GPU_KERNEL GPU_RESIDENT(threads, (resident<groups, V, C>)) void forward(csr_product<V, O, C> a,
                                                                        int coop, bool aligned) {
    using columns_group = pack<C, group_size>;
    using values_group = pack<V, group_size>;
    GPU_SHARED(columns_group, all_columns, (warps * room_groups<groups>));
    GPU_SHARED(values_group, all_values, (warps * room_groups<groups>));
    allow_next();
    int me = static_cast<int>(thread()), own = me % coop;
    int room = me / lanes_of_warp * room_groups<groups>;
    int64_t i = static_cast<int64_t>(block()) * (threads / coop) + me / coop;
    O begin = load(a.offsets + (i < a.rows ? i : a.rows));
    O end = load(a.offsets + (i < a.rows ? i + 1 : a.rows));
    O first = shuffle(full_warp, begin, 0) & ~static_cast<O>(group_size - 1);
    O count = shuffle(full_warp, end, lanes_of_warp - 1) - first;
    V sum;
    if (aligned && count <= lanes_of_warp * groups * group_size) {
        stretch<O> s = {first, static_cast<int>(count)};
        stage<groups>(a, s, all_columns + room, all_values + room);
        sync_warp(full_warp);
        sum = staged_sum(a.x, static_cast<int>(begin - first) + own, static_cast<int>(end - first),
                         coop, shared<C>(all_columns + room), shared<V>(all_values + room));
        sum = sum_of_lanes(sum, coop);
    } else {
        sum = walked_sum(a, begin, end, own, coop);
    }
    if (own == 0 && i < a.rows) {
        a.y[i] = combine(a.alpha.value(), sum, a.beta.value(), a.y + i);
    }
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    csr_product<V, O, C> a = make_product<V, O, C>(task);
    int coop = task->params[COOP], rows = threads / coop;
    bool aligned = has_groups(a);
    grid g = {(a.rows + rows - 1) / rows, threads};
    switch (task->params[GROUPS]) {
        case 1:
            return launch_early(task->place, forward<1, V, O, C>, g, a, coop, aligned);
        case 2:
            return launch_early(task->place, forward<2, V, O, C>, g, a, coop, aligned);
        case 3:
            if constexpr (sizeof(V) + sizeof(C) <= 12) {
                return launch_early(task->place, forward<3, V, O, C>, g, a, coop, aligned);
            }
            return TULLE_UNSUPPORTED;
        default:
            if constexpr (sizeof(V) + sizeof(C) <= 8) {
                return launch_early(task->place, forward<4, V, O, C>, g, a, coop, aligned);
            }
            return TULLE_UNSUPPORTED;
    }
}

/* What 48 KB of shared memory hold for a block. */
int most_groups(const tulle__spmv_shape *shape) {
    int64_t entry = tulle_type_size(shape->type) + tulle_index_size(shape->index);
    return entry <= 8 ? 4 : entry <= 12 ? 3 : 2;
}

/* As few lanes as let the rows of a warp fit, and then as few groups. */
void defaults(const tulle__spmv_shape *shape, int *values) {
    double row = shape->stats->mean_row + shape->stats->sd_row / 2 + 0.1;
    int of_a_group = lanes_of_warp * group_size, most = most_groups(shape), coop = 1, groups = 1;
    while (coop < lanes_of_warp && row * lanes_of_warp / coop > of_a_group * most) coop *= 2;
    while (groups < most && row * lanes_of_warp / coop > of_a_group * groups) groups++;
    values[COOP] = coop;
    values[GROUPS] = groups;
}

bool eligible(const tulle__spmv_shape *shape, const int *values) {
    return holds_groups(shape) && values[GROUPS] <= most_groups(shape) &&
           shape->rows / (threads / values[COOP]) < INT32_MAX;
}

int64_t bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    return tulle__spmv_csr_bytes(shape, beta_zero);
}

/* As for csr_vector, with all lanes of a warp for the longest row. */
double cost(const tulle__spmv_shape *shape, const int *) {
    double all = (TULLE__STAGED_EVEN + TULLE__STAGED_UNEVEN * unevenness(shape)) *
                 static_cast<double>(tulle__spmv_minimal_bytes(shape, true));
    double longest = longest_row_us(shape, lanes_of_warp) * bytes_a_microsecond(shape);
    return TULLE__STAGED_LAUNCHES * launch_cost(shape) + (longest > all ? longest : all);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_staged);
const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_staged) = {
    .name = "spmv_csr_staged",
    .summary = "cooperating threads; the entries of a warp's rows by way of shared memory",
    .source = "Reguly and Giles 2012, coop; Greathouse and Daga, SC 2014, CSR-Stream",
    .format = TULLE_CSR,
    .flags = TULLE__FORWARD | TULLE__REPEATABLE,
    .param_count = 2,
    .params = gpu::params,
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
