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
bad "'--quiet=yes'.*no value" tulle info --quiet=yes p2d5:3
bad "'--type' needs a value" tulle info p2d5:3 --type

# Names of options are written out; what is near is offered, and nothing that is much farther.
bad "spmv: unknown option --opti; did you mean --optimize\? \(see tulle spmv --help\)" tulle spmv --opti 3 p2d5:3
bad "unknown option --rep; did you mean --repeatable or --repeat\? " tulle spmv p2d5:3 --rep
bad "unknown option --tran; did you mean --transpose or --trans\? " tulle spmv --tran p2d5:3
bad "unknown option --transpose; did you mean --transpose-a or --transpose-b\? " tulle add --transpose p2d5:3 p2d5:3
bad "unknown option --js; did you mean --json\? " tulle info --js=yes p2d5:3
bad "unknown option --he; did you mean --help\? " tulle gen --he
bad "unknown option --see; did you mean --seed\? " tulle info p2d5:3 --see

# The transpose has the same two names wherever there is one op(A).
for command in spmv spmm solve trisolve; do
    for option in --trans=T --trans=t --transpose -t; do
        run 0 tulle $command p2d5:3 $option --json
        json_where 'd["trans"]'
    done
    run 0 tulle $command p2d5:3 --trans N --json
    json_where 'not d["trans"]'
    bad "--trans: 'X' is none of N.T" tulle $command p2d5:3 --trans X
done
bad "--trans: 'X' is none of N.T" tulle tune p2d5:3 --trans X
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
for size in -1 '' 0 G 1X 2GG 0x10 inf 1e30 '1 G' 16iB 1Gib 4GiBB; do
    bad "--memory: .*no size, as 800M, 2G or 4GiB are" tulle spgemm p2d5:3 --memory "$size"
done
for size in 500M 500m 1.5G 1GB 1GiB 2Gi; do
    run 0 tulle spgemm --check p2d5:3 --memory "$size"
done
for level in -1 +3 ' 3' 3x '' 99999999999999999999; do
    bad "--fill: .* is neither a level from 0 on nor all" tulle factor p2d5:3 --fill "$level"
done
for slice in '' 0 -1 +8 ' 8' 8x 1025 99999999999999999999; do
    bad "--format: slice must be from 1 to 1024" tulle spmv p2d5:3 --format "sell:slice=$slice"
done
for count in '' 0 -1 ' 3' +3 '1,' 1,,2 99999999999999999999; do
    bad "--vectors: .*positive numbers with commas" tulle-lab bench p2d5:3 --vectors "$count"
done
for shard in '' 1 0/2 3/2 1/0 1/3x ' 1/3' +1/3 4294967297/3 1/4294967296/; do
    bad "--shard: .*is not i/n" tulle-lab bench p2d5:3 --shard "$shard"
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
