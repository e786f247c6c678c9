# SPDX-License-Identifier: Apache-2.0
# Factors at every place that is there, checked by the program and, for some, by Python.
source "$(dirname "$0")/common.sh"

find_places cpu cpu:3

# All kinds, levels of fill, readings and types.
for place in "${places[@]}"; do
    for more in '' '--fill 1' '--fill all --order rcm' '--fill all --order amd' '--reads lower --fill 2' \
        '--kind cholesky' '--kind cholesky --reads upper --fill all --shift 0.25' \
        '--kind cholesky --reads lower --fill 1 --order rcm' '--modified 0.5 --type f32' \
        '--single --fill 1' '--tiny 0.6 --boost' '--format bsr:block=3 --order rcm --fill 1' \
        '--format bsr:block=4 --inverted --reads upper' '--format bsr:block=7 --shift 1' \
        '--format bsr:block=4 --single --modified 1' '--format bsr:block=2 --fill all --order nd'; do
        # shellcheck disable=SC2086
        run 0 tulle factor --check random:60,60,4 --dominant --on "$place" --json $more
        json_where "(d['op'] == 'factor' and 0 < d['err'] <= 1 and d['backend'] == '${place%%:*}' and
            d['factors']['levels'] > 1 and d['factors']['bytes'] > 0 and d['pivots']['bad'] == 0 and
            d['growth'] > 0 and d['first_ms'] > 0 and 'update' not in d and 'solve' not in d)"
    done
done
run 0 tulle factor --check p2d5:6,5 --on cpu --json --repeat 3
json_where "(d['kind'], d['fill'], d['reads'], d['order']) == ('lu', 0, 'all', 'none')"
json_where "d['a']['nnz'] == 128 and d['factorised']['format'] == 'csr' and d['kernel'] is None"
json_where "[d['factors'][k] for k in ('nnz_a', 'nnz_l', 'nnz_u', 'ratio', 'block', 'levels')] == [128, 49, 79, 1, 1, 10]"
json_where "d['factors']['type'] == 'f64' and d['factors']['flops'] == 0 and d['analysis_ms'] > 0"
json_where "all(0 < d[k]['ms_q10'] <= d[k]['ms'] <= d[k]['ms_q90'] for k in ('update', 'solve'))"
json_where "0 < d['richardson'] < 1 and d['richardson_steps'] == 10"
json_where "not d['dominant'] and not d['boost'] and not d['inverted'] and d['modified'] == d['shift'] == d['tiny'] == 0"
json_where "d['pivots'] == {'tiny': 0, 'tiny_row': -1, 'bad': 0, 'bad_row': -1}"
run 0 tulle factor --check p2d5:6,5 --on cpu --json --fill all --single --dominant --seed 7
json_where "d['fill'] == 'all' and d['factors']['type'] == 'f32' and d['type'] == 'f64'"
json_where "d['factors']['flops'] > 0 and d['factors']['ratio'] > 1 and d['dominant']"
# Exact factors but for rounding leave nothing after a few steps.
json_where "d['richardson'] < 1e-5 and d['richardson_steps'] <= 2"
# On a grid, orders made for it leave less fill than a band has.
for order in none rcm amd nd; do
    run 0 tulle factor --check p2d5:40 --fill all --order "$order" --on cpu --json
    json_where "d['order'] == '$order'"
    python3 -c 'import json, sys; print(json.load(sys.stdin)["factors"]["ratio"])' <"$out" >"fill-$order"
done
python3 -c '
none, rcm, amd, nested = (float(open("fill-" + o).read()) for o in ("none", "rcm", "amd", "nd"))
assert rcm < none and amd < 0.6 * rcm and nested < 0.6 * rcm, (none, rcm, amd, nested)'
run 0 tulle factor --check p2d5:6 --fill all --order nd --on cpu
grep -q '^  order     nested dissection, in ' "$out"
run 0 tulle factor --check p2d5:6,5 --format bsr:block=2 --on cpu --json
json_where "d['factorised']['format'] == 'bsr' and d['factors']['block'] == 2"

