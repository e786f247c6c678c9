/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a Matrix Market source with all threads. Each thread claims the next block, reads the
 * block's entries into a chunk of the same size, and goes on. The memory in use depends on the text
 * that has been read, never on the promises of the head. Blocks are claimed in the file's order, so
 * the first trouble in the order of the chunks is the first one of the file, whichever thread met
 * it. */
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "core/room.h"
#include "io/file/mtx.h"

enum { HEAD_BLOCK = 2 * TULLE__LINE_LIMIT };

typedef struct reader {
    tulle_ctx *cpu;
    const tulle__mtx_head *head;
    tulle__chunks *chunks;
    pthread_mutex_t lock; /* guards blocks, chunks and trouble */
    tulle__blocks blocks;
    tulle__trouble trouble; /* trouble with the source itself, which comes behind all chunks */
    atomic_bool stop;
    atomic_llong entries; /* number of entries that have been read */
    atomic_llong skipped; /* bytes of comments and blank lines that have been read */
} reader;

tulle__chunk *tulle__chunk_add(tulle_ctx *cpu, tulle__chunks *chunks, tulle__trouble *trouble) {
    if (chunks->count == chunks->room) {
        const int64_t room = chunks->room ? 2 * chunks->room : 64;
        tulle__chunk **larger = tulle__host_alloc(cpu, (size_t)room * sizeof *larger);
        if (!larger) {
            tulle__note(trouble, TULLE_OUT_OF_MEMORY, 0, "out of memory");
            return NULL;
        }
        if (chunks->count) memcpy(larger, chunks->chunk, (size_t)chunks->count * sizeof *larger);
        tulle__host_free(cpu, chunks->chunk);
        chunks->chunk = larger;
        chunks->room = room;
    }
    tulle__chunk *chunk = tulle__host_alloc(cpu, sizeof *chunk);
    if (!chunk) {
        tulle__note(trouble, TULLE_OUT_OF_MEMORY, 0, "out of memory");
        return NULL;
    }
    chunk->ctx = cpu;
    chunks->chunk[chunks->count++] = chunk;
    return chunk;
}

void tulle__chunks_free(tulle_ctx *cpu, tulle__chunks *chunks) {
    for (int64_t i = 0; i < chunks->count; i++) {
        tulle__free(cpu, chunks->chunk[i]->line_of);
        tulle__host_free(cpu, chunks->chunk[i]);
    }
    tulle__slabs_free(cpu, &chunks->slabs);
    tulle__host_free(cpu, chunks->chunk);
    memset(chunks, 0, sizeof *chunks);
}

static int64_t count_lines(const char *text, const char *end) {
    int64_t lines = 0;
    while (text < end) {
        text = (const char *)memchr(text, '\n', (size_t)(end - text)) + 1;
        lines++;
    }
    return lines;
}

/* Gives the chunk memory for so many entries. */
static bool make_room(reader *r, int64_t entries, tulle__chunk *chunk) {
    size_t bytes, slab = (size_t)r->blocks.room * 8;
    if (slab > TULLE__SLAB_MAX) slab = TULLE__SLAB_MAX;
    void *memory;
    pthread_mutex_lock(&r->lock);
    tulle_status status = tulle__chunk_bytes(r->head, entries, &bytes);
    if (status == TULLE_OK)
        status = tulle__slab_take(r->cpu, &r->chunks->slabs, slab, bytes, &memory);
    pthread_mutex_unlock(&r->lock);
    if (status != TULLE_OK)
        return tulle__note(&chunk->trouble, status, 0, "%s", tulle_last_error()->message);
    tulle__chunk_place(r->head, entries, memory, chunk);
    return true;
}

static void read_text(reader *r, const char *text, const char *end, tulle__chunk *chunk) {
    if (make_room(r, count_lines(text, end), chunk))
        tulle__mtx_read_chunk(r->head, text, end, chunk);
    const long long all = atomic_fetch_add(&r->entries, chunk->count) + chunk->count;
    const long long skipped = atomic_fetch_add(&r->skipped, chunk->skipped) + chunk->skipped;
    if (chunk->trouble.status != TULLE_OK || all > r->head->stored ||
        skipped > TULLE__SKIP_LIMIT - r->head->skipped)
        atomic_store(&r->stop, true);
}

/* Claims the next block, and returns a new chunk for the block; returns NULL when no block is
 * left. */
