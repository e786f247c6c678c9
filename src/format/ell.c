/* SPDX-License-Identifier: Apache-2.0 */
/* ELL (GPU Teaching Kit: transposed and padded) and ELL-R (Vazquez et al. 2011: with the lengths of
 * rows). */
#include "format/lay_out.h"

tulle_status tulle__lay_out_ell(tulle__layout_job *job) {
    tulle_storage *s = &job->draft.storage;
    s->width = job->stats->max_row;
    s->stride = tulle__stride_of(job->draft.rows);
    TULLE__TRY(tulle__slots(job, s->width, s->stride, &s->stored));
    return tulle__layout_alloc(job);
}
