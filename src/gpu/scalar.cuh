/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars in host memory or device memory. */
#ifndef TULLE_GPU_SCALAR_CUH
#define TULLE_GPU_SCALAR_CUH

#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

/* A scalar, such as alpha or beta: a number, or the address from which the kernel reads it. */
template <class V>
struct scalar {
    V number;
    const V *address;
    GPU_FUNCTION V value() const { return address ? *address : number; }
};

template <class V>
scalar<V> make_scalar(tulle_scalar s) {
    return {static_cast<V>(s.number), static_cast<const V *>(s.address)};
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
