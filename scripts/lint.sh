#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Formatting and static analysis; any finding is an error.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}

scripts/format.sh --dry-run -Werror

missing=$(git ls-files --cached --others --exclude-standard '*.c' '*.h' '*.cpp' '*.cu' '*.cuh' '*.sh' '*.py' '*.cmake' \
    '*CMakeLists.txt' | xargs grep -L 'SPDX-License-Identifier: Apache-2.0' || true)
if [[ -n $missing ]]; then
    echo "no SPDX line in: $missing" >&2
    exit 1
fi

git ls-files -z '*.sh' .ci/run |
    xargs -0 shellcheck --shell=bash --external-sources --source-path=SCRIPTDIR --exclude=SC2015,SC2034,SC2054

git ls-files '*.c' |
    cppcheck --quiet --std=c17 --language=c --error-exitcode=1 --inline-suppr --file-list=- \
        --enable=warning,performance --suppress=missingIncludeSystem \
        --suppressions-list=scripts/cppcheck-suppressions.txt -j "$jobs" -Iinclude -Isrc \
        -D__x86_64__ --template='{file}:{line}: {id}: {message}'

scripts/layers.py
scripts/mutants.py --check

# The README shows examples/product.c.
# shellcheck disable=SC2016
diff <(sed -n '/^```c$/,/^```$/{/^```/!p}' README.md) <(sed 1,2d examples/product.c) ||
    { echo "README.md and examples/product.c differ" >&2; exit 1; }
echo "lint: clean"
