/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of rows by a number of each, their multiplications or entries, and limits that rise: a row
 * is in the first group whose limit is not less than its number. */
#ifndef TULLE_SPGEMM_PUBLISHED_ROW_LIMITS_CUH
#define TULLE_SPGEMM_PUBLISHED_ROW_LIMITS_CUH

#include "spgemm/gpu/factors.cuh"
#include "spgemm/gpu/row_groups.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int most_limits = 16;
struct row_limits {
    int groups;                 /* number of groups; the first has rows of nothing */
    int64_t limit[most_limits]; /* limit of each group; the last one takes all other rows */
};

struct limited_group {
    const int64_t *numbers;
    row_limits limits;
    GPU_FUNCTION int operator()(int64_t i) const {
        int64_t number = load(numbers + i);
        int group = 0;
        while (group < limits.groups - 1 && number > limits.limit[group]) group++;
        return group;
    }
};

/* The groups of some rows, listed one after the other. */
template <class C>
struct grouped_rows {
    static constexpr int numbers = 2 * most_limits;
    int64_t rows[most_limits]; /* number of rows of each group, as the host knows them */
    C *list;                   /* rows by groups, with room for all rows */
    int64_t *totals;           /* `numbers` totals on the device */

    row_list<C> of(int group) const {
        int64_t before = 0;
        for (int g = 1; g < group; g++) before += rows[g];
        return {list + before, rows[group]};
    }
    /* Takes memory for so many rows. */
    tulle_status take(const tulle__place *place, scratch *memory, int64_t count) {
        char *all = nullptr;
        GPU_TRY(memory->get(
            static_cast<int64_t>(part_bytes<int64_t>(numbers) + part_bytes<C>(count)), &all));
        parts cut(place, all);
        GPU_TRY(cut.take(numbers, &totals));
        return cut.take(count, &list);
    }
    /* Lists rows by groups. Does not wait: the lists are there after the next wait of the host. */
    tulle_status make(const tulle__place *place, int64_t count, const int64_t *by,
                      const row_limits &limits) {
        int64_t *taken = totals + most_limits;
        limited_group group_of = {by, limits};
        GPU_TRY(TULLE__HERE(set_bytes)(place, totals, 0, numbers * sizeof *totals));
        GPU_TRY(launch(place, tally_rows<most_limits, limited_group>,
                       loop_grid(count, loop_blocks_once), count, group_of, totals));
        GPU_TRY(launch(place, list_rows<most_limits, C, limited_group>, loop_grid(count), count,
                       group_of, totals, taken, list));
        return TULLE__HERE(copy)(place, rows, totals, sizeof rows);
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
