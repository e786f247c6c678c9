# SPDX-License-Identifier: Apache-2.0
# Products at every place that is there, checked by the program and, for one, by Python.
source "$(dirname "$0")/common.sh"

places=(cpu cpu:1 cpu:3)
tulle doctor --json >"$out"
python3 -c '
import json, sys
sys.exit(not any(p["place"] == "emulated" and p["works"] for p in json.load(open(sys.argv[1]))["places"]))
' "$out" && places+=(emulated)

for place in "${places[@]}"; do
    for type in f32 f64; do
        for more in '' '--transpose' '--plan' '--transpose --plan --repeatable' \
            '--alpha -0.5 --beta 2' '--transpose --alpha 0 --beta 1' '--rule reguly_giles'; do
            # shellcheck disable=SC2086
            run 0 tulle spmv random:60,40,5 --on "$place" --type "$type" --json --repeat 0 $more
            json_where "0 <= d['err'] <= 1 and d['type'] == '$type' and d['nnz'] == 300"
        done
    done
done

# Every kernel of the registry that runs on a CPU, by name.
tulle kernels --json >"$out"
for kernel in $(python3 -c '
import json, sys
print(*[k["name"] for k in json.load(open(sys.argv[1]))["kernels"] if k["backend"] == "cpu"])' "$out"); do
    run 0 tulle spmv banded:300,9 --on cpu --kernel "$kernel" --json
    json_where "d['kernel'] == '$kernel' and d['choice'] == 'forced' and d['err'] <= 1"
    json_where "d['ms'] > 0 and d['gflops'] > 0 and d['gbs'] > 0 and d['floor'] > 0"
done

# The result itself: A times ones, in files, against Python.
run 0 tulle gen p2d5:5,3 a.mtx
run 0 tulle spmv a.mtx --on cpu --x ones --output y.mtx
check "the error is printed" grep -Eq 'error .* of the bound: right' "$out"
check "y is A times ones" python3 -c '
rows = [line.split() for line in open("a.mtx") if not line.startswith("%")]
want = [0.0] * int(rows[0][0])
for i, j, value in rows[1:]: want[int(i) - 1] += float(value)
got = [float(line) for line in open("y.mtx").read().split("\n")[2:] if line]
assert got == want, (got, want)'
run 0 tulle spmv a.mtx --on cpu --x y.mtx --beta 1 --y y.mtx --output z.mtx
run 0 tulle spmv a.mtx --on cpu:3 --x y.mtx --beta 1 --y y.mtx --output z3.mtx
check "the same bits from three threads" cmp z.mtx z3.mtx

bad 'y.mtx: is 15 x 1, but the vector must be 16 x 1' tulle spmv p2d5:4 --on cpu --x y.mtx
bad 'no_such.mtx' tulle spmv a.mtx --on cpu --x no_such.mtx
bad 'no regular file' tulle spmv a.mtx --on cpu --output /dev/null
bad 'no_such_folder' tulle spmv a.mtx --on cpu --output no_such_folder/y.mtx
check "nothing is left behind" test -z "$(find . -name 'y.mtx.*')"

# Empty shapes.
for shape in 0,0,0 5,0,0 0,5,0 5,5,0; do
    run 0 tulle spmv "random:$shape" --on cpu --json
    json_where "d['err'] == 0"
done

# A GPU that is not there is exit code 3; the emulator is there or is not.
if [ ! -e /dev/nvidiactl ]; then
    run 3 tulle spmv p2d5:3 --on cuda
    one_line_with 'cuda|CUDA|driver|GPU'
fi
finish
