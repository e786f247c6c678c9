/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of entries in any order to CSR, on the CPU. Records of (row, column, origin) are
 * put into buckets of neighbouring rows, stably, by all threads; then each bucket, which a cache
 * can hold, is sorted by row and column by one thread. Every step keeps the order of equals, so
 * the result is the same for any number of threads. Records of 32-bit numbers serve where these
 * suffice. */
#ifndef WORD

#include <omp.h>

#include "core/access.h"
#include "core/context.h"
#include "core/threads/sizes.h"
#include "matrix/functions.h"

/* BUCKET_ENTRIES, BUCKET_ROWS: least numbers of entries and of rows for which a bucket of its own
 * saves time. MOST_BUCKETS: largest number of buckets into which scattered stores are still fast.
 */
enum { BUCKET_ENTRIES = 1 << 14, BUCKET_ROWS = 1 << 16, MOST_BUCKETS = 1 << 10 };

/* Length up to which sorting by insertion is fastest; runs of this length are then merged. */
enum { RUN = 16 };

typedef struct sorter {
    tulle_ctx *ctx;
    const tulle__coo_to_csr *job;
    int threads;
    int shift; /* shift that gives the index of a row's bucket: row >> shift */
    int64_t buckets;
    int64_t *next;     /* places of the next record of each chunk, threads x buckets */
    int64_t *begin;    /* beginning of each bucket's records, buckets + 1 */
    int64_t *result;   /* beginning of each bucket's results, buckets + 1 */
    int64_t *row_ends; /* ends of the rows of the bucket in work, threads x bucket_rows() */
    void *records;
    void *rooms;  /* memory to sort in: a room for each thread, or as large as the records */
    int64_t room; /* records that a thread's room holds; 0: rooms are laid out like the records */
} sorter;

static int64_t bucket_rows(const sorter *s) {
    return s->shift < 62 && (int64_t)1 << s->shift < s->job->rows ? (int64_t)1 << s->shift
                                                                  : s->job->rows;
}

static int64_t first_row(const sorter *s, int64_t bucket) {
    return bucket << s->shift;
}

static int64_t end_row(const sorter *s, int64_t bucket) {
    int64_t begin = first_row(s, bucket);
    return s->job->rows - begin < bucket_rows(s) ? s->job->rows : begin + bucket_rows(s);
}

/* First entry of a chunk: entries are dealt to the threads in chunks of neighbours. */
static int64_t chunk_begin(const sorter *s, int64_t chunk) {
    int64_t n = s->job->nnz, share = n / s->threads, rest = n % s->threads;
    return chunk * share + (chunk < rest ? chunk : rest);
}

static void choose_buckets(sorter *s) {
    const tulle__coo_to_csr *job = s->job;
    int64_t wanted = job->nnz / BUCKET_ENTRIES + job->rows / BUCKET_ROWS;
    if (wanted > MOST_BUCKETS) wanted = MOST_BUCKETS;
    s->shift = 0;
    while (job->rows >> s->shift > wanted) s->shift++;
    s->buckets = (job->rows >> s->shift) + 1;
}

/* Number of entries and rows, some tenths of a second of work, after which the caller is asked
 * again whether to go on. */
enum { ASK = 1 << 23 };

/* Number of parts in which entries are counted or moved; the caller may cancel between two parts.
 */
static int64_t part_count(const sorter *s) {
    return s->job->nnz / ASK + 1;
}

/* First entry of part `part` of a chunk. */
static int64_t part_begin(const sorter *s, int64_t chunk, int64_t part) {
    const int64_t begin = chunk_begin(s, chunk), n = chunk_begin(s, chunk + 1) - begin;
    const int64_t parts = part_count(s), share = n / parts, rest = n % parts;
    return begin + part * share + (part < rest ? part : rest);
}

/* Number of buckets that are sorted or written between two questions. */
static int64_t bucket_share(const sorter *s) {
    const int64_t share = ASK / ((s->job->nnz + s->job->rows) / s->buckets + 1);
    return share < s->threads ? s->threads : share;
}

static tulle_status ask(const sorter *s, double share_done) {
    return tulle__progress(s->ctx, "sorting entries", (int64_t)(share_done * (double)s->job->nnz),
                           s->job->nnz);
}

