/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands that tulle-lab has beside those of tulle (tools/subcommands.h), in the same form.
 */
#ifndef LAB_SUBCOMMANDS_H
#define LAB_SUBCOMMANDS_H

#define LAB_SUBCOMMANDS(X) X(paper, "the experiments of a paper, repeated here")

#define X(name, summary) int tulle_tool_##name(int argc, char **argv);
LAB_SUBCOMMANDS(X)
#undef X

#endif
