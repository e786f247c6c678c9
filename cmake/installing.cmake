# SPDX-License-Identifier: Apache-2.0
# make install, find_package(tulle), pkg-config.