# Two numbers of the quality by hand: A is twice the identity, of whose shift by 1 the factors are,
# and so (L U)^-1 A is half of the identity, and half of the residual is left.
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 2\n2 2 2\n3 3 2\n' >two.mtx
for place in "${places[@]}"; do
    run 0 tulle factor --check two.mtx --shift 1 --on "$place" --json
    json_where "d['growth'] == 0.5 and abs(d['richardson'] - 0.5) < 1e-12 and d['richardson_steps'] == 10"
    run 0 tulle factor --check two.mtx --shift -0.75 --on "$place" --json
    json_where "d['growth'] == 4 and abs(d['richardson'] - 3) < 1e-12"
    run 0 tulle factor --check two.mtx --on "$place" --json
    json_where "d['growth'] == 1 and d['richardson'] == 0 and d['richardson_steps'] == 1"
done
# Where one triangle is read, A is what that means.
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2\n2 1 1\n2 2 2\n' >half.mtx
run 0 tulle factor --check half.mtx --reads lower --on cpu --json
json_where "d['richardson'] < 1e-12 and d['factors']['nnz_u'] == 3"
run 0 tulle factor --check half.mtx --kind cholesky --reads lower --on cpu --json
json_where "d['richardson'] < 1e-12 and d['factors']['nnz_l'] == 3 and d['factors']['nnz_u'] == 0"

# Every kernel by its name, where it runs here, on blocks where it takes these alone; and by a name
# without the operation's.
tulle kernels --json >"$out"
python3 -c '
import json, sys
for k in json.load(open(sys.argv[1]))["kernels"]:
    if k["operation"] == "factor":
        print(k["name"], "emulated" if k["backend"] == "gpu" else "cpu", k["format"])' "$out" >"$folder/kernels"
check "kernels to run" test -s "$folder/kernels"
while read -r kernel place format; do
    [[ " ${places[*]} " == *" $place "* ]] || continue
    [ "$format" = bsr ] && format=bsr:block=4
    for name in "$kernel" "${kernel#factor_}"; do
        run 0 tulle factor --check p3d7:5 --on "$place" --json --kernel "$name" --format "$format"
        json_where "d['kernel'] == '$name' and d['err'] <= 1"
    done
done <"$folder/kernels"

# The published names.
for place in "${places[@]}"; do
    run 0 tulle factor --check p3d7:4 --on "$place" --json --kernel factor_bsr_lu --format bsr:block=2
    json_where "d['err'] <= 1"
    run 0 tulle trisolve --check p3d7:4 --on "$place" --json --kernel factor_bsr_solve --format bsr:block=2
    json_where "d['err'] <= 1"
done
run 0 tulle kernels factor_bsr_lu
check "its own name" grep -q '^  also called  factor_bsr_lu$' "$out"
for name in multivector_axpy:combine multivector_dot:inner multivector_qr:qr; do
    run 0 tulle kernels "${name%:*}"
    check "${name%:*}" grep -q "^  function     tulle_vec_${name#*:} " "$out"
    name=${name%:*}
    run 0 tulle-lab bench --op "$name" --on cpu --vectors 4 --type f64 --repeat 1 --seconds 0.001 --peers none 100
done

# What people are told.
run 0 tulle factor --check p2d5:6,6 --dominant --on cpu --repeat 2 --format bsr:block=2 --kernel factor_rows \
    --fill 1 --modified 0.5 --shift 0.1 --inverted --order rcm
for line in 'task      L U of A, whose diagonal was made dominant, fill up to level 1, modified by 0.5, the' \
    'place     cpu, ' 'kernel    factor_rows$' 'format    bsr, blocks of 2 x 2, ' \
    'order     reverse Cuthill-McKee, in ' 'levels    [1-9][0-9]*, of 36 rows$' \
    "factors   L has [0-9]+ and U [0-9]+ blocks, [0-9.]+ times A's; f64, " 'analysis  [0-9]' \
    'pivots    none is tiny$' 'error     .* of the bound: right$' 'first     [0-9]' \
    'growth    .* the numbers of a random vector .* times as large' 'values    .* \(median of 2; deciles ' \
    "quality   a step of Richardson's iteration leaves 0.* of the residual$" \
    'solve     .* \(median of 2; deciles '; do
    check "line: $line" grep -Eq "^  $line" "$out"
