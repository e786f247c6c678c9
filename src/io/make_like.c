/* SPDX-License-Identifier: Apache-2.0 */
/* like: stand-ins for the matrices of the papers. The pattern is the same for every seed; the seed
 * gives the values. */
#include <string.h>

#include "io/generators.h"
#include "io/like.h"
#include "io/rows.h"

tulle_status tulle__make_like(const tulle__generation *g, tulle_mat **A) {
    size_t length = strcspn(g->numbers, ",");
    const char *option = g->numbers + length;
    tulle__like like;
    if (!tulle__like_find(g->numbers, length, &like)) {
        return tulle__fail(TULLE_NOT_FOUND, "tulle_generate", "spec", -1,
                           "\"%.60s\": the papers have no matrix of that name; usage: %s", g->spec,
                           g->generator->info.usage);
    }
    bool stored = strcmp(option, ",stored") == 0;
    if (*option && !stored) return tulle__spec_bad(g, "what does \"%.20s\" mean?", option);
    like.args.value_seed = g->seed;
    if (stored && like.matrix->symmetric) like.args.number[TULLE__CLOUD_LOWER] = 1;
    return like.transposed ? tulle__from_rows_transposed(g, &like.args, A)
                           : tulle__from_rows(g, &like.args, A);
}
