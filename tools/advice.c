/* SPDX-License-Identifier: Apache-2.0 */
#include "advice.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "format/formats.h"
#include "format/limits.h"
#include "matrix/rows_in_words.h"
#include "tools/common/table.h"

static bool convertible(const tool_format *format, const tulle_mat_info *matrix) {
    return format->fits && format->narrowest &&
           tulle__fill_holds(format->storage.stored, matrix->nnz, TULLE__MOST_FILL);
}

/* Inserts a candidate by its cost, the cheapest first; of equal ones the earlier stays first. */
static void insert(tool_advice *advice, const tool_candidate *candidate) {
    int at = advice->count++;
    for (; at > 0 && advice->item[at - 1].forecast.cost_bytes > candidate->forecast.cost_bytes;
         at--) {
        advice->item[at] = advice->item[at - 1];
    }
    advice->item[at] = *candidate;
}

static tulle_status consider(tulle_ctx *ctx, const tulle_mat_info *matrix,
                             const tool_format *format, tool_advice *advice) {
    tool_candidate candidate = {.format = *format};
    tulle_mat_info like = *matrix;
    like.format = format->format;
    like.index = format->index;
    like.storage = format->storage;
    tulle_status status = tulle_spmv_forecast(ctx, &like, true, &candidate.forecast);
    if (status == TULLE_OK) insert(advice, &candidate);
    return status == TULLE_UNSUPPORTED && format->format != TULLE_CSR ? TULLE_OK : status;
}

static double cost(const tool_advice *advice, int i) {
    return advice->item[i].forecast.cost_bytes;
}

double tool_advice_times_csr(const tool_advice *advice, int i) {
    return cost(advice, i) / cost(advice, advice->csr);
}

/* Formats that hold just the entries of CSR, as JDS and CSR+COO do, take about the time of CSR.
 * Where no other format comes near the time of CSR, nor near the time of the bytes that its own
 * kernel moves, CSR has a kernel that starts at once and the other formats have not. */
bool tool_advice_is_start_alone(const tool_advice *advice) {
    const double near = 2;
    if (advice->csr != 0 || advice->count < 2) return false;
    return tool_advice_times_csr(advice, 1) > near &&
           cost(advice, 1) > near * (double)advice->item[1].forecast.kernel_bytes;
}

static void choose(tool_advice *advice) {
    for (int i = 0; i < advice->count; i++) {
        if (advice->item[i].format.format == TULLE_CSR) advice->csr = i;
    }
    advice->advised =
        cost(advice, 0) <= TULLE__WORTH_BY_MODELS * cost(advice, advice->csr) ? 0 : advice->csr;
}

/* Writes a number of a layout, by the name that the format's `about` has for the number. */
static void number_called(const char *name, const tool_format *format, const tulle_mat_info *matrix,
                          char text[TOOL_HUMAN]) {
    const tulle_storage *s = &format->storage;
    double beyond = matrix->nnz ? (double)(s->stored - s->head) / (double)matrix->nnz : 0;
    text[0] = '\0';
#define N(number, called)                                                                          \
    if (!strcmp(name, #called)) tool_human_count(s->called, text);
    TULLE__EACH_NUMBER(N)
#undef N
    if (!strcmp(name, "sorted") && s->window > 1) strcpy(text, ", sorted by length");
    if (!strcmp(name, "full")) {
        snprintf(text, TOOL_HUMAN, "%.3g %%", 100 / tool_format_fill(format, matrix));
    }
    if (!strcmp(name, "share")) snprintf(text, TOOL_HUMAN, "%.3g %%", 100 * (1 - beyond));
    if (!strcmp(name, "columns")) {
        snprintf(text, TOOL_HUMAN, "%.3g", tool_format_column_bytes(format, matrix));
    }
}

/* Says in numbers what makes the layout what it is: "5 diagonals, 96 % full". */
static void describe(const tool_format *format, const tulle_mat_info *matrix, char text[TOOL_WHY]) {
    char name[16], number[TOOL_HUMAN];
    int end = 0;
    for (const char *at = tulle__format_of(format->format)->about; *at && end < TOOL_WHY - 1;) {
        if (*at == '{') {
            size_t length = strcspn(++at, "}");
            snprintf(name, sizeof name, "%.*s", (int)length, at);
            number_called(name, format, matrix, number);
            end += snprintf(text + end, (size_t)(TOOL_WHY - end), "%s", number);
            at += length + 1;
        } else {
            text[end++] = *at++;
        }
    }
    text[end < TOOL_WHY ? end : TOOL_WHY - 1] = '\0';
}

static void explain_format(const tulle_mat_info *matrix, tool_advice *advice) {
    const tool_candidate *advised = &advice->item[advice->advised];
    char text[TOOL_WHY], label[TOOL_FORMAT_LABEL];
    int rival = advice->csr == 0 ? 1 : 0;
    if (advice->advised != advice->csr) {
        describe(&advised->format, matrix, text);
        snprintf(advice->format_why, TOOL_WHY, "%.150s: modelled at %.3g times the time of csr",
                 text, tool_advice_times_csr(advice, advice->advised));
    } else if (tool_advice_is_start_alone(advice)) {
        snprintf(advice->format_why, TOOL_WHY,
                 "so small a product is over before the kernels of other formats have begun");
    } else if (rival < advice->count) {
        describe(&advice->item[rival].format, matrix, text);
        snprintf(advice->format_why, TOOL_WHY,
                 "%s comes next, modelled at %.3g times its time: %.150s",
                 tool_format_label(&advice->item[rival].format, label),
                 tool_advice_times_csr(advice, rival), text);
    } else {
        snprintf(advice->format_why, TOOL_WHY, "no other format has a kernel for it here");
    }
}

/* Finds the summary of a kernel; "" where there is no kernel of the name. */
static void find_summary(tulle_backend backend, const char *name, char text[TOOL_WHY]) {
    text[0] = '\0';
    for (int i = 0; i < tulle_kernel_count(backend); i++) {
        tulle_kernel_info info;
        if (tulle_kernel_describe(backend, i, &info) != TULLE_OK) continue;
        if (strcmp(info.name, name) == 0) snprintf(text, TOOL_WHY, "%s", info.summary);
    }
}

static void explain_kernel(const tulle_mat_info *matrix, tool_advice *advice) {
    const char *kernel = advice->item[advice->advised].forecast.kernel;
    find_summary(advice->device.backend, kernel, advice->kernel_summary);
    snprintf(advice->kernel_why, TOOL_WHY,
             "%s: mean %.4g, standard deviation %.4g, longest %" PRId64,
             tulle__rows_in_words(matrix->mean_row, matrix->sd_row, matrix->max_row),
             matrix->mean_row, matrix->sd_row, matrix->max_row);
}

tulle_status tool_advise(tulle_ctx *ctx, const tulle_mat_info *matrix, const tool_formats *formats,
                         tool_advice *advice) {
    *advice = (tool_advice){0};
    tulle_status status = tulle_ctx_device(ctx, &advice->device);
    for (int i = 0; i < formats->count && status == TULLE_OK; i++) {
        const tool_format *format = &formats->item[i];
        if (convertible(format, matrix)) status = consider(ctx, matrix, format, advice);
    }
    if (status != TULLE_OK) return status;
    choose(advice);
    explain_format(matrix, advice);
    explain_kernel(matrix, advice);
    return TULLE_OK;
}
