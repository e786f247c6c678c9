# SPDX-License-Identifier: Apache-2.0
# What scripts/build-user.sh, which make run and make install build by, says where no terminal is; with
# stand-ins for cmake and ninja, so that nothing is compiled.
source "$(dirname "$0")/common.sh"
mkdir scripts tools
cp "$here/../../scripts/build-user.sh" scripts
printf '#!/bin/sh\n' >tools/cmake
cat >tools/ninja <<'NINJA'
#!/bin/bash
if [[ " $* " == *" -t targets "* ]]; then
    for ((i = 1; i <= FILES; i++)); do echo "src/$i.c.o: C_COMPILER"; done
    exit
fi
for ((i = 1; i <= STEPS; i++)); do
    status=${NINJA_STATUS//%f/$i}
    echo "${status//%t/$STEPS}Building C object src/$i.c.o"
done
[[ -z ${BROKEN:-} ]] || { echo "src/1.c:1: error: no such thing"; exit 1; }
NINJA
chmod +x tools/*
build() { # exit code, files that are not there, steps, arguments
    local code=$1 files=$2 steps=$3
    shift 3
    run "$code" env PATH="$PWD/tools:/usr/bin:/bin" JOBS=2 FILES="$files" STEPS="$steps" scripts/build-user.sh "$@"
}
build 0 600 634 --quiet
cat >wanted <<'WANTED'
building the library and the program: 600 files, about 3 minutes on 2 cores
  127 of 634 steps
  254 of 634 steps
  381 of 634 steps
  508 of 634 steps
WANTED
check "a line at the start and at each fifth: $(cat "$out")" diff wanted "$out"
check "no carriage returns" sh -c "! grep -q '$(printf '\r')' '$out'"
build 0 600 634
check "and the GPU part" grep -q '^GPU part: ' "$out"
build 0 0 100 --quiet
check "files that are there, and old, too" grep -qx '  40 of 100 steps' "$out"
build 0 2 3 --quiet
check "of little nothing" test ! -s "$out"
export BROKEN=1
build 1 600 634 --quiet
check "what went wrong" grep -qx 'src/1.c:1: error: no such thing' "$err"
finish
