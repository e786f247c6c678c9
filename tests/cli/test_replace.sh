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
    stays "$file" tulle-lab bench p2d5:4 --json="$file"
    stays "$file" tulle tune p2d5:4 --json="$file"
    stays "$file" tulle-lab paper 1 --out "$file"
    stays "$file" tulle spmv p2d5:4 --output "$file"
    stays "$file" tulle spmm p2d5:4 --output "$file"
    stays "$file" tulle solve p2d5:4 --output "$file"
    stays "$file" tulle solve p2d5:4 --plot "$file"
    stays "$file" tulle convert p2d5:4 new.mtx --order rcm --permutation "$file"
done
stays pretty.json tulle-lab bench p2d5:4 --json pretty.json
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
    run 0 tulle spmv --check p2d5:4 --output y.mtx
    run 0 tulle gen p2d5:4 a.mtx.gz
    run 0 tulle convert matrix.mtx a.tulle --order rcm --permutation order.mtx
    run 0 tulle spgemm --check p2d5:4 --output c.mtx
    run 0 tulle trisolve --check p2d5:4 --output x.mtx
    run 0 tulle factor --check p2d5:4 --output-l l.mtx --output-u u.tulle
done
check "both runs are there" test "$(wc -l <a.jsonl)" = 2
: >empty.mtx
run 0 tulle gen p2d5:4 empty.mtx
check "an empty file is taken" cmp -s matrix.mtx empty.mtx

# An output that is an input, or two that are one file: refused before the work, and nothing is lost.
run 0 tulle gen p2d5:3 a.mtx
run 0 tulle gen p2d5:3 l.mtx
mkdir -p folder
ln -sf ../a.mtx folder/link.mtx
cp a.mtx before
for one in a.mtx ./a.mtx folder/../a.mtx folder/link.mtx; do
    bad "^tulle: factor: --output-l would replace a.mtx, which the command names, too" \
        tulle factor --check a.mtx --output-l "$one"
    check "$one is what it was" cmp -s before a.mtx
done
bad '^tulle: spgemm: --output would replace l.mtx' tulle spgemm a.mtx l.mtx -o l.mtx
bad '^tulle: transpose: --output would replace a.mtx' tulle transpose a.mtx -o a.mtx
bad '^tulle: info: --svg would replace a.mtx' tulle info a.mtx --svg a.mtx
bad '^tulle: convert: --permutation would replace new.mtx' \
    tulle convert a.mtx new.mtx --order rcm --permutation ./new.mtx
bad '^tulle: factor: --output-l and --output-u name the same file, new.mtx: it would be written twice' \
    tulle factor --check a.mtx --output-l new.mtx --output-u folder/../new.mtx
bad '^tulle: trisolve: --output and --b name the same file, l.mtx: it would be replaced' \
    tulle trisolve --check a.mtx -b l.mtx -o l.mtx
bad '^tulle: solve: --plot and --output name the same file, z.mtx: it would be written twice' \
    tulle solve a.mtx -o z.mtx --plot z.mtx
check 'nothing was written' [ ! -e new.mtx ]
check "no z.mtx either" [ ! -e z.mtx ]
run 0 tulle factor --check a.mtx -n 0 --output-l l.mtx --output-u folder/l.mtx
finish
