# SPDX-License-Identifier: Apache-2.0
# What surrounds the program: files that are replaced, planted files, and kernels of other operations.
source "$(dirname "$0")/common.sh"

# The mode of a file stays, a link stays a link, and a file that would grow too large leaves no part.
for name in a.mtx a.tulle a.mtx.gz; do
    touch "$name"
    chmod 600 "$name"
    ln -s "$name" "link-$name"
    run 0 tulle gen p2d5:5 "$name"
    check "mode of $name" test "$(stat -c %a "$name")" = 600
    chmod 640 "$name"
    run 0 tulle gen p2d5:5 "link-$name"
    check "link to $name" test -L "link-$name"
    check "mode of $name behind a link" test "$(stat -c %a "$name")" = 640
    rm -f "link-$name" "$name"
done
(ulimit -f 8 && exec tulle gen p2d5:100 large.mtx) >"$out" 2>"$err"
check "a file too large fails" test $? -lt 128
one_line_with 'large.mtx: cannot be written: File too large'
check "nothing is left of it" test -z "$(ls)"

# Folders that anybody may stand in are no source of programs.
mkdir -p lab/peers
echo 'open("planted", "w")' >lab/peers/scipy_peer.py
tulle-lab bench p2d5:5 --on cpu:1 --peers scipy >"$out" 2>"$err" </dev/null
check "the planted script is not run" test ! -e planted
rm -r lab

# The loader never looks in the current folder.
build=$(dirname "$(realpath "$TULLE")")
for file in "$build"/tulle "$build"/libtulle*.so; do
    path=$(readelf -d "$file" | sed -n 's/.*R.*PATH.*\[\(.*\)\]/\1/p')
    check "run path '$path' of $file" test -z "$(tr : '\n' <<<"$path" | sed 's/^$/empty/' | grep -v '^[/$]' | grep -v '^empty$' ||
        { [[ :$path: == *::* && -n $path ]] && echo empty; })"
done

# Plans are made of kernels of products.
for kernel in spmm_csr spgemm_auto trisolve_rows factor_rows; do
    run 2 tulle spmv p2d5:5 --on cpu:1 --plan --kernel $kernel
    one_line_with "$kernel is a kernel of"
done
finish