static int64_t *chunk_next(const sorter *s, int64_t chunk) {
    return s->next + chunk * s->buckets;
}

static int64_t bucket_of(const sorter *s, int64_t entry) {
    return tulle__get(s->job->rows_of, s->job->in_index_size, entry) >> s->shift;
}

static tulle_status count_buckets(const sorter *s) {
    const int64_t parts = part_count(s);
    for (int64_t part = 0; part < parts; part++) {
        TULLE__TRY(ask(s, 0));
#pragma omp parallel for num_threads(s->threads)
        for (int64_t chunk = 0; chunk < s->threads; chunk++) {
            int64_t *count = chunk_next(s, chunk);
            for (int64_t b = 0; part == 0 && b < s->buckets; b++) count[b] = 0;
            int64_t end = part_begin(s, chunk, part + 1);
            for (int64_t k = part_begin(s, chunk, part); k < end; k++) count[bucket_of(s, k)]++;
        }
    }
    int64_t sum = 0;
    for (int64_t b = 0; b < s->buckets; b++) {
        s->begin[b] = sum;
        for (int64_t chunk = 0; chunk < s->threads; chunk++) {
            int64_t here = chunk_next(s, chunk)[b];
            chunk_next(s, chunk)[b] = sum;
            sum += here;
        }
    }
    s->begin[s->buckets] = sum;
    return TULLE_OK;
}

static int64_t largest_bucket(const sorter *s) {
    int64_t largest = 0;
    for (int64_t b = 0; b < s->buckets; b++) {
        int64_t size = s->begin[b + 1] - s->begin[b];
        if (size > largest) largest = size;
    }
    return largest;
}

/* Place in rooms where the calling thread may sort a bucket. */
static int64_t room_of(const sorter *s, int64_t bucket) {
    return s->room > 0 ? omp_get_thread_num() * s->room : s->begin[bucket];
}

#define TULLE__SELF "matrix/coo.c"
#define WORD uint32_t
#define NAME(function) function##_32
#include TULLE__SELF
#undef WORD
#undef NAME
#define WORD uint64_t
#define NAME(function) function##_64
#include TULLE__SELF
#undef WORD
#undef NAME

static bool fits_32(const tulle__coo_to_csr *job) {
    return job->rows <= UINT32_MAX && job->cols <= UINT32_MAX && job->nnz <= UINT32_MAX;
}

static int64_t record_size(const sorter *s) {
    return fits_32(s->job) ? sizeof(record_32) : sizeof(record_64);
}

/* Allocates one block of scratch for the tables and the records. */
static tulle_status allocate(sorter *s, tulle_ctx *ctx, void **memory) {
    int64_t rows = bucket_rows(s);
    int64_t tables = s->buckets * (s->threads + 2) + 2;
    size_t bytes;
    TULLE__TRY(tulle__size(rows, s->threads, tables, &bytes));
    TULLE__TRY(tulle__size((int64_t)bytes, sizeof(int64_t), 0, &bytes));
    TULLE__TRY(tulle__size(s->job->nnz, record_size(s), (int64_t)bytes, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, memory));
    s->next = *memory;
    s->begin = s->next + s->threads * s->buckets;
    s->result = s->begin + s->buckets + 1;
    s->row_ends = s->result + s->buckets + 1;
    s->records = s->row_ends + s->threads * rows;
    return TULLE_OK;
}

/* Allocates scratch for sorting: of the size of the buckets in work, unless few buckets hold
 * nearly all records. */
static tulle_status allocate_rooms(sorter *s, tulle_ctx *ctx) {
    int64_t largest = largest_bucket(s), count = s->job->nnz;
    if (largest < count / s->threads) {
        s->room = largest;
        count = largest * s->threads;
    }
    size_t bytes;
    /* at least one byte: an address is made of it even where nothing is to be sorted */
    TULLE__TRY(tulle__size(count, record_size(s), 1, &bytes));
    return tulle__alloc(ctx, bytes, &s->rooms);
}

