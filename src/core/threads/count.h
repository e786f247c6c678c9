/* SPDX-License-Identifier: Apache-2.0 */
/* The number of cores that this process has. */
#ifndef TULLE_CORE_THREADS_COUNT_H
#define TULLE_CORE_THREADS_COUNT_H

/* Number of cores that this process may use: by its affinity and its control group's quota. */
int tulle__cores(void);

#endif
