#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# No library grows past its budget (tests/size-budget.tsv: bytes of code and data) unnoticed.
# Usage: scripts/test-size.sh BUILD            checks
#        scripts/test-size.sh BUILD --update   sets the budget to the present size and a quarter
set -euo pipefail
build=$1
budget=$(dirname "$0")/../tests/size-budget.tsv
failed=0

bytes_of() { size "$build/$1" | awk 'NR == 2 {print $1 + $2}'; }

if [[ ${2:-} == --update ]]; then
    for library in "$build"/libtulle*.so; do
        name=$(basename "$library")
        printf '%s\t%d\n' "$name" $(($(bytes_of "$name") * 5 / 4))
    done >"$budget"
    exit
fi
while IFS=$'\t' read -r name allowed; do
    [[ -e $build/$name ]] || continue
    bytes=$(bytes_of "$name")
    printf '%s: %d of %d bytes\n' "$name" "$bytes" "$allowed"
    ((bytes <= allowed)) || failed=1
done <"$budget"
((!failed)) || echo "a library is larger than tests/size-budget.tsv allows: say why there, or --update" >&2
exit $failed
