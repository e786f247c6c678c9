/* SPDX-License-Identifier: Apache-2.0 */
/* Refusals of memory by a context's cap. */
#include <math.h>
#include <stdint.h>

#include "core/print.h"
#include "spgemm/product.h"

void tulle__spgemm_watch_cap(tulle__spgemm_run *run) {
    tulle__pool_refusal(&run->ctx->pool);
}

bool tulle__spgemm_cap_refused(tulle__spgemm_run *run, tulle_status status) {
    return status == TULLE_OUT_OF_MEMORY && tulle__pool_refusal(&run->ctx->pool) > 0;
}

void tulle__spgemm_set_refused(tulle__spgemm_run *run, bool refused) {
    run->budget.refused = refused;
}

bool tulle__spgemm_is_refused(const tulle__spgemm_run *run) {
    return run->budget.refused;
}

bool tulle__spgemm_stopped_by_cap(const tulle__spgemm_run *run, tulle_status status) {
    if (status != TULLE_OUT_OF_MEMORY) return false;
    return run->budget.refused || tulle__pool_refusal(&run->ctx->pool) > 0;
}

tulle_status tulle__spgemm_drop_kept(tulle__spgemm_run *run) {
    const tulle__place *place = &run->ctx->place;
    TULLE__TRY(run->ctx->backend->stream_wait(place->device, place->stream));
    tulle__pool_trim(&run->ctx->pool);
    return TULLE_OK;
}

bool tulle__spgemm_was_refused(tulle__spgemm_run *run, tulle_status *status) {
    if (tulle__pool_refusal(&run->ctx->pool) == 0 || *status != TULLE_OUT_OF_MEMORY) return false;
    *status = tulle__spgemm_drop_kept(run);
    return *status == TULLE_OK;
}

/* Writes bytes as "1.6GB", rounded up, which the program's --memory takes. */
static const char *enough_in_words(double bytes, char buffer[TULLE__HUMAN]) {
    static const char *const units[] = {"", "K", "M", "G", "T", "P", "E"};
    double size = 1;
    size_t unit = 0;
    while (bytes > 999 * size && unit + 1 < sizeof units / sizeof *units) {
        size *= 1000;
        unit++;
    }
    const double tenths = unit > 0 && bytes < 100 * size ? 10 : 1;
    const double figure = ceil(bytes / size * tenths) / tenths;
    tulle__print(buffer, TULLE__HUMAN, tenths > 1 ? "%.1f%sB" : "%.0f%sB", figure, units[unit]);
    return buffer;
}

/* suffices: bytes of a cap under which the same call surely is made, which may be more than needed;
 * 0: none is known. */
static tulle_status too_small(tulle__spgemm_run *run, double suffices, const char *what,
                              int64_t number) {
    const size_t has = run->ctx->pool.cap;
    char enough[TULLE__HUMAN], cap[TULLE__HUMAN];
    tulle__human_bytes((double)has, cap);
    run->budget.refused = true;
    if (suffices <= (double)has || suffices > (double)PTRDIFF_MAX) {
        return tulle__fail(TULLE_OUT_OF_MEMORY, run->function, NULL, -1,
                           "%s %lld: the context's cap of %s (%zu bytes) is too small, and which "
                           "one suffices is not known that early: try one several times as large",
                           what, (long long)number, cap, has);
    }
    return tulle__fail(TULLE_OUT_OF_MEMORY, run->function, NULL, -1,
                       "%s %lld: the context's cap of %s (%zu bytes) is too small, and a cap of %s "
                       "(%.0f bytes) suffices",
                       what, (long long)number, cap, has, enough_in_words(suffices, enough),
                       ceil(suffices));
}

tulle_status tulle__spgemm_piece_too_large(tulle__spgemm_run *run, const char *what,
                                           int64_t number) {
    return too_small(run, run->budget.stage_suffices, what, number);
}

tulle_status tulle__spgemm_group_too_large(tulle__spgemm_run *run, const char *what,
                                           int64_t number) {
    return too_small(run, run->budget.call_suffices, what, number);
}
