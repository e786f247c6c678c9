/* SPDX-License-Identifier: Apache-2.0 */
/* Pointers that stay in registers. Without this the compiler would compute them again at every use;
 * in an inner loop that takes more instructions than the work itself. */
#ifndef TULLE_GPU_KEPT_CUH
#define TULLE_GPU_KEPT_CUH

#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

#if defined(TULLE__EMULATOR)
template <class T>
GPU_FUNCTION const T *kept(const T *p) {
    return p;
}
template <class T>
GPU_FUNCTION shared<T> kept_shared(shared<T> p) {
    return p;
}
#else
template <class T>
GPU_FUNCTION const T *kept(const T *p) {
    asm("" : "+l"(p));
    return p;
}
template <class T>
GPU_FUNCTION shared<T> kept_shared(shared<T> p) {
    unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(p));
    asm("" : "+r"(address));
    return static_cast<T *>(__cvta_shared_to_generic(address));
}
#endif

}  // namespace TULLE_GPU_NAMESPACE

#endif