tulle_status tulle__cpu_coo_to_csr(const tulle__place *place, const tulle__coo_to_csr *job) {
    sorter s = {.ctx = place->ctx,
                .job = job,
                .threads = tulle__threads_for(place, TULLE__WORK_ENTRIES, job->rows + job->nnz)};
    choose_buckets(&s);
    void *memory;
    TULLE__TRY(allocate(&s, place->ctx, &memory));
    tulle_status status = count_buckets(&s);
    if (status == TULLE_OK) status = allocate_rooms(&s, place->ctx);
    if (status == TULLE_OK) {
        status = fits_32(job) ? sort_and_write_32(&s) : sort_and_write_64(&s);
    }
    if (status == TULLE_OK) *job->host_nnz = s.result[s.buckets];
    tulle__free(place->ctx, s.rooms);
    tulle__free(place->ctx, memory);
    return status;
}

#else

typedef struct NAME(record) {
    WORD row, column, origin;
} NAME(record);

static tulle_status NAME(fill_buckets)(const sorter *s) {
    NAME(record) *records = s->records;
    const int64_t parts = part_count(s);
    for (int64_t part = 0; part < parts; part++) {
        TULLE__TRY(ask(s, 0));
#pragma omp parallel for num_threads(s->threads)
        for (int64_t chunk = 0; chunk < s->threads; chunk++) {
            int64_t *next = chunk_next(s, chunk);
            int64_t end = part_begin(s, chunk, part + 1);
            for (int64_t k = part_begin(s, chunk, part); k < end; k++) {
                int64_t row = tulle__get(s->job->rows_of, s->job->in_index_size, k);
                int64_t column = tulle__get(s->job->cols_of, s->job->in_index_size, k);
                records[next[row >> s->shift]++] = (NAME(record)){(WORD)row, (WORD)column, (WORD)k};
            }
        }
    }
    return TULLE_OK;
}

static bool NAME(is_sorted)(const NAME(record) * r, int64_t n) {
    for (int64_t k = 1; k < n; k++) {
        if (r[k].column < r[k - 1].column) return false;
    }
    return true;
}

static void NAME(insertion_sort)(NAME(record) * r, int64_t n) {
    for (int64_t k = 1; k < n; k++) {
        NAME(record) one = r[k];
        int64_t hole = k;
        for (; hole > 0 && one.column < r[hole - 1].column; hole--) r[hole] = r[hole - 1];
        r[hole] = one;
    }
}

static void NAME(merge)(const NAME(record) * left, int64_t left_n, const NAME(record) * right,
                        int64_t right_n, NAME(record) * to) {
    int64_t i = 0, j = 0;
    for (int64_t k = 0; k < left_n + right_n; k++) {
        bool take_right = i == left_n || (j < right_n && right[j].column < left[i].column);
        to[k] = take_right ? right[j++] : left[i++];
    }
}

/* Sorts one row by column, stably; the room beside it is as large. */
static void NAME(sort_row)(NAME(record) * row, NAME(record) * room, int64_t n) {
    if (NAME(is_sorted)(row, n)) return;
    for (int64_t k = 0; k < n; k += RUN) NAME(insertion_sort)(row + k, n - k < RUN ? n - k : RUN);
    NAME(record) *from = row, *to = room;
    for (int64_t width = RUN; width < n; width *= 2) {
        for (int64_t k = 0; k < n; k += 2 * width) {
            int64_t left = n - k < width ? n - k : width;
            int64_t right = n - k - left < width ? n - k - left : width;
            NAME(merge)(from + k, left, from + k + left, right, to + k);
        }
        NAME(record) *sorted = to;
        to = from;
        from = sorted;
    }
    for (int64_t k = 0; from != row && k < n; k++) row[k] = from[k];
}