static tulle__chunk *claim(reader *r, tulle__block *block) {
    tulle__chunk *chunk = NULL;
    pthread_mutex_lock(&r->lock);
    const bool more = !atomic_load(&r->stop) &&
                      tulle__block_claim(&r->blocks, block, &r->trouble) && block->bytes > 0;
    if (more) {
        chunk = tulle__chunk_add(r->cpu, r->chunks, &r->trouble);
        r->chunks->text_bytes += block->bytes;
    }
    if (!chunk) atomic_store(&r->stop, true);
    pthread_mutex_unlock(&r->lock);
    return chunk;
}

static tulle_status tell(reader *r) {
    pthread_mutex_lock(&r->lock);
    const tulle__source *source = r->blocks.source;
    const int64_t done = source->seekable ? r->blocks.at : tulle__source_consumed(source);
    pthread_mutex_unlock(&r->lock);
    const tulle_status status = tulle__progress(r->cpu, "reading", done, source->file_bytes);
    if (status != TULLE_OK) atomic_store(&r->stop, true);
    return status;
}

/* Reads block after block in one thread. Only the caller's own thread reports progress. */
static tulle_status work(reader *r, char *text, bool caller) {
    tulle__block block = {.text = text};
    tulle_status status = TULLE_OK;
    tulle__chunk *chunk;
    while (status == TULLE_OK && (chunk = claim(r, &block))) {
        if (tulle__block_fill(&r->blocks, &block, &chunk->trouble)) {
            read_text(r, block.text, block.text + block.bytes, chunk);
        } else {
            atomic_store(&r->stop, true);
        }
        if (caller) status = tell(r);
    }
    return status;
}

static tulle_status work_together(reader *r, char *text) {
    const tulle__source *source = r->blocks.source;
    int threads = r->cpu->place.threads;
    const int64_t most =
        source->seekable ? (source->size - r->blocks.at) / r->blocks.room + 1 : threads;
    if (threads > most) threads = (int)most;
    tulle_status status = TULLE_OK;
#pragma omp parallel num_threads(threads)
    {
        if (omp_get_thread_num() == 0) {
            status = work(r, text, true);
        } else {
            void *own = NULL;
            /* a thread that gets no memory leaves its share to the other threads */
            if (tulle__alloc(r->cpu, tulle__block_bytes(&r->blocks), &own) == TULLE_OK)
                work(r, own, false);
            tulle__free(r->cpu, own);
        }
    }
    return status;
}

/* Returns the line of the file that has entry number i of the chunk, from 1 on. */
static int64_t line_of(const tulle__chunk *chunk, int64_t i) {
    return chunk->first_line + (chunk->line_of ? chunk->line_of[i] : i) + 1;
}

/* Adds the count of one chunk to the count of all chunks. */
static void add_counted(const tulle__chunk *chunk, const tulle__counted *counted, int64_t *all,
                        int64_t *line) {
    if (counted->count > 0 && *all == 0) *line = line_of(chunk, counted->first);
    *all += counted->count;
}

/* Walks through the chunks in the file's order, counts the entries and lines before each chunk, and
 * finds the first trouble. */
static bool settle(const reader *r, tulle__trouble *trouble) {
    const int64_t promised = r->head->stored;
    int64_t entries = 0, lines = r->head->lines, skipped = r->head->skipped;
    tulle__chunks *all = r->chunks;
    for (int64_t i = 0; i < all->count; i++) {
        tulle__chunk *chunk = all->chunk[i];
        chunk->first = entries;
        chunk->first_line = lines;
        if (chunk->count > promised - entries)
            return tulle__note(trouble, TULLE_PARSE_ERROR, line_of(chunk, promised - entries),
                               "surplus entry: the size line promises %lld", (long long)promised);
        if (chunk->trouble.status != TULLE_OK) {
            *trouble = chunk->trouble;
            if (trouble->line) trouble->line += lines;
            return false;
        }
        add_counted(chunk, &chunk->vanished, &all->vanished, &all->vanished_line);
        add_counted(chunk, &chunk->rounded, &all->rounded, &all->rounded_line);
        entries += chunk->count;
        lines += chunk->lines;
        skipped += chunk->skipped;
        if (skipped > TULLE__SKIP_LIMIT)
            return tulle__note(trouble, TULLE_PARSE_ERROR, lines,
                               "more than %d MiB of comments and blank lines",
                               TULLE__SKIP_LIMIT >> 20);
    }
    if (r->trouble.status != TULLE_OK) {
        *trouble = r->trouble;
        return false;
    }
    return entries == promised || tulle__note(trouble, TULLE_PARSE_ERROR, lines,
                                              "the file ends after %lld of %lld entries",
                                              (long long)entries, (long long)promised);
}

