/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the matrices "tile": K copies of another specification along the diagonal. K stands behind
 * the last colon, so that the other specification may have colons of its own. */
#include <string.h>

#include "io/generators.h"

tulle_status tulle__make_tile(const tulle__generation *g, tulle_mat **A) {
    const char *colon = strrchr(g->numbers, ':');
    if (!colon || colon == g->numbers) return tulle__spec_bad(g, "SPEC or K is missing");
    tulle__spec_number n[] = {{"K", 1, INT32_MAX, true, 0}};
    tulle__generation behind = *g;
    behind.numbers = colon + 1;
    int given;
    TULLE__TRY(tulle__spec_numbers(&behind, n, 1, 1, &given));

    size_t length = (size_t)(colon - g->numbers);
    char *spec = tulle__host_alloc(g->ctx, length + 1);
    if (!spec) return TULLE_OUT_OF_MEMORY;
    memcpy(spec, g->numbers, length);
    tulle_mat *one = NULL;
    tulle_status status = tulle__generate(g->ctx, spec, g->seed, g->type, NULL, &one);
    tulle__host_free(g->ctx, spec);
    if (status == TULLE_OK) status = tulle_mat_tile(g->ctx, one, (int64_t)n[0].value, A);
    tulle_mat_destroy(one);
    return status;
}
