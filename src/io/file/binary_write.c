/* SPDX-License-Identifier: Apache-2.0 */
#include "format/bsr.h"
#include "io/file/binary.h"
#include "io/file/save.h"

/* Number of bytes that are written between two reports of progress. */
enum { STEP = 1 << 26 };

static tulle_status write_bytes(tulle__saver *s, const void *bytes, int64_t size) {
    tulle__trouble trouble = {0};
    if (size == 0 || tulle__sink_write(&s->sink, bytes, (size_t)size, &trouble)) return TULLE_OK;
    return tulle__fail_trouble(s->sink.path, &trouble);
}

static tulle_status write_section(tulle__saver *s, const tulle__binary_layout *layout, int i,
                                  const void *array) {
    static const char zeros[TULLE__BINARY_ALIGNMENT];
    const int64_t bytes = layout->bytes[i];
    const int64_t next = i + 1 < TULLE__SECTIONS ? layout->at[i + 1] : layout->end;
    for (int64_t done = 0; done < bytes; done += STEP) {
        const int64_t part = bytes - done < STEP ? bytes - done : STEP;
        TULLE__TRY(write_bytes(s, (const char *)array + done, part));
        TULLE__TRY(tulle__progress(s->cpu, "writing", layout->at[i] + done + part, layout->end));
    }
    return write_bytes(s, zeros, next - layout->at[i] - bytes);
}

static tulle_status sum_section(tulle__saver *s, const void *array, int64_t bytes,
                                uint64_t *checksum) {
    const size_t size = (size_t)tulle__checksum_pieces(bytes) * sizeof(uint64_t);
    uint64_t *sums = tulle__host_alloc(s->cpu, size);
    if (!sums) return TULLE_OUT_OF_MEMORY;
    tulle__checksum_array(array, bytes, s->cpu->place.threads, sums);
    *checksum = tulle__checksum(sums, size);
    tulle__host_free(s->cpu, sums);
    return TULLE_OK;
}

static uint32_t version_of(tulle_format format) {
    return format == TULLE_BSR    ? TULLE__BINARY_BSR
           : format == TULLE_DCSR ? TULLE__BINARY_DCSR
                                  : TULLE__BINARY_CSR;
}

tulle_status tulle__binary_write(tulle__saver *s) {
    const tulle_storage *storage = &s->about.storage;
    const bool bsr = s->about.format == TULLE_BSR;
    tulle__binary_header header = {.magic = TULLE__BINARY_MAGIC,
                                   .version = version_of(s->about.format),
                                   .index = (uint32_t)s->about.index,
                                   .type = (uint32_t)tulle__type_index(s->about.type),
                                   .pattern = s->options.pattern,
                                   .rows = s->about.rows,
                                   .cols = s->about.cols,
                                   .nnz = s->about.nnz,
                                   .heads = storage->heads,
                                   .blocks = bsr ? tulle__bsr_blocks(storage) : 0,
                                   .block_rows = bsr ? (uint32_t)tulle__block_rows(storage) : 0,
                                   .block_cols = bsr ? (uint32_t)tulle__block_cols(storage) : 0};
    const void *array[TULLE__SECTIONS] = {s->arrays.offsets, s->arrays.cols, s->arrays.values,
                                          bsr ? s->arrays.mask : s->arrays.order};
    const int sections = tulle__binary_sections(&header);
    tulle__binary_layout layout;
    if (!tulle__binary_layout_of(&header, &layout))
        return tulle__fail_file(TULLE_TOO_LARGE, s->sink.path, 0, "the matrix is too large");
    for (int i = 0; i < sections; i++) {
        TULLE__TRY(sum_section(s, array[i], layout.bytes[i], &header.checksum[i]));
    }
    header.header_checksum =
        tulle__checksum(&header, offsetof(tulle__binary_header, header_checksum));
    TULLE__TRY(write_bytes(s, &header, sizeof header));
    for (int i = 0; i < sections; i++) TULLE__TRY(write_section(s, &layout, i, array[i]));
    return TULLE_OK;
}
