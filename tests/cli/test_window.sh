# SPDX-License-Identifier: Apache-2.0
# Reports, tables and help fit the window: 80 columns where there is none; colour is on a terminal alone.
source "$(dirname "$0")/common.sh"
unset COLUMNS

run 0 tulle gen p2d5:9 a.mtx
run 0 tulle mesh make box-tet:2 -o box.msh
# fits WIDTH COMMAND...: no line of it is wider, but for names and formulas without spaces.
fits() {
    local width=$1 wide
    shift
    run 0 "$@"
    wide=$(cat "$out" "$err" | grep -E ".{$((width + 1))}" | head -n 3)
    check "no line of '$*' is wider than $width: $wide" test -z "$wide"
}

quick=(--on cpu:2 --repeat 2 --seconds 0.001)
for width in 80 60; do
    export COLUMNS=$width
    for command in 'spgemm a.mtx' 'add a.mtx a.mtx' 'transpose a.mtx' 'factor a.mtx' 'trisolve a.mtx' 'spmv a.mtx' \
        'spmm a.mtx' 'batch a.mtx --tasks 2'; do
        read -ra words <<<"$command"
        fits "$width" tulle "${words[@]}" --on cpu:2
        fits "$width" tulle "${words[@]}" --on cpu:2 --check --repeat 2
    done
    for command in 'spmv a.mtx --explain' 'spmv a.mtx --optimize 1000' 'solve a.mtx' 'solve a.mtx --plot -' \
        'solve box.msh' 'info a.mtx --rcm' 'mesh info box.msh' 'mesh make --list' 'gen --list' 'kernels' \
        'kernels spmv_csr' 'convert a.mtx b.mtx' 'tune a.mtx --on cpu:1 --mode both --calls 2' 'doctor'; do
        read -ra words <<<"$command"
        fits "$width" tulle "${words[@]}"
    done
    for command in 'a.mtx' '--op spgemm a.mtx' '--op add a.mtx' '--op trisolve a.mtx' '--op factor a.mtx' \
        '--op cg a.mtx' '--op dot 100' '--vectors 2,4 a.mtx'; do
        read -ra words <<<"$command"
        fits "$width" tulle bench "${words[@]}" "${quick[@]}" --type f64
    done
done
export COLUMNS=80
fits 80 tulle --help
mapfile -t commands < <(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$out")
for command in "${commands[@]}"; do fits 80 tulle "$command" --help; done

# What has no room is said, and is there in a wide window; without COLUMNS there are 80.
run 0 tulle bench a.mtx "${quick[@]}" --type f64
check "columns are left out" grep -q 'columns have no room for 10 %, 90 %, ' "$out"
check "said how to see them" sh -c "tr -s '\n ' ' ' <'$out' | grep -q 'COLUMNS=1[0-9]* shows them)'"
cp "$out" narrow
run 0 env -u COLUMNS tulle bench a.mtx "${quick[@]}" --type f64
check "80 columns without a window" test "$(grep -c 'have no room' "$out")" = "$(grep -c 'have no room' narrow)"
fits 80 env -u COLUMNS tulle info a.mtx --rcm
check "a picture of 80 columns" test "$(wc -L < <(env -u COLUMNS tulle info p2d5:300))" = 80
run 0 env COLUMNS=200 tulle bench a.mtx "${quick[@]}" --type f64
check "all columns" grep -Eq 'median +10 % +90 % +cold ' "$out"
check "nothing is left out" sh -c "! grep -q 'no room' '$out'"

# A terminal has a window's size, and colours.
# coloured CODE COLUMNS COMMAND...: runs it there.
coloured() { on_terminal "$1" --columns "$2" env TERM=xterm "${@:3}"; }
escape=$(printf '\033')
coloured 0 50 tulle spmv a.mtx --on cpu:1
check "two lines in 50 columns" test "$(wc -l <"$out")" = 2
coloured 0 100 tulle spmv a.mtx --on cpu:1
check "one line in 100 columns" test "$(wc -l <"$out")" = 1
coloured 0 100 tulle spmv a.mtx --on cpu:1 --check
check "right is green" grep -q "$escape\[32m: right$escape\[0m" "$out"
coloured 2 100 tulle spmv none.mtx --on cpu:1
check "an error is red" grep -q "^$escape\[1;31mtulle:$escape\[0m none.mtx: " "$out"
printf '%%%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1e-400\n' >tiny.mtx
coloured 0 100 tulle spmv tiny.mtx --on cpu:1
check "a warning is yellow" grep -q "^$escape\[33mtulle:$escape\[0m tiny.mtx:3: warning" "$out"
coloured 0 100 tulle spmv a.mtx --on cpu:1 --check --json
check "JSON is never coloured" sh -c "! grep -q '$escape' '$out'"
for refused in NO_COLOR=1 TERM=dumb TERM=; do
    coloured 2 100 env "$refused" tulle spmv none.mtx --on cpu:1
    check "no colour with $refused" sh -c "grep -q none.mtx '$out' && ! grep -q '$escape' '$out'"
done
run 2 env TERM=xterm tulle spmv none.mtx
check "no colour in a pipe" sh -c "! grep -q '$escape' '$err'"
finish