/* Sorts a bucket by counting its rows, then row by row. */
static void NAME(sort_bucket)(const sorter *s, int64_t bucket) {
    int64_t begin = s->begin[bucket], n = s->begin[bucket + 1] - begin;
    int64_t row0 = first_row(s, bucket), rows = end_row(s, bucket) - row0;
    NAME(record) *records = (NAME(record) *)s->records + begin;
    NAME(record) *room = (NAME(record) *)s->rooms + room_of(s, bucket);
    int64_t *next = s->row_ends + omp_get_thread_num() * bucket_rows(s);
    for (int64_t i = 0; i < rows; i++) next[i] = 0;
    for (int64_t k = 0; k < n; k++) next[(int64_t)records[k].row - row0]++;
    int64_t sum = 0;
    for (int64_t i = 0; i < rows; i++) {
        int64_t here = next[i];
        next[i] = sum;
        sum += here;
    }
    for (int64_t k = 0; k < n; k++) room[next[(int64_t)records[k].row - row0]++] = records[k];
    for (int64_t k = 0; k < n; k++) records[k] = room[k];
    int64_t row_begin = 0;
    for (int64_t i = 0; i < rows; i++) {
        NAME(sort_row)(records + row_begin, room + row_begin, next[i] - row_begin);
        row_begin = next[i];
    }
}

/* True when a sorted record is added to the entry before it. */
static bool NAME(joins)(const sorter *s, const NAME(record) * r, int64_t k, int64_t begin) {
    return s->job->sum_duplicates && k > begin && r[k].row == r[k - 1].row &&
           r[k].column == r[k - 1].column;
}

static int64_t NAME(count_results)(const sorter *s, int64_t bucket) {
    const NAME(record) *r = s->records;
    int64_t begin = s->begin[bucket], results = 0;
    for (int64_t k = begin; k < s->begin[bucket + 1]; k++) {
        if (!NAME(joins)(s, r, k, begin)) results++;
    }
    return results;
}

static void NAME(write_entry)(const tulle__coo_to_csr *job, const NAME(record) * from, int64_t to) {
    tulle__put(job->out_cols, tulle_index_size(job->index), to, (int64_t)from->column);
    if (job->out_values) {
        tulle__move_value(job->type, job->out_values, to, job->values, (int64_t)from->origin);
    }
    if (job->perm) ((int64_t *)job->perm)[to] = (int64_t)from->origin;
}

static void NAME(write_bucket)(const sorter *s, int64_t bucket) {
    const tulle__coo_to_csr *job = s->job;
    const NAME(record) *r = s->records;
    int64_t begin = s->begin[bucket], end = s->begin[bucket + 1];
    int64_t k = begin, to = s->result[bucket];
    for (int64_t row = first_row(s, bucket); row < end_row(s, bucket); row++) {
        tulle__put(job->offsets, tulle_offset_size(job->index), row, to);
        for (; k < end && (int64_t)r[k].row == row; k++) {
            if (!NAME(joins)(s, r, k, begin)) {
                NAME(write_entry)(job, &r[k], to++);
            } else if (job->out_values) {
                tulle__add_value(job->type, job->out_values, to - 1, job->values,
                                 (int64_t)r[k].origin);
            }
        }
    }
}

static tulle_status NAME(sort_and_write)(sorter *s) {
    const int64_t share = bucket_share(s);
    TULLE__TRY(NAME(fill_buckets)(s));
    for (int64_t from = 0, to; from < s->buckets; from = to) {
        to = s->buckets - from < share ? s->buckets : from + share;
        TULLE__TRY(ask(s, 0.5 * (double)from / (double)s->buckets));
#pragma omp parallel for num_threads(s->threads) schedule(dynamic)
        for (int64_t bucket = from; bucket < to; bucket++) {
            NAME(sort_bucket)(s, bucket);
            s->result[bucket + 1] = NAME(count_results)(s, bucket);
        }
    }
    s->result[0] = 0;
    for (int64_t bucket = 0; bucket < s->buckets; bucket++) {
        s->result[bucket + 1] += s->result[bucket];
    }
    for (int64_t from = 0, to; from < s->buckets; from = to) {
        to = s->buckets - from < share ? s->buckets : from + share;
        TULLE__TRY(ask(s, 0.5 + 0.5 * (double)from / (double)s->buckets));
#pragma omp parallel for num_threads(s->threads) schedule(dynamic)
        for (int64_t bucket = from; bucket < to; bucket++) NAME(write_bucket)(s, bucket);
    }
    tulle__put(s->job->offsets, tulle_offset_size(s->job->index), s->job->rows,
               s->result[s->buckets]);
    return TULLE_OK;
}

#endif
