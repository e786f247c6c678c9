# SPDX-License-Identifier: Apache-2.0
# What surrounds the program: files that are replaced, planted files, and kernels of other operations.
source "$(dirname "$0")/common.sh"

# A file that is replaced keeps its mode, and a link to it stays a link; so does a link to a file that
# is not there yet, which then is, where the link leads to. By each kind of file that is written, in the
# way that is named last but for the file's own name.
run 0 tulle gen p2d5:5 input.mtx
mkdir elsewhere
while read -r name command; do
    for made in "$name" "elsewhere/$name"; do
        # shellcheck disable=SC2086
        run 0 $command "$made"
        check "$made is there" test -s "$made"
        chmod 600 "$made"
        # shellcheck disable=SC2086
        run 0 $command "$made"
        check "mode of $made" test "$(stat -c %a "$made")" = 600
        chmod 640 "$made"
        ln -s "$made" "link-$name"
        ln -s "link-$name" "chain-$name"
        # shellcheck disable=SC2086
        run 0 $command "chain-$name"
        check "link to $made" test "$(readlink "chain-$name") $(readlink "link-$name")" = "link-$name $made"
        check "mode of $made behind links" test "$(stat -c %a "$made")" = 640
        rm "$made"
        # shellcheck disable=SC2086
        run 0 $command "chain-$name"
        check "link to $made, which is not there" test -L "chain-$name" -a -L "link-$name"
        check "$made, to which a link led" test -s "$made" -a ! -L "$made"
        rm "chain-$name" "link-$name" "$made"
    done
done <<'COMMANDS'
a.mtx tulle gen p2d5:5
a.mtx.gz tulle gen p2d5:5
a.mtx.xz tulle gen p2d5:5
a.mtx.zst tulle gen p2d5:5
a.tulle tulle gen p2d5:5
b.mtx tulle convert input.mtx
order.mtx tulle convert input.mtx other.mtx --order rcm --permutation
x.mtx tulle solve input.mtx --on cpu:1 -o
u.vtu tulle solve box-quad:4 --on cpu:1 -o
history.svg tulle solve input.mtx --on cpu:1 --plot
y.mtx tulle spmv --check input.mtx --on cpu:1 -n 0 -o
c.mtx tulle spgemm --check input.mtx --on cpu:1 -n 0 -o
m.msh tulle mesh make box-tet:2 -o
m.msh.gz tulle mesh make box-tet:2 -o
m.vtu tulle mesh make box-tet:2 -o
skin.vtu tulle mesh convert box-tet:2 --boundary --encoding text
COMMANDS
rm other.mtx
check "links and files are gone" test "$(find . -mindepth 1 | sort | tr '\n' ' ')" = "./elsewhere ./input.mtx "
rmdir elsewhere
rm input.mtx

# Links in a ring lead nowhere.
ln -s two.mtx one.mtx
ln -s one.mtx two.mtx
run 2 tulle gen p2d5:5 one.mtx
one_line_with 'one.mtx: cannot be written: Too many levels of symbolic links'
rm one.mtx two.mtx

# A file that would grow too large leaves no part.
(ulimit -f 8 && exec tulle gen p2d5:100 large.mtx) >"$out" 2>"$err"
check "a file too large fails" test $? -lt 128
one_line_with 'large.mtx: cannot be written: File too large'
(ulimit -f 8 && exec tulle convert p2d5:100 - --order rcm --permutation order.mtx) >"$out" 2>"$err"
check "an order too large fails" test $? -lt 128
check "nothing is left of it" test -z "$(ls)"

# Folders that anybody may stand in are no source of programs.
mkdir -p lab/peers
echo 'open("planted", "w")' >lab/peers/scipy_peer.py
tulle-lab bench p2d5:5 --on cpu:1 --peers scipy >"$out" 2>"$err" </dev/null
check "the planted script is not run" test ! -e planted
rm -r lab

# Nor of libraries: libtulle looks beside itself, however it was opened and wherever the program then
# stands. Each planted library makes a file where it is when it is loaded.
build=$(dirname "$(realpath "$TULLE")")
cat >planted.c <<'C'
#include <stdio.h>
__attribute__((constructor)) static void loaded(void) {
    FILE *file = fopen(WHERE, "w");
    if (file) fclose(file);
}
C
cat >opens.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

/* opens LIBRARY FOLDER PLACE: opens libtulle, goes to the folder, and makes a context. */
int main(int argc, char **argv) {
    int (*create)(const char *, const void *, size_t, void **);
    void *ctx = NULL, *library = argc == 4 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (!library || chdir(argv[2]) != 0) {
        fprintf(stderr, "%s\n", library ? argv[2] : dlerror());
        return 2;
    }
    *(void **)&create = dlsym(library, "tulle_ctx_create_sized");
    return create && create(argv[3], NULL, 0, &ctx) != 0;
}
C
so=so.$(sed -n 's/^#define TULLE_VERSION_\(MAJOR\|MINOR\) //p' "$here/../../include/tulle/version.h" | paste -sd .)
if [ ! -e "$build/libtulle.$so" ]; then
    skipped "planted libraries: libtulle is part of the program"
elif nm -D "$build/libtulle.$so" | grep -q __asan_init; then
    skipped "planted libraries: with AddressSanitizer no other program opens libtulle"
else
    mkdir -p first second/first
    cp "$build/libtulle.$so" first/
    check "a program that opens libtulle" cc opens.c -o opens -ldl
    for library in emu cuda; do
        place=${library/emu/emulated}
        for at in second second/first first; do
            check "a planted library" cc -shared -fPIC -DWHERE="\"$PWD/loaded-$library-from-${at//\//-}\"" \
                planted.c -o $at/libtulle-$library."$so"
        done
        rm first/libtulle-$library."$so"
        run 1 ./opens first/libtulle."$so" second "$place"
        check "nothing is loaded from the current folder" test -z "$(find . -name 'loaded-*')"
        # The same beside libtulle is taken, so that this test sees what is loaded.
        mv second/first/libtulle-$library."$so" first/
        run 1 ./opens first/libtulle."$so" second "$place"
        check "what stands beside libtulle is loaded" test -e "loaded-$library-from-second-first"
        rm -f loaded-*
    done
    for library in libtulle.$so libtulle-io.$so; do
        check "$library asks for no variable in a set-user-ID program" \
            test -z "$(nm -D --undefined-only "$build/$library" | grep -w getenv)"
    done
fi
rm -rf first second opens opens.c planted.c

# Plans are made of kernels of products.
find_places cpu:1
for place in "${places[@]}"; do
    kernels=(spmm_csr spgemm_auto trisolve_rows factor_rows)
    [ "$place" = emulated ] && kernels=(spmm_csr spgemm_esc trisolve_columns factor_listed)
    for kernel in "${kernels[@]}"; do
        run 2 tulle spmv --check p2d5:10 --on "$place" --plan --kernel "$kernel"
        one_line_with "$kernel is a kernel of"
    done
done
finish
