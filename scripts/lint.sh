#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Formatting and static analysis; any finding is an error.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}

scripts/format.sh --dry-run -Werror

missing=$(git ls-files --cached --others --exclude-standard '*.c' '*.h' '*.hpp' '*.cpp' '*.cu' '*.cuh' '*.f90' '*.sh' \
    '*.py' '*.cmake' '*CMakeLists.txt' | xargs grep -L 'SPDX-License-Identifier: Apache-2.0' || true)
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

# C++, and kernels as the emulator has them. Whatever clang-tidy says is a finding, also where it only
# warns that it could not look. Another version looks for other things. tests/install is compiled outside of the build,
# and uses handles after moves on purpose.
clang_tidy=$(command -v clang-tidy-22 || command -v clang-tidy)
tidy() {
    local code=0 said
    said=$("$clang_tidy" --quiet -p build/tidy "$1" 2>&1) || code=$?
    said=$(sed -E '/^[0-9]+ warnings? generated\.$/d; /^\[[0-9]+\/[0-9]+\] .*Processing file /d' <<<"$said")
    [[ -z $said ]] || echo "$said"
    if ((code)) || [[ $said ]]; then
        echo "$1: clang-tidy: see above (exit code $code)" >&2
        return 1
    fi
}
export -f tidy
export clang_tidy
cmake --preset tidy >/dev/null
# shellcheck disable=SC2016
git ls-files -z '*.cpp' '*.cu' ':!src/gpu/cuda' ':!tests/cuda' ':!tests/install' |
    xargs -0 -P "$jobs" -n 1 bash -c 'tidy "$1"' tidy

scripts/layers.py
scripts/comments.py
scripts/mutants.py --check

# The README shows examples/solve.c.
# shellcheck disable=SC2016
diff <(sed -n '/^```c$/,/^```$/{/^```/!p}' README.md) <(sed 1,3d examples/solve.c) ||
    { echo "README.md and examples/solve.c differ" >&2; exit 1; }
echo "lint: clean"
