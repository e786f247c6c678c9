# SPDX-License-Identifier: Apache-2.0
# scripts/layers.py: the house as it is has no include that points up or round; one that is planted
# is found.
source "$(dirname "$0")/common.sh"
root=$(cd "$here/../.." && pwd)

layers() { python3 "$root/scripts/layers.py" "$@"; }
run 0 layers "$root"

mkdir -p house/scripts house/src/core house/src/spmv house/src/tune
cp "$root/scripts/layers.txt" house/scripts
touch house/src/core/ground.h house/src/spmv/product.h house/src/tune/tuner.h
echo '#include "core/ground.h"' >house/src/spmv/product.c
run 0 layers house
echo '#include "spmv/product.h"' >house/src/core/upward.c
run 1 layers house
check "names the file and the layers" grep -qF \
    'src/core/upward.c: includes "spmv/product.h", but src/spmv does not stand below src/core' "$err"

# So are the tables' own files, folders that are in no layer, and angle brackets.
rm house/src/core/upward.c
touch house/src/folders.h
echo '#include "folders.h"' >house/src/core/upward.c
run 1 layers house
echo '#include <spmv/product.h>' >house/src/core/upward.c
run 1 layers house
rm house/src/core/upward.c
run 0 layers house
mkdir house/src/newcomer
touch house/src/newcomer/product.c
run 1 layers house
check "names the folder's file" grep -qF 'src/newcomer/product.c: its folder is in no layer' "$err"
finish
