# SPDX-License-Identifier: Apache-2.0
# Every subcommand has help, and every example of it works to the letter.
source "$(dirname "$0")/common.sh"

examples_of() { sed -n '/^Examples:/,/^$/s/^  //p' "$1"; }

# Of the benchmarks' the first: others take minutes, or need a GPU or a folder of matrices.
run_examples() {
    examples_of "$out" >"$folder/examples"
    [ "$1" = bench ] && sed -i 1q "$folder/examples"
    check "examples in the help of $1" test -s "$folder/examples"
    while IFS= read -r example; do
        run 0 sh -c "$example"
        check "output of: $example" test -s "$out"
    done <"$folder/examples"
}

run 0 tulle --help
check "the overview is what it was" diff "$here/golden/help.txt" "$out"
mapfile -t commands < <(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$out")
check "seventeen commands" test "${#commands[@]}" = 17
run_examples overview

for command in "${commands[@]}"; do
    run 0 tulle help "$command"
    cp "$out" "$folder/help"
    run 0 tulle "$command" --help
    check "help $command and $command --help agree" cmp "$folder/help" "$out"
    check "usage of $command" grep -q "^Usage: tulle $command " "$out"
    check "no long lines in the help of $command" test "$(awk 'length > 100' "$out" | wc -l)" = 0
    run_examples "$command"
done

run 0 tulle --version
check "version" grep -Eq '^tulle [0-9]+\.[0-9]+\.[0-9]+ \(commit ' "$out"
finish
