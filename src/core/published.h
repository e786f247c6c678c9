/* SPDX-License-Identifier: Apache-2.0 */
/* Folders named published/ hold kernels that follow a paper, for comparison; the README there names
 * each deviation. The build defines TULLE__PUBLISHED: 1, or 0 if its option TULLE_PUBLISHED leaves
 * these kernels out. */
#ifndef TULLE_CORE_PUBLISHED_H
#define TULLE_CORE_PUBLISHED_H

/* Rows of an X-macro list that belong to published kernels: none where the build leaves these out.
 */
#if TULLE__PUBLISHED
#define TULLE__IF_PUBLISHED(rows) rows
#else
#define TULLE__IF_PUBLISHED(rows)
#endif

#endif
