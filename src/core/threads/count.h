/* SPDX-License-Identifier: Apache-2.0 */
/* How many cores this process has. */
#ifndef TULLE_CORE_THREADS_COUNT_H
#define TULLE_CORE_THREADS_COUNT_H

/* The cores that this process may use: of its affinity and of its control group's quota. */
int tulle__cores(void);

#endif
