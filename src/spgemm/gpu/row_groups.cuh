/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts the rows of C into groups that are computed in different ways: counts the rows of each
 * group, and lists them. group_of(row) is the group of a row; the rows of group 0 need no work
 * and are not listed. */
#ifndef TULLE_SPGEMM_GPU_ROW_GROUPS_CUH
#define TULLE_SPGEMM_GPU_ROW_GROUPS_CUH

#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

/* The rows of one group: a list, or all rows. */
template <class C>
struct row_list {
    const C *rows; /* numbers of the rows; NULL: 0, 1, 2, ... */
    int64_t count;
    GPU_FUNCTION int64_t at(int64_t k) const {
        return rows ? static_cast<int64_t>(load(rows + k)) : k;
    }
};

/* Number of rows of each group that a block has found. */
template <int groups>
struct group_tally {
    shared<int> rows; /* counts, one for each group */
    int group = 0, same = 0;

    GPU_FUNCTION explicit group_tally(shared<int> room) : rows(room) {
        if (thread() < groups) rows[thread()] = 0;
        sync();
    }
    /* Counts a row in its group. Neighbouring rows are often in the same group, and are then
     * counted together. */
    GPU_FUNCTION void add(int row_group) {
        if (row_group != group) flush();
        group = row_group;
        same++;
    }
    GPU_FUNCTION void flush() {
        if (same > 0) atomic_add(rows + group, same);
        same = 0;
    }
    GPU_FUNCTION void put(int64_t *totals) {
        flush();
        sync();
        if (thread() >= groups) return;
        int some = rows[thread()];
        if (some > 0) atomic_add(totals + thread(), static_cast<int64_t>(some));
    }
};

/* Adds the number of rows of each group to totals. */
template <int groups, class GroupOf>
GPU_KERNEL void tally_rows(int64_t rows, GroupOf group_of, int64_t *totals) {
    GPU_SHARED(int, room, groups);
    group_tally<groups> tally(room);
    for (int64_t i = loop_first(); i < rows; i += loop_stride()) tally.add(group_of(i));
    tally.put(totals);
}

/* Lists the rows of each group, one group after the other, in any order within it. totals:
 * number of rows of each group. taken: number of rows of each group that are listed so far,
 * zeros at first. */
template <int groups, class C, class GroupOf>
GPU_KERNEL void list_rows(int64_t rows, GroupOf group_of, const int64_t *totals, int64_t *taken,
                          C *list) {
    GPU_SHARED(int, found, groups);
    GPU_SHARED(int64_t, first, groups);
    int64_t rounds = rows / loop_stride() + (rows % loop_stride() != 0);
    for (int64_t round = 0; round < rounds; round++) {
        int64_t i = loop_first() + round * loop_stride();
        if (thread() < groups) found[thread()] = 0;
        sync();
        int group = i < rows ? group_of(i) : 0, place = 0;
        if (group != 0) place = atomic_add(found + group, 1);
        sync();
        if (thread() < groups) {
            int64_t before = 0;
            for (unsigned k = 1; k < thread(); k++) before += load(totals + k);
            int some = found[thread()];
            first[thread()] = before + atomic_add(taken + thread(), static_cast<int64_t>(some));
        }
        sync();
        if (group != 0) list[first[group] + place] = static_cast<C>(i);
        sync();
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
