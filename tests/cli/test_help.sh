# SPDX-License-Identifier: Apache-2.0
# Every subcommand has help, and every example of it works to the letter.
source "$(dirname "$0")/common.sh"

find_places cpu

examples_of() { sed -n '/^Examples:/,/^$/s/^  //p' "$1"; }

# Of the benchmarks' the first: others take minutes, or need a GPU or a folder of matrices.
run_examples() {
    examples_of "$out" >"$folder/examples"
    [ "$1" = bench ] && sed -i 1q "$folder/examples"
    check "examples in the help of $1" test -s "$folder/examples"
    while IFS= read -r example; do
        [[ $example == *"--on emulated"* && " ${places[*]} " != *" emulated "* ]] && continue
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

# The benchmark has one screen, and a page for each operation, with the options that it takes.
for program in tulle tulle-lab; do
    run 0 env COLUMNS=80 $program bench --help
    check "one screen of $program" test "$(wc -l <"$out")" -le 24 -a "$(wc -L <"$out")" -le 80
    sed -n '/^Operations: /,/\./p' "$out" | tr '\n,' '  ' | sed 's/^Operations: //; s/\..*//' >list
    read -ra names <list
    check "operations of $program" test "${#names[@]}" -gt 40
    run 0 env COLUMNS=80 $program bench --op all --help
    check "no long lines" test "$(wc -L <"$out")" -le 80
    cp "$out" all
    for name in "${names[@]}"; do check "page of $name" grep -qw "$name" all; done
done
for name in "${names[@]}"; do
    run 0 env COLUMNS=80 tulle bench --op "$name" --help
    check "page of $name: $(sed -n 3,4p "$out")" grep -qw "$name" <(sed -n 3,4p "$out")
    check "no long lines in the page of $name" test "$(wc -L <"$out")" -le 80
done
run 0 tulle bench --op trisolve --help
check "an option of the operation" grep -q '^      --part lower' "$out"
check "none of another" sh -c "! grep -Eq '^      --(give-up|precond|explain) ' '$out'"
cp "$out" there
run 0 tulle bench --help --op trisolve
check "in any order" cmp -s there "$out"
run 2 tulle bench --op spgem --help
check "a name that there is not" grep -q "no operation 'spgem'; did you mean spgemm" "$err"

run 0 tulle --version
check "version" grep -Eq '^tulle [0-9]+\.[0-9]+\.[0-9]+ \(commit ' "$out"
finish
