/* SPDX-License-Identifier: Apache-2.0 */
#include "core/room.h"
#include "io/file/mtx.h"
#include "matrix/build.h"

/* Fails if the offsets of as many rows as the file's head claims do not fit in the machine. Up to
 * here nothing has shown that the file has so many rows. */
static tulle_status check_rows(const tulle_ctx *cpu, const char *name, const tulle__mtx_head *head,
                               tulle_index index) {
    char words[TULLE__ROOM_TEXT];
    const double bytes = (double)head->rows * (double)tulle_offset_size(index);
    const tulle_status status = tulle__room_for(cpu, bytes, words);
    if (status == TULLE_OK) return TULLE_OK;
    return tulle__fail_file(status, name, head->lines, "the offsets of %lld rows take %s",
                            (long long)head->rows, words);
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
    bool compress = tulle__is_hypersparse(job.rows, job.nnz);
    tulle_status status = compress ? TULLE_OK : check_rows(cpu, name, head, job.index);
    if (status == TULLE_OK) {
        status = compress ? tulle__sorted_dcsr(cpu, &job, A) : tulle__sorted_csr(cpu, &job, A);
    }
    tulle__entries_free(cpu, entries);
    return status;
}
