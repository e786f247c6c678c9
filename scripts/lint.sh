#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Formatting and static analysis; any finding is an error.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/format.sh --dry-run -Werror

missing=$(git ls-files --cached --others --exclude-standard '*.c' '*.h' '*.cpp' '*.cu' '*.cuh' '*.sh' '*.py' '*.cmake' \
    '*CMakeLists.txt' | xargs grep -L 'SPDX-License-Identifier: Apache-2.0' || true)
if [[ -n $missing ]]; then
    echo "no SPDX line in: $missing" >&2
    exit 1
fi

git ls-files -z '*.sh' .ci/run | xargs -0 shellcheck

cppcheck --quiet --std=c17 --language=c --error-exitcode=1 --inline-suppr \
    --enable=warning,performance,portability --suppress=missingIncludeSystem \
    --suppressions-list=scripts/cppcheck-suppressions.txt \
    -j "${JOBS:-$(nproc)}" -Iinclude -Isrc -D__x86_64__ src tools bench tests examples
echo "lint: clean"
