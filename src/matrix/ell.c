/* SPDX-License-Identifier: Apache-2.0 */
/* ELL (GPU Teaching Kit: transposed and padded) and ELL-R (Vazquez et al. 2011: with lengths). */
#include "matrix/layout.h"

tulle_status tulle__plan_ell(tulle__layout_job *job) {
    const tulle__pattern *csr = tulle__job_csr(job);
    tulle_storage *s = &job->draft.storage;
    s->width = csr->stats.max_row;
    s->stride = tulle__stride_of(csr->rows);
    TULLE__TRY(tulle__slots(job, s->width, s->stride, &s->stored));
    return tulle__layout_alloc(job);
}
