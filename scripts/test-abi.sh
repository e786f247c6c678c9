#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A program that was compiled against a release of the same soname (0.MINOR) goes on to work: the types
# of all functions in include/tulle, and of the structs that they take, are as in the newest tag
# v0.MINOR.PATCH. Functions may be new, structs of options may have more fields at their end, and
# tulle/advanced.h may change in any release.
# The types are read from an object file that has a pointer to each function, so that nothing is built.
# Usage: scripts/test-abi.sh
set -euo pipefail
root=$(realpath "$(dirname "$0")/..")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

pointers() { # FOLDER of headers, which becomes FOLDER.so
    rm -f "$1/tulle/advanced.h"
    find "$1/tulle" -name '*.h' -printf '#include "%p"\n' | sort >"$1.c"
    cat "$1"/tulle/*.h | tr '\n' ' ' | grep -oE 'TULLE_API [^();]*\(' |
        sed -n 's/.*[ *]\(tulle_[a-z0-9_]*\) *($/__typeof__(\&\1) to_\1;/p' | sort -u >>"$1.c"
    cc -std=gnu17 -g -shared -fPIC -I . "$1.c" -o "$1.so"
}
cat >longer-options <<'EOF'
[suppress_type]
type_kind = struct
name_regexp = ^tulle_.*_options$
has_data_member_inserted_at = end
EOF
same() { abidiff --suppressions longer-options --no-added-syms "$1.so" "$2.so" >report; }

cp -r "$root/include" now
pointers now

# The comparison sees what it is for: another type of a struct's field, a function that is gone, and a
# field of options that is not at their end; it lets options have more at their end.
cp -r now field
sed -i 's/int64_t rows/int32_t rows/' field/tulle/matrix.h
cp -r now gone
sed -i 's/tulle_mat_describe/tulle_mat_inspect/' gone/tulle/matrix.h
cp -r now moved
sed -i 's/^typedef struct tulle_add_options {/&\n    int64_t earlier;/' moved/tulle/add.h
cp -r now longer
sed -i 's/^} tulle_add_options;/    int64_t later;\n&/' longer/tulle/add.h
for change in field gone moved; do
    pointers $change
    if same now $change; then
        echo "FAILED: a change of the interface was not seen: $change" >&2
        exit 1
    fi
done
pointers longer
same now longer || {
    cat report
    echo "FAILED: more fields at the end of options were taken for a change" >&2
    exit 1
}

series=$(sed -n 's/^#define TULLE_VERSION_\(MAJOR\|MINOR\) *//p' now/tulle/version.h | paste -sd .)
release=$(git -C "$root" tag --list "v$series.*" --sort=-version:refname 2>/dev/null | head -n 1)
if [[ -z $release ]]; then
    echo "skipped: the interface against the last release: there is no tag v$series.*"
    exit 0
fi
git -C "$root" archive --prefix=release/ "$release:include" | tar -x
pointers release
same release now || {
    cat report
    echo "FAILED: programs compiled against $release would break: TULLE_VERSION_MINOR has to grow" >&2
    exit 1
}
