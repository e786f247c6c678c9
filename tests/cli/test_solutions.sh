# SPDX-License-Identifier: Apache-2.0
# What tulle solve claims, checked by NumPy and SciPy (scripts/solutions.py): on its model problems, and
# on a folder; and that the check sees a wrong x.
source "$(dirname "$0")/common.sh"
root=$(cd "$here/../.." && pwd)
python=${TULLE_PYTHON:-/usr/bin/python3}

if ! "$python" -c 'import scipy' 2>/dev/null; then
    skipped "solutions: there is no SciPy (scripts/deps.sh peers)"
    finish
    exit
fi
solutions() { "$python" "$root/scripts/solutions.py" --tulle "$(command -v tulle)" "$@"; }

mkdir matrices
run 0 tulle gen p2d5:9,7 matrices/real.mtx
run 0 tulle gen random:5,4,2 matrices/oblong.mtx
printf '%%%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 2\n' >matrices/pattern.mtx
xz matrices/real.mtx
run 0 solutions matrices
for line in '^real +63 +283 +[1-9]e\+01 +[1-9]' '^grid +600 .* [1-9][0-9]*$' '^beam +60 +294 ' \
    '^[12][0-9][0-9] solutions: .* CONVERGED, .* compared with the direct' '^0 faults$'; do
    check "line: $line" grep -Eq "$line" "$out"
done
check "no matrix that is none" test "$(grep -cE '^(oblong|pattern) ' "$out")" = 0

# A program that halves x, and one that calls all ends the same.
mkdir wrong
real=$(command -v tulle)
export real
wrong() {
    cat >wrong/tulle
    chmod +x wrong/tulle
    run 1 "$python" "$root/scripts/solutions.py" --tulle wrong/tulle --only grid --only shifted
}
wrong <<'EOS'
#!/usr/bin/env bash
"$real" "$@"
code=$?
while (($#)); do [[ $1 == -o ]] && x=$2; shift; done
awk 'NR > 2 { $1 = sprintf("%.17g", $1 / 2) } 1' "$x" >half && mv half "$x"
exit $code
EOS
check "sees a wrong x" grep -q '^FAULT: grid, auto: CONVERGED, but |b - A x| is [0-9.]* of the limit$' "$out"
wrong <<'EOS'
#!/usr/bin/env bash
"$real" "$@" | sed 's/INDEFINITE/CONVERGED/'
exit "${PIPESTATUS[0]}"
EOS
check "sees an end that is none" grep -q '^FAULT: shifted, cg none: CONVERGED with exit code 1$' "$out"
finish