/* Replaces a parse error in a damaged compressed file by the damage: the author of the text has
 * made no mistake. */
static void look_for_damage(reader *r, char *text, tulle__trouble *trouble) {
    enum { MOST = 1 << 28 };
    tulle__trouble damage = {0};
    if (trouble->status == TULLE_PARSE_ERROR &&
        tulle__source_is_damaged(r->blocks.source, MOST, text, &damage))
        *trouble = damage;
}

/* Returns the number of entries that the head promises, or the most that the file can hold if that
 * is less: an entry takes a line of 2, 4 or 6 bytes at least. */
static double possible_entries(const tulle__source *source, const tulle__mtx_head *head) {
    const double line = head->array ? 2 : head->field == TULLE__PATTERN ? 4 : 6;
    const double promised = (double)head->stored, most = tulle__source_most(source) / line;
    return most < promised ? most : promised;
}

/* Fails if memory has no room for the chunks and, for a coordinate file, the entries that are
 * copied from the chunks. */
static bool check_room(const reader *r, const tulle__mtx_head *head, tulle__trouble *trouble) {
    size_t each;
    char words[TULLE__ROOM_TEXT];
    if (tulle__chunk_bytes(head, 1, &each) != TULLE_OK) return true;
    const double copied =
        head->array ? 0 : (head->wide ? 16 : 8) + (double)tulle_type_size(head->type);
    const double bytes = possible_entries(r->blocks.source, head) * ((double)each + copied);
    const tulle_status status = tulle__room_for(r->cpu, bytes, words);
    return status == TULLE_OK ||
           tulle__note(trouble, status, head->lines, "to read %lld entries takes %s",
                       (long long)head->stored, words);
}

/* Reads the head, and the entries in the last block of the head. The blocks are small until the
 * head has been read. */
static bool read_head(reader *r, tulle__mtx_head *head, char *text, tulle__trouble *trouble) {
    tulle__block block = {.text = text};
    do {
        if (!tulle__block_claim(&r->blocks, &block, trouble)) return false;
        r->chunks->text_bytes += block.bytes;
        if (block.bytes == 0)
            return tulle__note(trouble, TULLE_PARSE_ERROR, head->lines,
                               head->has_banner
                                   ? "the file ends before the size line"
                                   : "the file ends before its banner, %%%%MatrixMarket");
        if (!tulle__block_fill(&r->blocks, &block, trouble)) return false;
        text = (char *)tulle__mtx_read_head(head, block.text, block.text + block.bytes, trouble);
        if (!text) return false;
    } while (!head->done);
    if (!check_room(r, head, trouble)) return false;
    tulle__chunk *chunk = tulle__chunk_add(r->cpu, r->chunks, trouble);
    if (!chunk) return false;
    read_text(r, text, block.text + block.bytes, chunk);
    return true;
}

static tulle_status read_all(reader *r, tulle__mtx_head *head, char *text,
                             tulle__trouble *trouble) {
    tulle__source *source = r->blocks.source;
    const int64_t room = r->blocks.room;
    r->blocks.room = HEAD_BLOCK;
    bool good = read_head(r, head, text, trouble);
    r->blocks.room = room;
    if (good) {
        TULLE__TRY(work_together(r, text));
        good = settle(r, trouble);
    }
    if (good) return TULLE_OK;
    look_for_damage(r, text, trouble);
    return tulle__fail_trouble(source->name, trouble);
}

tulle_status tulle__mtx_read(tulle_ctx *cpu, tulle__source *source, tulle__mtx_head *head,
                             tulle__chunks *chunks) {
    reader r = {.cpu = cpu, .head = head, .chunks = chunks};
    r.blocks.source = source;
    r.blocks.room = tulle__block_room(source, cpu->place.threads);
    tulle__trouble trouble = {0};
    void *text;
    TULLE__TRY(tulle__alloc(cpu, tulle__block_bytes(&r.blocks), &text));
    r.blocks.carry = tulle__host_alloc(cpu, TULLE__LINE_LIMIT);
    tulle_status status = TULLE_OUT_OF_MEMORY;
    if (r.blocks.carry) {
        pthread_mutex_init(&r.lock, NULL);
        status = read_all(&r, head, text, &trouble);
        pthread_mutex_destroy(&r.lock);
    }
    tulle__host_free(cpu, r.blocks.carry);
    tulle__free(cpu, text);
    if (status != TULLE_OK) tulle__chunks_free(cpu, chunks);
    return status;
}
