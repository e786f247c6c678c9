/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous copies and products of tiles on the emulated device. */
#ifndef TULLE_GPU_EMULATOR_TILES_CUH
#define TULLE_GPU_EMULATOR_TILES_CUH

#include "emulator/shared.cuh"

namespace tulle_emu {

template <int bytes, class T>
void copy_async(shared<T> to, const T *from, emulator::site at = emulator::site::current()) {
    static_assert(bytes == 4 || bytes == 8 || bytes == 16, "4, 8 or 16 bytes");
    static_assert(sizeof(T) % 4 == 0, "numbers of 4 bytes or more");
    to.copy_from(from, bytes / 4, at);
}
GPU_FUNCTION void copy_commit() {
    emulator::copies_committed();
}
template <int groups_left>
void copy_wait(emulator::site at = emulator::site::current()) {
    emulator::copies_awaited(groups_left, at);
}

}  // namespace tulle_emu

#endif
