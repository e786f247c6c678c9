/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of the public structs, by their names. The list has every struct of the headers; Python's
 * binding, which compares all structs that it declares, fails where one is missing. */
#include <string.h>

#include "tulle/advanced.h"
#include "tulle/io.h"
#include "tulle/mesh_io.h"
#include "tulle/statistics.h"
#include "tulle/tulle.h"

#define STRUCTS(X)                                                                                 \
    X(tulle_add_options)                                                                           \
    X(tulle_add_report)                                                                            \
    X(tulle_allocator)                                                                             \
    X(tulle_alternative)                                                                           \
    X(tulle_amg_info)                                                                              \
    X(tulle_amg_level_info)                                                                        \
    X(tulle_amg_options)                                                                           \
    X(tulle_assembly_info)                                                                         \
    X(tulle_assembly_options)                                                                      \
    X(tulle_batch_replacement)                                                                     \
    X(tulle_batch_report)                                                                          \
    X(tulle_choice)                                                                                \
    X(tulle_comm_functions)                                                                        \
    X(tulle_comm_piece)                                                                            \
    X(tulle_condition)                                                                             \
    X(tulle_convert_options)                                                                       \
    X(tulle_ctx_options)                                                                           \
    X(tulle_device_info)                                                                           \
    X(tulle_diffusion_info)                                                                        \
    X(tulle_diffusion_problem)                                                                     \
    X(tulle_dist_mat_info)                                                                         \
    X(tulle_elastic_condition)                                                                     \
    X(tulle_elasticity_info)                                                                       \
    X(tulle_elasticity_problem)                                                                    \
    X(tulle_element_data)                                                                          \
    X(tulle_elements)                                                                              \
    X(tulle_error)                                                                                 \
    X(tulle_factor_info)                                                                           \
    X(tulle_factor_options)                                                                        \
    X(tulle_factor_report)                                                                         \
    X(tulle_facts)                                                                                 \
    X(tulle_file_info)                                                                             \
    X(tulle_forecast)                                                                              \
    X(tulle_generator_info)                                                                        \
    X(tulle_kernel_info)                                                                           \
    X(tulle_linop_functions)                                                                       \
    X(tulle_linop_info)                                                                            \
    X(tulle_local_options)                                                                         \
    X(tulle_mat_arrays)                                                                            \
    X(tulle_mat_buffers)                                                                           \
    X(tulle_mat_info)                                                                              \
    X(tulle_mat_lengths)                                                                           \
    X(tulle_mat_options)                                                                           \
    X(tulle_matrix_free_info)                                                                      \
    X(tulle_matrix_free_options)                                                                   \
    X(tulle_memory_usage)                                                                          \
    X(tulle_mesh_arrays)                                                                           \
    X(tulle_mesh_block)                                                                            \
    X(tulle_mesh_field)                                                                            \
    X(tulle_mesh_file_info)                                                                        \
    X(tulle_mesh_generator_info)                                                                   \
    X(tulle_mesh_group)                                                                            \
    X(tulle_mesh_info)                                                                             \
    X(tulle_mesh_quality)                                                                          \
    X(tulle_mesh_save_options)                                                                     \
    X(tulle_mesh_union)                                                                            \
    X(tulle_optimize_options)                                                                      \
    X(tulle_optimize_report)                                                                       \
    X(tulle_param_info)                                                                            \
    X(tulle_period)                                                                                \
    X(tulle_quantity)                                                                              \
    X(tulle_result)                                                                                \
    X(tulle_save_options)                                                                          \
    X(tulle_scalar)                                                                                \
    X(tulle_shape_info)                                                                            \
    X(tulle_solve_attempt)                                                                         \
    X(tulle_solve_options)                                                                         \
    X(tulle_solve_report)                                                                          \
    X(tulle_solver_options)                                                                        \
    X(tulle_solver_report)                                                                         \
    X(tulle_spgemm_bounds)                                                                         \
    X(tulle_spgemm_options)                                                                        \
    X(tulle_spgemm_report)                                                                         \
    X(tulle_storage)                                                                               \
    X(tulle_trisolve_info)                                                                         \
    X(tulle_tuner_cache_info)                                                                      \
    X(tulle_tuner_info)                                                                            \
    X(tulle_tuner_options)                                                                         \
    X(tulle_tuner_step)                                                                            \
    X(tulle_uniform_options)                                                                       \
    X(tulle_uniform_report)                                                                        \
    X(tulle_uniform_reports)                                                                       \
    X(tulle_vec_info)

int64_t tulle_struct_size(const char *name) {
    static const struct {
        const char *name;
        int64_t size;
    } structs[] = {
#define X(type) {#type, sizeof(type)},
        STRUCTS(X)
#undef X
    };
    for (size_t i = 0; name && i < sizeof structs / sizeof *structs; i++) {
        if (strcmp(name, structs[i].name) == 0) return structs[i].size;
    }
    return -1;
}
