# SPDX-License-Identifier: Apache-2.0
# Products at every place that is there, checked by the program and, for one, by Python.
source "$(dirname "$0")/common.sh"

find_places cpu cpu:1 cpu:3

for place in "${places[@]}"; do
    for type in f32 f64; do
        for more in '' '--transpose' '--plan' '--transpose --plan --repeatable' \
            '--alpha -0.5 --beta 2' '--transpose --alpha 0 --beta 1' '--rule reguly_giles'; do
            # shellcheck disable=SC2086
            run 0 tulle spmv --check random:60,40,5 --on "$place" --type "$type" --json $more
            json_where "0 <= d['err'] <= 1 and d['type'] == '$type' and d['nnz'] == 300"
        done
    done
done

# Every kernel of the registry by name, where it runs here: with a plan where it needs one, which is said.
tulle kernels --json >"$out"
python3 -c '
import json, sys
for k in json.load(open(sys.argv[1]))["kernels"]:
    if k["operation"] == "spmv": print(k["name"], "emulated" if k["backend"] == "gpu" else "cpu",
                                     "plan" if k["needs_plan"] else "forced")' "$out" >"$folder/kernels"
check "kernels to run" test -s "$folder/kernels"
while read -r kernel place choice; do
    [[ " ${places[*]} " == *" $place "* ]] || continue
    plan=()
    if [[ $choice == plan ]]; then
        bad "$kernel runs with a plan only: --plan makes one" \
            tulle spmv --check banded:60,9 --on "$place" --kernel "$kernel"
        plan=(--plan)
    fi
    run 0 tulle spmv --check banded:60,9 --on "$place" --kernel "$kernel" "${plan[@]}" --json
    json_where "d['kernel'] == '$kernel' and d['choice'] == '$choice' and d['err'] <= 1"
done <"$folder/kernels"

# Every format, with and without options.
for format in coo csr ell ellr sell sell:slice=4,window=8 hyb hyb:width=2 csr_coo csr_coo:width=3 \
    jds jds_ell; do
    for place in "${places[@]}"; do
        run 0 tulle spmv --check random:60,40,5 --on "$place" --format "$format" --json
        json_where "d['format'] == '${format%%:*}' and d['err'] <= 1 and d['stored'] >= d['nnz']"
    done
done
run 0 tulle spmv --check p2d5:30 --on cpu --format ell
check "slots for each entry" grep -Eq 'format +ell, .* slots for each entry' "$out"
bad "there is no format 'elll'; did you mean ell" tulle spmv p2d5:3 --format elll
bad "sell has no option 'block'" tulle spmv p2d5:3 --format sell:block=3
bad "slice must be from 1 to 1024, in .slice=x." tulle spmv p2d5:3 --format sell:slice=x
bad "no option behind the last comma" tulle spmv p2d5:3 --format sell:slice=4,
bad 'window is 33; it must be 1 or a multiple of the slice' \
    tulle spmv --check p2d5:3 --on cpu --format sell:slice=32,window=33
bad 'as dia, 150000 entries would take .* slots' \
    tulle spmv --check random:30000,30000,5 --on cpu --format dia

# A kernel's name, or that without the operation's.
for name in spmv_csr_seq csr_seq; do
    run 0 tulle kernels "$name" --json
    json_where "d[0]['name'] == 'spmv_csr_seq'"
    for plan in "" --plan; do
        run 0 tulle spmv --check p2d5:5 --on cpu --kernel "$name" $plan --json
        json_where "d['kernel'] == 'spmv_csr_seq'"
    done
done
run 0 tulle spmv banded:300,9 --on cpu --json --check --repeat 20
json_where "d['ms_q10'] <= d['ms'] <= d['ms_q90'] and d['choice'] == 'rule'"
json_where "d['ms'] > 0 and d['gflops'] > 0 and d['gbs'] > 0 and d['floor'] > 0"

# The result itself: A times ones, in files, against Python.
run 0 tulle gen p2d5:5,3 a.mtx
run 0 tulle spmv --check a.mtx --on cpu --x ones --output y.mtx
check "the error is printed" grep -Eq 'error .* of the bound: right' "$out"
check "y is A times ones" python3 -c '
rows = [line.split() for line in open("a.mtx") if not line.startswith("%")]
want = [0.0] * int(rows[0][0])
for i, j, value in rows[1:]: want[int(i) - 1] += float(value)
got = [float(line) for line in open("y.mtx").read().split("\n")[2:] if line]
assert got == want, (got, want)'
run 0 tulle spmv --check a.mtx --on cpu --x y.mtx --beta 1 --y y.mtx --output z.mtx
run 0 tulle spmv --check a.mtx --on cpu:3 --x y.mtx --beta 1 --y y.mtx --output z3.mtx
check "the same bits from three threads" cmp z.mtx z3.mtx

bad 'y.mtx: is 15 x 1, but the vector must be 16 x 1' tulle spmv p2d5:4 --on cpu --x y.mtx
bad 'no_such.mtx' tulle spmv a.mtx --on cpu --x no_such.mtx
bad 'no regular file' tulle spmv a.mtx --on cpu --output /dev/null
bad 'no_such_folder' tulle spmv a.mtx --on cpu --output no_such_folder/y.mtx
check "nothing is left behind" test -z "$(find . -name 'y.mtx.*')"

# What does not fit in memory is refused before the system ends the program.
printf '%%%%MatrixMarket matrix coordinate real general\n2 2000000000000 1\n2 7 1\n' >wide.mtx
too_large='of a 2 x 2000000000000 matrix take (32.0|144) TB, and this machine has .*B of memory available'
bad "$too_large" tulle spmv --check wide.mtx --on cpu
bad "$too_large" tulle spmv --check wide.mtx --on cpu --transpose
bad 'of a 2 x 2000000000000 matrix take 10.5 PB' tulle spmm wide.mtx -K 328 --on cpu
printf '%%%%MatrixMarket matrix coordinate real general\n2000000000000 2 1\n7 2 1\n' >tall.mtx
bad "of a 2000000000000 x 2 matrix take [0-9.]* TB, and this machine has" tulle spmv tall.mtx --on cpu

# Empty shapes.
for shape in 0,0,0 5,0,0 0,5,0 5,5,0; do
    run 0 tulle spmv --check "random:$shape" --on cpu --json
    json_where "d['err'] == 0"
done

# A GPU that is not there is exit code 3; the emulator is there or is not.
if [ ! -e /dev/nvidiactl ]; then
    run 3 tulle spmv --check p2d5:3 --on cuda
    one_line_with 'cuda|CUDA|driver|GPU'
else
    skipped "a GPU that is not there: there is one"
fi
bad '"blocks:64,300" takes 35.6 TB, and this machine has ' tulle spmv blocks:64,300 --on cpu
finish
