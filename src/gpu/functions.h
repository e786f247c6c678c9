/* SPDX-License-Identifier: Apache-2.0 */
/* Declares every function of the backend table under this backend's name, so that a definition with
 * other arguments does not compile. Every .cu file that defines one includes this. */
#ifndef TULLE_GPU_FUNCTIONS_H
#define TULLE_GPU_FUNCTIONS_H

#include "gpu/gpu.cuh"

TULLE_BEGIN
#define F(name, arguments) tulle_status GPU_SYMBOL(name) arguments;
TULLE__FUNCTIONS(F)
#undef F
TULLE_END

#endif
