/* SPDX-License-Identifier: Apache-2.0 */
/* Forecast of a pool's use before memory is asked for. */
#ifndef TULLE_CORE_POOL_FORECAST_H
#define TULLE_CORE_POOL_FORECAST_H

#include "core/pool.h"

/* The largest number of requests that are looked ahead. */
enum { TULLE__POOL_FORESEEN = 8 };

/* Returns the bytes that would be in use, were these requests met now, one after the other;
 * those of 0 bytes are none. A kept block may be larger than what it serves. */
size_t tulle__pool_forecast(tulle__pool *pool, const size_t bytes[], int count);

#endif
