# SPDX-License-Identifier: Apache-2.0
# The interrupt key: exit code 130, nothing half written; and the progress line on a terminal.
source "$(dirname "$0")/common.sh"

# Interrupted after a second, in work that takes many.
for command in 'gen p3d27:200 big.mtx' 'gen p3d27:110 big.mtx.xz' 'info rmat:22,16 --json' \
    'spmv p3d27:60 --on cpu --repeat 1000000'; do
    # shellcheck disable=SC2086
    run 130 timeout --foreground --preserve-status -s INT 1 tulle $command
    one_line_with 'interrupted'
    check "nothing is left of: $command" test -z "$(ls)"
done

# In the values of factors, which take minutes.
run 130 timeout --foreground --preserve-status -s INT 6 tulle factor p3d7:50 --fill all --order amd \
    --on cpu:1 -n 0 --no-check
one_line_with 'interrupted'

# On a terminal: a line that is drawn after two seconds, again and again, and erased at the end.
cat >"$folder/terminal.py" <<'PYTHON'
import os, pty, signal, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.execvp("tulle", ["tulle", "spmv", "p3d7:30", "--on", "cpu", "--repeat", "1000000"] + sys.argv[1:])
start, seen, first, asked = time.time(), b"", None, False
while True:
    try:
        data = os.read(terminal, 4096)
    except OSError:
        break
    if not data:
        break
    if first is None:
        first = time.time() - start
    seen += data
    if not asked and seen.count(b"\r") >= 5:
        os.kill(pid, signal.SIGINT)
        asked = True
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(repr(seen[-200:]), first, code)
sys.exit(0 if code == 130 and first >= 2 and b"timing: " in seen
         and b"\r\x1b[Ktulle: interrupted" in seen else 1)
PYTHON
run 0 python3 "$folder/terminal.py"

# Not on a terminal: nothing, however long it takes.
run 130 timeout --foreground --preserve-status -s INT 4 tulle spmv p3d7:30 --on cpu --repeat 1000000
one_line_with '^tulle: interrupted$'
finish
