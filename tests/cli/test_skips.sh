# SPDX-License-Identifier: Apache-2.0
# No test is skipped in silence: what is left out is said, with its reason, and scripts/skipped.sh lists
# it at the end of a run.
source "$(dirname "$0")/common.sh"
root=$(cd "$here/../.." && pwd)

# Where a C test leaves, the line before says why.
unsaid() { awk '/skip\(\);/ && !/void/ && last !~ /say_skipped/ { print FILENAME ": " FNR } { last = $0 }' "$@"; }
check "every skip() has a reason: $(unsaid "$root"/tests/*.c)" test -z "$(unsaid "$root"/tests/*.c)"
printf 'if (!all) skip();\n' >silent.c
check "one without is found" test "$(unsaid silent.c)" = "silent.c: 1"

# A run of CTest in which one test says what it skips, one skips in silence, and one skips nothing.
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(skips NONE)
enable_testing()
add_test(NAME says COMMAND sh -c "echo 'skipped: the moon: no rocket'; echo '[  SKIPPED ] test_moon'")
add_test(NAME says_too COMMAND sh -c "echo 'skipped: the moon: no rocket'; echo 'skipped: mars: closed'")
add_test(NAME silent COMMAND sh -c "echo '[  SKIPPED ] test_venus'")
add_test(NAME whole COMMAND sh -c "echo 'nothing was skipped: all is well'")
CMAKE
run 0 cmake -S . -B build
run 0 ctest --test-dir build
run 0 "$root/scripts/skipped.sh" build/Testing/Temporary/LastTest.log
cat >wanted <<'WANTED'
  the moon: no rocket (says, says_too)
  mars: closed (says_too)
  no reason given (silent)
WANTED
check "the list: $(cat "$out")" diff wanted "$out"
finish
