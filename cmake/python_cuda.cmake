# SPDX-License-Identifier: Apache-2.0
# What the Python package tulle-cuda consists of; pip builds it by python/cuda/pyproject.toml. A wheel has no links: one
# file, by the name that libtulle looks for.
get_target_property(soversion tulle SOVERSION)
set_target_properties(tulle-cuda PROPERTIES VERSION ${soversion})
install(TARGETS tulle-cuda LIBRARY DESTINATION tulle_cuda/lib NAMELINK_SKIP)
# Of the C++ library inside, what nothing calls is left out: in Debian 12 that needs a later glibc than all the rest.
target_link_options(tulle-cuda PRIVATE -Wl,--gc-sections)
