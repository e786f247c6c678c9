#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The loader never looks where whoever started the program happens to be: no run path of a program or a
# library under the folder has an empty element, which is the current folder, or a relative one.
# Usage: scripts/test-run-paths.sh FOLDER
set -euo pipefail
mapfile -d '' files < <(find "$1" -type f \( -perm -100 -o -name '*.so' -o -name '*.so.*' \) \
    -exec sh -c 'head -c 4 "$1" | grep -q "^.ELF"' sh {} \; -print0)
((${#files[@]})) || { echo "$1: no program and no library is in there" >&2; exit 1; }
# "File: NAME", then the lines of its dynamic section; of one file alone readelf would leave the name out.
LC_ALL=C readelf -d "${files[@]}" "${files[0]}" | awk '
    /^File: / { file = substr($0, 7) }
    /\((RPATH|RUNPATH)\)/ {
        path = $0
        sub(/^[^[]*\[/, "", path)
        sub(/\][^]]*$/, "", path)
        count = split(path, part, ":")
        if (!count) part[count = 1] = ""
        for (i = 1; i <= count; i++) {
            if (part[i] ~ /^\// || part[i] ~ /^\$ORIGIN(\/|$)/ || part[i] ~ /^\$\{ORIGIN\}(\/|$)/) continue
            print file ": the run path [" path "] has the element \"" part[i] "\""
            bad = 1
        }
        delete part
    }
    END { exit bad }' >&2
