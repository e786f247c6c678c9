/* SPDX-License-Identifier: Apache-2.0 */
/* Sectioned JDS: rows by falling length, cut into sections, each an ELL that a launch of its own
 * works on; a last one for the rows without entries, which are in no section. GPU Teaching Kit. */
#include "gpu/loop.cuh"
#include "spmv/gpu/slots_model.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { BLOCK };
const tulle__param params[] = {slot_block_param};

/* A section: positions from `first` on, and the ELL of their slots from `at` on. */
struct section {
    int64_t first, rows, at, slots, stride;
    int64_t width() const { return stride > 0 ? slots / stride : 0; }
};

section section_number(const tulle_storage *s, int i) {
    int64_t rows = s->section_row[i + 1] - s->section_row[i];
    return {s->section_row[i], rows, s->section_at[i], s->section_at[i + 1] - s->section_at[i],
            tulle__ceil_div(rows, warp_lanes) * warp_lanes};
}

/* Runs the product of one section, which is a matrix in ELL of its own. */
template <class V, class C>
tulle_status run_section(const tulle__spmv_task *task, slot_product<V, C> a, const section &part) {
    int share = share_for(&task->shape, part.rows, part.width());
    a.positions = part.rows;
    a.order += part.first;
    a.cols_of += part.at;
    a.values += part.at;
    return run_slots<flight>(task, ell_layout{part.stride, part.width()}, a,
                             make_crew(task->params[BLOCK], share));
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    const tulle_storage *s = task->shape.storage;
    slot_product<V, C> a = make_slot_product<V, C>(task);
    GPU_TRY(start_slots(task, a));
    for (int i = 0; i < s->sections; i++) GPU_TRY(run_section(task, a, section_number(s, i)));
    if (task->shape.trans == TULLE_T) return TULLE_OK;
    int64_t first = s->section_row[s->sections];
    return run_section(task, a, section{first, a.positions - first, s->stored, 0, 0});
}

void defaults(const tulle__spmv_shape *, int *values) {
    values[BLOCK] = 128;
}

int64_t bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    return slots_bytes(shape, beta_zero);
}

/* Cost of the sections one after the other. */
double cost(const tulle__spmv_shape *shape, const int *) {
    const tulle_storage *s = shape->storage;
    double longest_us = 0;
    for (int i = 0; i < s->sections; i++) {
        section part = section_number(s, i);
        longest_us += slots_us(part.width(), share_for(shape, part.rows, part.width()));
    }
    double longest = longest_us * bytes_a_microsecond(shape), all = all_slots_cost(shape);
    return (s->sections + 1) * launch_cost(shape) + (longest > all ? longest : all);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_jds_ell);
const tulle__spmv_kernel GPU_SYMBOL(spmv_jds_ell) = {
    .head = {.name = "spmv_jds_ell",
             .summary = "sectioned JDS: a kernel a section, each an ELL",
             .source = "GPU Teaching Kit, JDS and ELL",
             .format = TULLE_JDS_ELL,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REFERENCE |
                      TULLE__HISTORICAL,
             .param_count = 1,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
