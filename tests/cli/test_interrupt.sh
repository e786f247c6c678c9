# SPDX-License-Identifier: Apache-2.0
# The interrupt key and SIGTERM: exit code 130, nothing half written; and the progress line on a terminal.
source "$(dirname "$0")/common.sh"

# Every command that can take long, interrupted in its work: each ends within about a second of the
# processor's time, where giving back gigabytes of memory counts, too, and leaves no file. A command that
# times calls writes its result, whole, before it times them, so that no such command here has an output.
# Under AddressSanitizer all of that takes many times as long.
seconds=1.5
is_sanitized && seconds=15
cat >"$folder/commands" <<'COMMANDS'
SIGINT 0.5 tulle info rmat:20,16 --json --on cpu:1
SIGTERM 0.5 tulle info p3d27:100 --on cpu:1
SIGTERM 0.5 tulle spmv --check p3d27:60 --on cpu:1 --repeat 1000000
SIGINT 0.5 tulle spmm --check p3d27:60 --on cpu --repeat 1000000
SIGTERM 0.5 tulle spgemm --check rmat:15,16 --on cpu:1 -n 1000000
SIGINT 0.5 tulle add --check rmat:19,16 p2d5:724 --on cpu:1 -n 1000000
SIGINT 0.5 tulle solve p3d7:60 --on cpu:1 -m cg --tolerance 1e-300 --max-iterations 9999999 --patience 9999999 -o x.mtx
SIGTERM 0.5 tulle solve box-tet:60 --on cpu:1 -o u.vtu --plot p.svg
SIGINT 0.5 tulle trisolve --check p3d27:60 --on cpu:1 --repeat 1000000
SIGTERM 0.5 tulle transpose --check rmat:19,16 --on cpu:1 -n 1000000
SIGINT 0.5 tulle factor --check p3d27:60 --fill 3 --on cpu:1
SIGTERM 0.5 tulle factor --check p3d7:50 --fill all --on cpu:1
SIGINT 0.5 tulle factor --check p3d27:60 --fill all --order nd --on cpu:1
SIGINT 0.5 tulle factor --check p3d27:60 --fill all --order amd --on cpu:1
SIGTERM 3 tulle factor p3d7:40 --fill all --order amd --on cpu:1 -n 0
SIGINT 0.5 tulle batch --check p3d7:20 --on cpu:1 -n 1000000
SIGTERM 0.5 tulle bench p3d27:60 --on cpu:1
SIGINT 0.5 tulle tune p3d27:90 --on cpu:1
SIGTERM 0.5 tulle-lab paper 1 --on cpu:1
SIGINT 0.5 tulle-lab paper 4 --on cpu:1
SIGINT 0.5 tulle gen p3d27:200 big.mtx
SIGTERM 0.5 tulle gen p3d27:110 big.mtx.xz
SIGINT 0.5 tulle gen p3d27:110 big.tulle.zst
SIGTERM 0.5 tulle convert p3d27:110 c.mtx.gz
SIGINT 0.5 tulle convert p3d27:110 c.mtx --order rcm --permutation p.mtx
SIGTERM 0.5 tulle mesh make box-tet:150 -o m.msh
SIGINT 0.5 tulle mesh make box-tet:150 -o m.vtu.xz
SIGTERM 0.5 tulle mesh info box-tet:150
SIGINT 0.5 tulle mesh convert box-hex:200 m.vtu --encoding base64
SIGTERM 0.2 env TULLE_CACHE_SIZE=384M tulle doctor
COMMANDS
run 0 python3 "$here/interrupted.py" $seconds "$folder/commands"
check "each ended as it should: $(cat "$out")" test ! -s "$out"

# All commands are in this list, but for one that is over at once.
for command in $(tulle --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    [ "$command" = kernels ] || check "$command is interrupted here" grep -q "^SIG.* tulle $command\\( \\|\$\\)" "$folder/commands"
done

# On a terminal: a line that is drawn after two seconds, again and again, and erased at the end.
on_terminal 130 --interrupt '\r(.*\r){4}' tulle spmv p3d7:30 --on cpu --repeat 1000000
check "nothing is drawn for two seconds" grep -Eq '^first output after ([2-9]|[1-9][0-9]+)\.' "$err"
check "a line is drawn" grep -Fq 'timing: ' "$out"
check "the line is erased" grep -Fq $'\r\e[Ktulle: interrupted' "$out"

# Not on a terminal: nothing but how it ended, however long it takes.
run 130 timeout --foreground --preserve-status -s INT 4 tulle spmv --check p3d7:30 --on cpu --repeat 1000000
one_line_with '^tulle: interrupted$'
finish
