#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs clang-format over every C, C++ and CUDA source. Another version formats otherwise.
# Usage: scripts/format.sh -i               formats
#        scripts/format.sh --dry-run -Werror   checks
set -euo pipefail
cd "$(dirname "$0")/.."
version=14
tool=$(command -v clang-format-$version || command -v clang-format)
[[ $("$tool" --version) == *"version $version."* ]] || {
    echo "clang-format $version is needed; this is $("$tool" --version)" >&2
    exit 1
}
git ls-files -z --cached --others --exclude-standard '*.c' '*.h' '*.hpp' '*.cpp' '*.cu' '*.cuh' |
    xargs -0 "$tool" "$@"
