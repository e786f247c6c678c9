/* SPDX-License-Identifier: Apache-2.0 */
#include "room.h"

#include <inttypes.h>

#include "core/available.h"
#include "tools/common/error.h"
#include "tools/common/sums.h"
#include "tools/common/table.h"
#include "tools/common/verify.h"

/* Returns the bytes that x and y on the place take of this machine's memory: none where the place
 * is a GPU, which has memory of its own. */
static int64_t on_place(const tulle_device_info *device, int64_t x_bytes, int64_t y_bytes) {
    return device->backend == TULLE_CUDA ? 0 : tool_plus(x_bytes, y_bytes);
}

/* Returns the number of rows that have offsets: in DCSR only rows with entries. */
static int64_t heads(const tulle_mat_info *info) {
    return info->format == TULLE_DCSR ? info->storage.heads : info->rows;
}

/* Returns the bytes of the check's copy of a matrix: none where the matrix is in the CPU's memory.
 */
static int64_t matrix_copy(const tulle_mat_info *info) {
    if (info->backend == TULLE_CPU) return 0;
    int64_t entry = tulle_index_size(info->index) + tulle_type_size(info->type);
    return tool_plus(tool_times(heads(info) + 1, tulle_offset_size(info->index)),
                     tool_times(info->nnz, entry));
}

static int64_t bytes_needed(const tulle_device_info *device, const tulle_mat_info *info,
                            tulle_trans op, int64_t vectors, bool checked) {
    int64_t x_length = op == TULLE_N ? info->cols : info->rows;
    int64_t y_length = op == TULLE_N ? info->rows : info->cols;
    int64_t one_row = tool_times(vectors, tulle_type_size(info->type));
    int64_t x_bytes = tool_times(x_length, one_row), y_bytes = tool_times(y_length, one_row);
    int64_t host = tool_plus(x_bytes, tool_times(y_bytes, 2)); /* y before and after the call */
    int64_t sums = op == TULLE_N ? heads(info) : y_length;
    int64_t check = checked ? tool_plus(tool_reference_bytes(sums), matrix_copy(info)) : 0;
    return tool_plus(tool_plus(on_place(device, x_bytes, y_bytes), host), check);
}

tulle_status tool_check_room(const tulle_device_info *device, const tulle_mat_info *A,
                             tulle_trans op, int64_t vectors, bool checked) {
    int64_t need = bytes_needed(device, A, op, vectors, checked), room = tulle__cpu_available();
    if (room <= 0 || need <= room) return TULLE_OK;
    char wanted[TOOL_HUMAN], available[TOOL_HUMAN];
    return tool_record(TULLE_TOO_LARGE,
                       "x%s of a %" PRId64 " x %" PRId64
                       " matrix take %s, and this machine has %s of memory available",
                       checked ? ", y and the check" : " and y", A->rows, A->cols,
                       tool_human_bytes((double)need, wanted),
                       tool_human_bytes((double)room, available));
}
