#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The reference of the public interface, in build/docs/html.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build/docs
version=$(sed -n 's/^#define TULLE_VERSION_[A-Z]* \([0-9]*\)$/\1/p' include/tulle/version.h | paste -sd.)
sed "s/@VERSION@/$version/" docs/Doxyfile.in | doxygen -
echo "docs: build/docs/html/index.html"
