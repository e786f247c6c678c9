#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs tulle's GPU tests, the benchmark and the papers' experiments on a machine with a driver and
# nothing else; "run.sh" of the archive that `make gpu-bundle` makes.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)

usage() {
    cat <<TXT
Usage: ./run.sh [OPTION]... [-- ARGUMENT...]

Runs the GPU tests, then the benchmark, and ends with a table. Exit code 1 when a test failed.

  --only tests|sanitize|bench|papers  one part; may be repeated (default: tests and bench)
  --tool TOOL        for sanitize: memcheck, racecheck, synccheck, initcheck; may be repeated
                     (default: the first three)
  --test NAME        only this test; may be repeated
  --minutes N        stop after N minutes (default 9)
  --shard i/n        every n-th test and matrix, from the i-th on
  --matrices DIR     matrices of the benchmark that are given by name
  --out DIR          results (default ./results): tests.jsonl, tests.log, bench.jsonl; what
                     bench.jsonl has already is left out; papers/N.jsonl and
                     papers/N-profile.jsonl are made anew
  ARGUMENT...        for tulle bench, such as '--set FILE', a matrix, '--kernel NAME --sweep'
                     (default: --set smoke); with --only papers for tulle-lab paper, such as '--quick'

Examples:
  ./run.sh --out /tmp/results --minutes 9
  ./run.sh --only sanitize --tool racecheck --shard 1/2
  ./run.sh --only bench -- p3d7 p3d27 --type f64 --sweep
  ./run.sh --only papers --matrices DIR
TXT
}

die() {
    echo "run.sh: $*" >&2
    exit 2
}

parts=() tools=() tests=() minutes=9 shard=1/1 matrices='' out=results
while (($#)); do
    case $1 in
    -h | --help)
        usage
        exit 0
        ;;
    --)
        shift
        break
        ;;
    --only | --tool | --test | --minutes | --shard | --matrices | --out)
        (($# > 1)) || die "$1 needs a value"
        case $1 in
        --only) parts+=("$2") ;;
        --tool) tools+=("$2") ;;
        --test) tests+=("$2") ;;
        --minutes) minutes=$2 ;;
        --shard) shard=$2 ;;
        --matrices) matrices=$2 ;;
        --out) out=$2 ;;
        esac
        shift 2
        ;;
    *) die "unknown option $1 (see --help)" ;;
    esac