done
# Of L L' the lower triangle alone is read, which is said, and where it is not the whole truth, too.
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 4\n1 2 1\n2 1 2\n2 2 5\n' >unlike.mtx
unlike='^  symmetry  A is not symmetric, and L L. knows its lower triangle alone$'
for place in "${places[@]}"; do
    run 0 tulle factor --check unlike.mtx --on "$place" --kind cholesky -n 0
    check "A is not symmetric on $place" grep -Eq "$unlike" "$out"
    check "what is read on $place" grep -Eq "^  task      L L' of A, no fill, from the lower triangle$" "$out"
    run 0 tulle factor --check unlike.mtx --on "$place" --kind cholesky --order rcm --reads lower -n 0
    check "it stands for A on $place" grep -Eq "quality .* of the residual$" "$out"
    run 0 tulle factor --check p2d5:4 --on "$place" --kind cholesky --order rcm -n 0
    check "A is symmetric on $place" grep -Eq "quality .* of the residual$" "$out"
    check "what is read in order on $place" grep -Eq ', from the lower triangle in its order$' "$out"
done
run 0 tulle factor --check p2d5:6 --on cpu --repeat 2 --kind cholesky --fill all --reads lower
for line in "task      L L' of A, all fill, from the lower triangle$" "factors   L has [0-9]+ entries, " \
    'values    .*, .* Gflop/s$'; do
    check "line: $line" grep -Eq "^  $line" "$out"
done
run 0 tulle factor two.mtx --on cpu --shift -0.75 --repeat 1
check "not checked" grep -q 'error     not checked$' "$out"
run 0 tulle factor two.mtx --on cpu --shift -0.75 --check
check "it grows" grep -q 'leaves 3 of the residual: it grows$' "$out"
check "no times of calls that were not timed" sh -c "! grep -q 'median' '$out'"
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 2 9\n2 1 1\n2 2 10\n' >tiny.mtx
run 0 tulle factor --check tiny.mtx --on cpu --tiny 0.2
check "tiny" grep -q 'pivots    2 tiny, the first in row 0$' "$out"
run 0 tulle factor --check tiny.mtx --on cpu --tiny 0.5 --boost
check "boosted" grep -q 'pivots    1 were tiny and became larger, the first in row 0$' "$out"

# L and U themselves, against Python.
cat >"$folder/factors.py" <<'PYTHON'
import sys
def read(path):
    rows = [line.split() for line in open(path) if not line.startswith("%")]
    return int(rows[0][0]), {(int(i) - 1, int(j) - 1): float(v) for i, j, v in rows[1:]}
(n, A), (_, L) = read(sys.argv[1]), read(sys.argv[2])
U = read(sys.argv[3])[1] if len(sys.argv) > 3 else {(j, i): v for (i, j), v in L.items()}
for i, j in A:
    assert (i, j) in (L if j < i else U), (i, j)
for i, j in set(L) | set(U):
    product = sum(L[i, k] * U.get((k, j), 0) for k in range(n) if (i, k) in L)
    assert abs(product - A.get((i, j), 0)) < 1e-13, (i, j, product)
PYTHON
run 0 tulle gen p2d5:6,5 a.mtx
for place in "${places[@]}"; do
    for fill in 0 1 all; do
        run 0 tulle factor --check a.mtx --on "$place" --fill $fill --output-l l.mtx --output-u u.mtx
        check "written" sh -c "grep -Eq 'written   L: l.mtx, .*B in ' '$out' && grep -q 'U: u.mtx' '$out'"
        check "factors, fill $fill" python3 "$folder/factors.py" a.mtx l.mtx u.mtx
        run 0 tulle factor a.mtx --on "$place" --kind cholesky --fill $fill --output-l l.mtx \
            --json
        json_where "d['file_l'] == 'l.mtx' and 'file_u' not in d and 'err' not in d"
        check "the root, fill $fill" python3 "$folder/factors.py" a.mtx l.mtx
    done
done
run 0 tulle factor --check a.mtx --on cpu --format bsr:block=4 --output-u u.tulle
check "whole blocks" sh -c "tulle info u.tulle --on cpu | grep -q '32 x 32'"
run 0 tulle convert a.mtx rows.tulle --format dcsr
run 0 tulle factor --check rows.tulle --on cpu --json
json_where "d['err'] <= 1 and d['factors']['nnz_l'] == 49"

# Nothing to factorise.
run 0 tulle factor --check random:0,0,0 --on cpu --json --repeat 2 --order rcm --fill 1
json_where "d['err'] == 0 and d['factors']['levels'] == 0 and d['richardson_steps'] == 0"

