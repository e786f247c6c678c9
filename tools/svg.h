/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_SVG_H
#define TOOL_SVG_H

#include "tools/common/csr.h"

/* Writes the pattern as an SVG picture of at most 256 x 256 cells, the darker the more entries
 * there are, with a title and axes. Fails with TULLE_CANCELLED or TULLE_IO_ERROR. */
tulle_status tool_write_svg(const tool_csr *A, const char *title, const char *path);

#endif