done
((${#parts[@]})) || parts=(tests bench)
((${#tools[@]})) || tools=(memcheck racecheck synccheck)
[[ $minutes =~ ^[1-9][0-9]*$ ]] || die "--minutes: '$minutes' is no number of minutes"
[[ $shard =~ ^([0-9]+)/([0-9]+)$ ]] || die "--shard: '$shard' is not i/n"
number=${BASH_REMATCH[1]} count=${BASH_REMATCH[2]}
((1 <= number && number <= count)) || die "--shard: '$shard' is not i/n with 1 <= i <= n"
deadline=$((SECONDS + minutes * 60))
left() { echo $((deadline - SECONDS)); }

mkdir -p "$out" || die "--out: '$out' cannot be made"
out=$(cd "$out" && pwd)
export TULLE_BENCH=$here/bench TULLE_PEERS=$here/lab/peers TULLE_TEST_WHERE=cuda TULLE_TEST_REQUIRE=cuda
commit=$(<"$here/commit")

# cuSPARSE and cuBLAS are peers of the benchmark where the machine has them: the loader's, the
# toolkit's, or those of Python packages, whose own libraries are spread over several folders.
find_peers() {
    local site folder found folders=(/usr/local/cuda*/lib64)
    found=$(ldconfig -p 2>/dev/null | grep -o 'libcu\(sparse\|blas\|solver\)\.so\.1[0-9] ' | cut -d. -f1 | sort -u | wc -l)
    ((found == 3)) && return
    while read -r site; do
        folders+=("$site"/nvidia/*/lib)
    done < <(python3 -c 'import sys; print(*sys.path, sep="\n")' 2>/dev/null)
    for folder in "${folders[@]}"; do
        [[ -d $folder ]] || continue
        export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$folder
        for file in "$folder"/libcusparse.so.1[0-9]; do
            [[ -e $file && -z ${TULLE_CUSPARSE:-} ]] && export TULLE_CUSPARSE=$file
        done
        for file in "$folder"/libcublas.so.1[0-9]; do
            [[ -e $file && -z ${TULLE_CUBLAS:-} ]] && export TULLE_CUBLAS=$file
        done
        for file in "$folder"/libcusolver.so.1[0-9]; do
            [[ -e $file && -z ${TULLE_CUSOLVER:-} ]] && export TULLE_CUSOLVER=$file
        done
    done
}

find_sanitizer() {
    local file
    for file in $(command -v compute-sanitizer) /usr/local/cuda*/bin/compute-sanitizer; do
        [[ -x $file ]] && echo "$file" && return
    done
}

results=() failed=0
note() { # test, tool, result, seconds
    printf '{"test":"%s","tool":"%s","result":"%s","seconds":%d,"commit":"%s"}\n' \
        "$1" "$2" "$3" "$4" "$commit" >>"$out/tests.jsonl"
    results+=("$(printf '%-24s %-10s %-12s %5d s' "$1" "$2" "$3" "$4")")
    [[ $3 == passed || $3 == unavailable ]] || failed=1
}

run_test() { # test, tool, command
    local test=$1 tool=$2 start=$SECONDS result=passed code log
    shift 2
    if (($(left) < 5)); then
        note "$test" "$tool" "no time" 0
        return
    fi
    log=$(mktemp)
    timeout -k 5 "$(left)" "$@" "$here/tests/$test" >"$log" 2>&1
    code=$?
    ((code == 0)) || result=failed
    ((code == 124 || code == 137)) && result="no time"
    [[ $tool != none ]] && grep -q 'Device not supported' "$log" && result=unavailable
    { echo "=== $test ($tool): $result, exit code $code"; cat "$log"; } >>"$out/tests.log"
    [[ $result == failed ]] && tail -n 20 "$log"
    rm -f "$log"
    note "$test" "$tool" "$result" $((SECONDS - start))
}

minutes_left() { printf '%d.%02d' $(($(left) / 60)) $(($(left) % 60 * 100 / 60)); }

run_paper() { # number, file of rows, argument...
    local paper=$1 file=$2
    shift 2
    if (($(left) < 10)); then
        echo "run.sh: no time is left for paper $paper"
        failed=1
        return
    fi
    timeout -k 5 $(($(left) + 30)) "$here/bin/tulle-lab" paper "$paper" --on cuda --out "$file" \
        --minutes "$(minutes_left)" ${matrices:+--matrices "$matrices"} "$@" \
        >>"$out/papers/tables.txt" || failed=1
}

mapfile -t all <"$here/tests/list"
if ((!${#tests[@]})); then
    for ((i = number - 1; i < ${#all[@]}; i += count)); do tests+=("${all[i]}"); done
fi

for part in "${parts[@]}"; do
    case $part in
    tests)
        for test in "${tests[@]}"; do run_test "$test" none; done
        ;;
    sanitize)
        sanitizer=$(find_sanitizer)
        for tool in "${tools[@]}"; do
            # Rows of solve_near look at numbers in shared memory until they are there, by strong
            # loads and stores (ld.relaxed, st.relaxed), which PTX does not call a race. racecheck
            # takes them for plain ones. The emulator watches the same kernel.
            excluded=()
            [[ $tool == racecheck ]] && excluded=(--kernel-regex-exclude kns=solve_near)
            for test in "${tests[@]}"; do
                if [[ $sanitizer ]]; then
                    run_test "$test" "$tool" "$sanitizer" --tool "$tool" --error-exitcode 99 \
                        "${excluded[@]}"
                else
                    note "$test" "$tool" unavailable 0
                fi
            done
        done
        ;;
    bench)
        find_peers
        arguments=("$@")
        (($#)) || arguments=(--set smoke)
        if (($(left) > 10)); then
            timeout -k 5 $(($(left) + 30)) "$here/bin/tulle-lab" bench --on cuda \
                --json "$out/bench.jsonl" --resume "$out/bench.jsonl" --shard "$shard" \
                --minutes "$(minutes_left)" ${matrices:+--matrices "$matrices"} \
                "${arguments[@]}" || failed=1
        else
            echo "run.sh: no time is left for the benchmark"
            failed=1
        fi
        ;;
    papers)
        find_peers
        mkdir -p "$out/papers"
        rm -f "$out"/papers/{1,2,3,4,5}.jsonl "$out"/papers/{1,2,3,5}-profile.jsonl "$out/papers/tables.txt"
        for paper in 1 2 3 4 5; do run_paper $paper "$out/papers/$paper.jsonl" "$@"; done
        for paper in 1 2 3 5; do run_paper $paper "$out/papers/$paper-profile.jsonl" --profile "$@"; done
        ;;
    *) die "--only: there is no part '$part'" ;;
    esac
done

((${#results[@]})) && printf '%s\n' "" "${results[@]}"
exit $failed
