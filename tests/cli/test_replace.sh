# SPDX-License-Identifier: Apache-2.0
# What stands where an output is to go: a file of another kind stays, and the command says so at once.
source "$(dirname "$0")/common.sh"

run 0 tulle gen p2d5:4 matrix.mtx
printf 'what nobody may lose\n' >notes.txt
cp notes.txt notes.mtx
printf '{\n "pretty": true\n}\n' >pretty.json

# stays FILE COMMAND...: the command is refused because of that file, which is then what it was.
stays() {
    local file=$1
    shift
    cp "$file" before
    bad "^tulle: $file: is no .*, and stays as it is" "$@"
    check "$file is what it was" cmp -s before "$file"
}

for file in matrix.mtx notes.txt; do
    stays "$file" tulle info p2d5:4 --svg "$file"
    stays "$file" tulle tune p2d5:4 --on cpu:1 --cache "$file"
    stays "$file" tulle bench p2d5:4 --json "$file"
    stays "$file" tulle tune p2d5:4 --json "$file"
    stays "$file" tulle paper 1 --out "$file"
    stays "$file" tulle spmv p2d5:4 --output "$file"
    stays "$file" tulle spmm p2d5:4 --output "$file"
    stays "$file" tulle solve p2d5:4 --output "$file"
    stays "$file" tulle solve p2d5:4 --plot "$file"
    stays "$file" tulle convert p2d5:4 new.mtx --order rcm --permutation "$file"
done
stays pretty.json tulle bench p2d5:4 --json pretty.json
cp notes.txt notes.tulle
for file in notes.mtx notes.tulle; do
    stays "$file" tulle gen p2d5:4 "$file"
    stays "$file" tulle convert matrix.mtx "$file"
    stays "$file" tulle spgemm p2d5:4 --output "$file"
    stays "$file" tulle add p2d5:4 p2d5:4 --output "$file"
    stays "$file" tulle transpose p2d5:4 --output "$file"
    stays "$file" tulle factor p2d5:4 --output-l "$file"
    stays "$file" tulle factor p2d5:4 --output-u "$file"
done
stays notes.mtx tulle trisolve p2d5:4 --output notes.mtx

# The user's own cache is a file like any other.
mkdir -p cache/tulle
cp notes.txt cache/tulle/tuning.txt
export XDG_CACHE_HOME=$PWD/cache
stays "$PWD/cache/tulle/tuning.txt" tulle tune p2d5:4 --on cpu:1 --cache user

# Files of its own kind, and empty ones, are taken.
for i in 1 2; do
    run 0 tulle info p2d5:4 --svg a.svg
    run 0 tulle solve p2d5:4 --on cpu --plot b.svg --output x.mtx
    run 0 tulle tune p2d5:4 --on cpu:1 --mode exhaustive --cache a.txt --json a.jsonl
    run 0 tulle spmv p2d5:4 --output y.mtx
    run 0 tulle gen p2d5:4 a.mtx.gz
    run 0 tulle convert matrix.mtx a.tulle --order rcm --permutation order.mtx
    run 0 tulle spgemm p2d5:4 --output c.mtx
    run 0 tulle trisolve p2d5:4 --output x.mtx
    run 0 tulle factor p2d5:4 --output-l l.mtx --output-u u.tulle
done
check "both runs are there" test "$(wc -l <a.jsonl)" = 2
: >empty.mtx
run 0 tulle gen p2d5:4 empty.mtx
check "an empty file is taken" cmp -s matrix.mtx empty.mtx
finish
