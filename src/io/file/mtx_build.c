/* SPDX-License-Identifier: Apache-2.0 */
#include "io/file/mtx.h"
#include "matrix/build.h"

/* The rows are only the file's word until here: they must at least fit in the machine. */
static tulle_status check_rows(const char *name, const tulle__mtx_head *head, tulle_index index) {
    const int64_t memory = tulle__cpu_memory();
    if (memory <= 0 || head->rows < memory / tulle_offset_size(index)) return TULLE_OK;
    char has[TULLE__HUMAN];
    return tulle__fail_file(TULLE_TOO_LARGE, name, head->lines,
                            "%lld rows need more memory than the %s of this machine",
                            (long long)head->rows, tulle__human_bytes((double)memory, has));
}

tulle_status tulle__mtx_build(tulle_ctx *cpu, const char *name, const tulle__mtx_head *head,
                              tulle__entries *entries, tulle_mat **A) {
    const bool many = entries->count > INT32_MAX;
    tulle__coo_to_csr job = {.rows = head->rows,
                             .cols = head->cols,
                             .nnz = entries->count,
                             .in_index_size = head->wide ? 8 : 4,
                             .index = head->wide ? TULLE_I64
                                      : many     ? TULLE_I64_I32
                                                 : TULLE_I32,
                             .type = head->type,
                             .rows_of = entries->rows_of,
                             .cols_of = entries->cols_of,
                             .values = entries->values,
                             .sum_duplicates = true};
    tulle_status status = check_rows(name, head, job.index);
    if (status == TULLE_OK) status = tulle__sorted_csr(cpu, &job, A);
    tulle__entries_free(cpu, entries);
    return status;
}
