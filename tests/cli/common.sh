# SPDX-License-Identifier: Apache-2.0
# The tests of the command line share this. TULLE and TULLE_LAB are the paths of the programs. Every test runs in an
# empty folder of its own, where `tulle` and `tulle-lab` are on the PATH; it goes on after a failure and reports at
# the end.
set -u
export LC_ALL=C.UTF-8
# Lines of reports are whole, and without colour; tests of windows set their own.
export COLUMNS=1000
export TERM=dumb
unset TULLE_MATRICES
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
trap 'chmod -R u+rwx "$folder"; rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/work"
ln -s "$(realpath "${TULLE:?is the path of the program}")" "$folder/bin/tulle"
ln -s "$(realpath "${TULLE_LAB:?is the path of the laboratory}")" "$folder/bin/tulle-lab"
PATH=$folder/bin:$PATH
cd "$folder/work" || exit 1
out=$folder/out
err=$folder/err
failures=0
checks=0

fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    [ -s "$err" ] && sed 's/^/    stderr: /' "$err"
}

# check WHAT COMMAND...: the command must succeed.
check() {
    local what=$1
    shift
    checks=$((checks + 1))
    "$@" || fail "$what"
}

# run CODE COMMAND...: runs it with its output in $out and $err; the exit code must be CODE.
run() {
    local want=$1 got=0
    shift
    checks=$((checks + 1))
    "$@" >"$out" 2>"$err" </dev/null || got=$?
    [ "$got" = "$want" ] || fail "exit code $got instead of $want: $*"
}

# on_terminal CODE [--columns N] [--interrupt PATTERN] COMMAND...: as run, on a terminal; see terminal.py.
on_terminal() { run "$1" python3 "$here/terminal.py" "${@:2}"; }

# Says what is not tested here and why; scripts/skipped.sh lists these lines.
skipped() {
    echo "skipped: $*"
}

# True for programs with AddressSanitizer.
is_sanitized() { nm -D "$(command -v tulle)" | grep -q __asan_init; }

# The places of this build that need no device, in `places`; the arguments come first.
find_all_places() {
    places=("$@")
    tulle spmv p2d5:3 --on emulated >"$out" 2>&1
    if [ $? = 3 ]; then
        skipped "emulated: built without the emulator"
    else
        places+=(emulated)
    fi
}

# As find_all_places, but a program with AddressSanitizer runs on the emulated GPU alone: the build
# without runs the same lines on the CPU, and the library's own tests run there with AddressSanitizer.
find_places() {
    find_all_places "$@"
    if is_sanitized && [ ${#places[@]} -gt $# ]; then
        skipped "$*: with AddressSanitizer the emulated GPU alone"
        places=(emulated)
    fi
}

# wrong_library WHAT FUNCTION PARAMETERS ARGUMENTS MATRIX: $folder/wrong.so, whose FUNCTION is the
# library's, but for a value (WRONG_VALUE in the environment) or a column (WRONG_COLUMN) of MATRIX, which
# it makes. It stands before libtulle for the loader, which AddressSanitizer does not allow: fails then.
wrong_library() {
    if is_sanitized; then
        skipped "$1: with AddressSanitizer nothing can stand before libtulle"
        return 1
    fi
    cat >"$folder/wrong.c" <<C
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <tulle/tulle.h>
#include <tulle/spgemm.h>

tulle_status $2($3) {
    __typeof__($2) *right;
    *(void **)&right = dlsym(RTLD_NEXT, "$2");
    tulle_status status = right($4);
    tulle_mat_arrays arrays;
    if (status != TULLE_OK) return status;
    tulle_mat_view(*$5, &arrays);
    if (getenv("WRONG_VALUE")) ((double *)arrays.values)[1] += 1;
    if (getenv("WRONG_COLUMN")) ((int *)arrays.cols)[2] = 8;
    return status;
}
C
    check "a library that makes $1" cc -shared -fPIC -I "$here/../../include" "$folder/wrong.c" \
        -o "$folder/wrong.so"
}

# One line on standard error, "tulle: ...", with the pattern (grep -E) in it; nothing else.
one_line_with() {
    check "nothing on standard output" test ! -s "$out"
    check "one line on standard error" test "$(wc -l <"$err")" = 1
    check "the line starts with 'tulle: '" grep -q '^tulle: ' "$err"
    check "the line says: $1" grep -Eq -- "$1" "$err"
}

# bad PATTERN COMMAND...: fails as bad input does.
bad() {
    local pattern=$1
    shift
    run 2 "$@"
    one_line_with "$pattern"
}

# judged FILE EXPRESSION: the Python expression is true of the JSON in a file. One Python answers all of
# them: its start takes longer than most of what is asked.
judged() {
    local answer=
    if [ -z "${ask:-}" ]; then
        coproc judge { exec python3 "$here/judge.py"; }
        exec {ask}>&"${judge[1]}" {hear}<&"${judge[0]}"
    fi
    printf '%s\0' "$1" "$2" >&"$ask"
    read -r answer <&"$hear"
    check "$answer: JSON where $2: $(head -c 300 "$1")" test "$answer" = yes
}

# json_where EXPRESSION: the output is JSON of which the expression over `d` is true.
json_where() { judged "$out" "$1"; }

# rows_where FILE.jsonl EXPRESSION...: each expression over the list of rows is true.
rows_where() {
    for expression in "${@:2}"; do judged "$1" "$expression"; done
}

finish() {
    echo "$checks checks, $failures failures"
    [ "$failures" = 0 ]
}
