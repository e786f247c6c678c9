/* SPDX-License-Identifier: Apache-2.0 */
/* A file that would compile for long is compiled in parts, side by side. Its line
 *
 *     #define TULLE__PARTS 6
 *
 * tells the build how many there are (cmake/parts.cmake): each part defines TULLE__PART, from 1 on,
 * and includes the file. Code for which TULLE__IN_PART holds is compiled in the part of that
 * number, and a file that is compiled by itself is all of its parts. */
#ifndef TULLE_CORE_PARTS_H
#define TULLE_CORE_PARTS_H

#ifdef TULLE__PART
#define TULLE__IN_PART(number) (TULLE__PART == (number))
#else
#define TULLE__IN_PART(number) 1
#endif

#endif
