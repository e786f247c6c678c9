/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_EXPORT_H
#define TULLE_EXPORT_H

/** Marks what a tulle library exports; everything else is hidden. */
#if defined(__GNUC__)
#define TULLE_API __attribute__((visibility("default")))
#else
#define TULLE_API
#endif

#ifdef __cplusplus
#define TULLE_BEGIN extern "C" {
#define TULLE_END }
#else
#define TULLE_BEGIN
#define TULLE_END
#endif

/**
 * Stands before a small function that a header defines: for host code and, with nvcc, device code.
 */
#if defined(__CUDACC__)
#define TULLE_INLINE static inline __host__ __device__
#else
#define TULLE_INLINE static inline
#endif

/** Stands before a small function that a header defines, for host code alone. */
#define TULLE_HOST_INLINE static inline

#endif
