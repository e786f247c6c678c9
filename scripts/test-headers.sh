#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Each public header compiles alone, as C17 and as C++17 (.hpp: as C++17 and C++20 by g++ and clang++), without a
# warning, and has the file comment without which Doxygen leaves its functions out. No C header includes a .hpp.
set -euo pipefail
cd "$(dirname "$0")/../include"
flags=(-Wall -Wextra -Wpedantic -Werror -I. -fsyntax-only)
for header in tulle/*.h; do
    code="#include <$header>"$'\n''int main(void) { return 0; }'
    cc -std=c17 "${flags[@]}" -x c - <<<"$code"
    c++ -std=c++17 "${flags[@]}" -x c++ - <<<"$code"
    if grep -q '^TULLE_BEGIN' "$header" && ! grep -Eq '^/\*\* @(file|mainpage)' "$header"; then
        echo "$header: no file comment (/** @file ... */)" >&2
        exit 1
    fi
done
for header in tulle/*.hpp; do
    code="#include <$header>"$'\n''int main() { return 0; }'
    for compiler in g++ clang++; do
        for standard in c++17 c++20; do
            "$compiler" -std="$standard" "${flags[@]}" -x c++ - <<<"$code"
        done
    done
    grep -Eq '^/\*\* @file' "$header" || { echo "$header: no file comment (/** @file ... */)" >&2; exit 1; }
done
if grep -n 'include.*\.hpp' tulle/*.h; then
    echo "a C header includes a header of C++: see above" >&2
    exit 1
fi