# Wrong command lines and matrices.
bad 'missing: MATRIX' tulle factor
bad "'qr' is none of lu.cholesky" tulle factor p2d5:3 --kind qr
bad "fill: 'some' is neither a level from 0 on nor all" tulle factor p2d5:3 --fill some
bad "fill: '-1' is neither" tulle factor p2d5:3 --fill -1
bad "fill: '1x' is neither" tulle factor p2d5:3 --fill 1x
bad "'amf' is none of none.rcm.amd.nd" tulle factor p2d5:3 --order amf
bad 'factor: --modified: 2 is not from 0 to 1' tulle factor p2d5:3 --modified 2 --on cpu
bad 'factor: --modified: is of --kind lu alone' tulle factor p2d5:3 --modified 1 --kind cholesky --on cpu
bad 'factor: --tiny: 1 is not from 0 to 1, 1 excluded' tulle factor p2d5:3 --tiny 1 --on cpu
bad 'factor: --boost: say what is tiny, too, as --tiny 1e-6' tulle factor p2d5:3 --boost --on cpu
bad 'inverted: scalars have no diagonal blocks' tulle factor p2d5:3 --inverted --on cpu
bad 'inverted: scalars have no diagonal blocks' tulle factor p2d5:3 --inverted --on cpu --format bsr:block=1
bad 'single: A is f32, and so are its factors' tulle factor p2d5:3 --single --type f32 --on cpu
bad "output-u: of L L' there is L alone" tulle factor p2d5:3 --kind cholesky --output-u u.mtx
bad 'must end in .mtx' tulle factor p2d5:3 --output-l l.txt
bad 'random:4,5,2 is 4 x 5, not square' tulle factor random:4,5,2 --on cpu
bad 'random:4,5,2 is 4 x 5, not square' tulle factor random:4,5,2 --on cpu --dominant --order rcm
bad 'factor: --format: takes csr and bsr:block=N, not sell' tulle factor p2d5:3 --on cpu --format sell
bad "factor: --format: L L' is of csr alone; see --kind lu" \
    tulle factor --check p2d5:4 --on cpu --format bsr:block=2 --kind cholesky
bad 'p2d5:3: --order is for whole blocks, and 9 rows are none of 2: give --format bsr:block=B with another' \
    tulle factor --check p2d5:3 --on cpu --format bsr:block=2 --order rcm
bad 'spmv_csr takes no part in this task, whose kernels begin with factor_' \
    tulle factor --check p2d5:3 --on cpu --kernel spmv_csr
bad 'no_such.mtx' tulle factor no_such.mtx --on cpu
head -c 200 a.mtx >broken.mtx
bad 'broken.mtx' tulle factor broken.mtx --on cpu
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 2 2\n2 1 2\n2 2 4\n' >zero.mtx
for place in "${places[@]}"; do
    bad 'zero.mtx: the pivot of row 1 \(from 0\) is zero, Inf or NaN: enlarge the diagonal \(--shift 0.1: it counts 1.1' \
        tulle factor --check zero.mtx --on "$place"
    run 0 tulle factor --check zero.mtx --shift 0.1 --on "$place"
    bad 'zero.mtx: the pivot of row 1 \(from 0\) is not above zero, or Inf, so the matrix or what is kept of it' \
        tulle factor --check zero.mtx --kind cholesky --on "$place"
    bad 'zero.mtx: the pivot of row 1 \(from 0\) is zero, Inf or NaN' tulle factor zero.mtx --format bsr:block=2 --on "$place"
    run 0 tulle factor --check zero.mtx --tiny 1e-3 --boost --json --on "$place"
    json_where "d['pivots']['tiny'] == 1 and d['pivots']['tiny_row'] == 1 and d['err'] <= 1"
done

