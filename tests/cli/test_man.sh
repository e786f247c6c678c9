# SPDX-License-Identifier: Apache-2.0
# The man pages, which scripts/man.sh makes from the help: each has its own name, lists stand apart, and
# an example is a line.
source "$(dirname "$0")/common.sh"
if ! command -v help2man groff >/dev/null || ! groff -man -Tascii /dev/null >"$out" 2>&1; then
    skipped "man pages: help2man or groff is not installed"
    finish
    exit
fi

run 0 "$here/../../scripts/man.sh" "$(command -v tulle)" pages
check "nothing is said" test ! -s "$err"
run 0 tulle --help
mapfile -t commands < <(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$out")
check "a page of each command" test "$(find pages -name 'tulle*.1' | wc -l)" = $((${#commands[@]} + 1))
for name in tulle "${commands[@]/#/tulle-}"; do
    check "$name is the name of its page" grep -q "^${name/-/\\\\-} \\\\- ." "pages/$name.1"
    # -rLL: wide lines, so that a line of a page is one here; without bold and underlined characters.
    run 0 groff -man -Tascii -ww -rLL=200n -P-cbou "pages/$name.1"
    check "no remark on $name" test ! -s "$err"
    cp "$out" "$name.txt"
    sed 's/^ *//' "$name.txt" >unindented
    command=${name#tulle} # nothing, or a subcommand behind a dash
    tulle ${command:+"${command#-}"} --help | sed -n '/^Examples:/,/^$/s/^  //p' >examples
    [ "$name" = tulle-bench ] && continue # whose page has the examples of all operations
    while IFS= read -r example; do
        check "an example of $name on a line: $example" grep -qxF -- "$example" unindented
    done <examples
done
check "the list of preconditioners begins a paragraph" grep -qx '   Preconditioners:' tulle-solve.txt
check "and the text before it ends one" test -z "$(grep -B 1 '^   Preconditioners:' tulle-solve.txt | head -n 1)"
check "the first of them" grep -qx '       none   nothing' tulle-solve.txt
check "the version is in the last line" grep -q '^tulle [0-9.]* .*TULLE-SOLVE(1)$' tulle-solve.txt
finish
