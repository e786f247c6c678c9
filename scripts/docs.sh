#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The reference of the public interface, in build/docs/html.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build/docs
version=$(sed -n 's/^#define TULLE_VERSION_[A-Z]* \([0-9]*\)$/\1/p' include/tulle/version.h | paste -sd.)
sed "s/@VERSION@/$version/" docs/Doxyfile.in | doxygen -
# The rows of X-macros are there as enumerators.
sed -n 's/^ *X(\([A-Z0-9_]*\), .*/\1/p' include/tulle/*.h | while read -r name; do
    grep -Erq "fieldname.*>(TULLE_)?$name&" build/docs/html --include='*_8h.html' ||
        { echo "docs: the reference lacks the enumerator $name" >&2; exit 1; }
done
echo "docs: build/docs/html/index.html"