# --shift multiplies: where the diagonal has a zero, nothing, or what no root is of, it is no advice.
say_pivot() {
    printf '%%%%MatrixMarket matrix coordinate real general\n2 2 %s\n%b' "$1" "$2" >diagonal.mtx
    bad "diagonal.mtx: the pivot of row 0 \(from 0\) is $3" tulle factor diagonal.mtx --on cpu --shift 0.5 "${@:4}"
    check "no advice to shift" sh -c "! grep -q -- '--shift [0-9]\|options\.' '$err'"
}
say_pivot 4 '1 1 0\n1 2 1\n2 1 1\n2 2 3\n' 'zero, Inf or NaN, and the matrix has 0 on its diagonal there, which --shift leaves: permute'
say_pivot 3 '1 2 1\n2 1 1\n2 2 3\n' 'zero, Inf or NaN, and the matrix has no entry on its diagonal there, which --shift leaves'
say_pivot 2 '1 1 -2\n2 2 3\n' 'not above zero, and the matrix has -2 on its diagonal there, so that' --kind cholesky
for kind in lu cholesky; do
    run 0 tulle factor --check diagonal.mtx --on cpu --kind $kind --tiny 1e-6 --boost
done
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 7\n1 1 1e-200\n1 3 1e200\n2 2 1e-200\n2 3 1e200\n' >large.mtx
printf '3 1 1e200\n3 2 -1e200\n3 3 1\n' >>large.mtx
bad 'large.mtx: the pivot of row 2 \(from 0\) is Inf or NaN, which --boost leaves: the matrix has numbers so large' \
    tulle factor --check large.mtx --on cpu --tiny 1e-300 --boost

# A limit that vanishes in the type of the factors is the smallest normal number.
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 0\n2 1 1e-300\n2 2 1\n' >tiny.mtx
for place in "${places[@]}"; do
    for type in f64 f32; do
        run 0 tulle factor --check tiny.mtx --on "$place" --type $type --tiny 1e-100 --boost --json -n 0
        json_where "d['pivots']['tiny'] == 1 and d['pivots']['tiny_row'] == 0 and d['err'] <= 1"
    done
done

# A row without entries has a size to be boosted to.
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n3 3 2\n' >empty_row.mtx
for place in "${places[@]}"; do
    bad 'empty_row.mtx: the pivot of row 1 \(from 0\) is zero, Inf or NaN, and the matrix has no entry' \
        tulle factor --check empty_row.mtx --tiny 0.1 --on "$place"
    run 0 tulle factor --check empty_row.mtx --tiny 0.1 --boost --json --on "$place"
    json_where "d['pivots'] == {'tiny': 1, 'tiny_row': 1, 'bad': 0, 'bad_row': -1} and d['err'] <= 1"
done

# A library that computes wrong: exit code 1, and where.
if is_sanitized; then
    skipped "wrong factors: with AddressSanitizer nothing can stand before libtulle"
else
    cat >"$folder/wrong.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <tulle/tulle.h>

tulle_status tulle_factor_export(tulle_ctx *ctx, const tulle_factor *F, tulle_mat **L,
                                 tulle_mat **U) {
    __typeof__(tulle_factor_export) *right;
    *(void **)&right = dlsym(RTLD_NEXT, "tulle_factor_export");
    tulle_status status = right(ctx, F, L, U);
    tulle_mat_arrays arrays;
    tulle_mat_view(*U, &arrays);
    if (getenv("WRONG")) ((double *)arrays.values)[20] += atof(getenv("WRONG"));
    if (getenv("MOVED")) ((int32_t *)arrays.cols)[1] = atoi(getenv("MOVED"));
    return status;
}
C
    check "a library that computes wrong" cc -shared -fPIC -I "$here/../../include" \
        "$folder/wrong.c" -o "$folder/wrong.so"
    factors=(env LD_PRELOAD="$folder/wrong.so" tulle factor --check p2d5:3 --on cpu)
    run 0 "${factors[@]}"
    run 1 env WRONG=1 "${factors[@]}"
    check "the number is said" grep -Eq \
        'error     [0-9.e+]* of the bound: WRONG; \(L U\)\[8, 8\]: its last product is [0-9.]+, should be [0-9.]+ by the others$' \
        "$out"
    for wrong in 1e-12 nan inf; do
        run 1 env WRONG=$wrong "${factors[@]}" --json
        json_where "(d['err'] is None or d['err'] > 1) and (d['wrong']['row'], d['wrong']['column']) == (8, 8)"
    done
    run 1 env MOVED=2 "${factors[@]}"
    check "the place is said" grep -q "error     WRONG; (L U)\[0, 1\] is missing, which A' has$" "$out"
    run 0 env WRONG=1 "${factors[@]/--check/--quiet}"
fi
finish
