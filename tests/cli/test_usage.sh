# SPDX-License-Identifier: Apache-2.0
# Wrong command lines: exit code 2 and one line that helps.
source "$(dirname "$0")/common.sh"

run 2 tulle
check "the overview on standard error" grep -q '^Usage: tulle' "$err"

bad "no command 'inof'; did you mean info\?" tulle inof
bad "no command 'kernel'; did you mean kernels\?" tulle kernel
bad "no command 'zzzzzz' \(see" tulle zzzzzz
bad "no command 'spvm'; did you mean spmm or spmv\?" tulle help spvm
bad "option --tpye; did you mean --type\?" tulle info --tpye f32 p2d5:3
bad "'--json=yes'.*no value" tulle info --json=yes p2d5:3
bad "'--type' needs a value" tulle info p2d5:3 --type
bad "'f16' is none of f32.f64" tulle info p2d5:3 --type f16
bad "unknown option -Z" tulle info -Z p2d5:3
bad "missing: MATRIX" tulle info
bad "'extra' is too much" tulle info p2d5:3 extra
bad "missing: FILE \(" tulle convert p2d5:3
bad "missing: SPEC FILE" tulle gen p2d5:3

for number in -1 1.5 abc '' ' 3' 99999999999999999999 0x10; do
    bad "--seed: .*whole number" tulle info p2d5:3 --seed "$number"
done
for number in inf nan 1e999 '' '1 ' 0x1p3 1.0.0; do
    bad "--alpha: .*finite number" tulle spmv p2d5:3 --alpha "$number"
done
for size in -1 '' 0 G 1X 2GG 0x10 inf 1e30 '1 G'; do
    bad "--memory: .*no size, as 800M" tulle spgemm p2d5:3 --memory "$size"
done
bad "--repeat: .*from 0 to 1000000" tulle spmv p2d5:3 --repeat 1000001

for place in gpu cpu:0 cpu:x cpu: cuda:-1 cuda:x 'emulated:2' ''; do
    bad "no place" tulle spmv p2d5:3 --on "$place"
done
bad "spmv_cst" tulle spmv p2d5:3 --on cpu --kernel spmv_cst
bad "no_such_rule" tulle spmv p2d5:3 --on cpu --rule no_such_rule
bad "no kernel 'spmv_cs'; did you mean .*spmv_csr" tulle kernels spmv_cs

bad "p3d8:10: no such file.*did you mean p3d7" tulle info p3d8:10
bad "nothing_like_this: no such file.*tulle gen --list" tulle info nothing_like_this
bad "no generator of that name" tulle gen missing.mtx out.mtx
bad "p3d7" tulle info p3d7:0
bad "p3d7" tulle info p3d7:1,2,3,4,5
bad "like" tulle-lab info like:no_such_matrix
bad "no matrix of that name" tulle-lab info tile:tile:like:no_such_matrix:2:2
bad "K must be a whole number" tulle-lab info tile:like:torso2:0
bad "rand" tulle info random:99999999999999999999,1,1
finish
