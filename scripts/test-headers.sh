#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Each public header compiles alone, as C17 and as C++17, without a warning, and has the file comment
# without which Doxygen leaves its functions out.
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
