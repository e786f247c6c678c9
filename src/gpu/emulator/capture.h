/* SPDX-License-Identifier: Apache-2.0 */
/* What the emulator notes in a graph beside work: of no concern to kernels. */
#ifndef TULLE_GPU_EMULATOR_CAPTURE_H
#define TULLE_GPU_EMULATOR_CAPTURE_H

#include <functional>

#include "tulle/status.h"

namespace tulle_emu::emulator {

/* What is done at once, and again in its turn whenever the graph is launched that this host thread
 * captures; if it captures one. */
void capture_too(const std::function<tulle_status()> &step);

}  // namespace tulle_emu::emulator

#endif
