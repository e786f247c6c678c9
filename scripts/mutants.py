#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutants: small mistakes, each of which the tests that are named for it must find.

The lists are tests/mutants/*.txt. A record begins with its name and ends before the next one:

    = coo-plain-addition
    in src/spmv/gpu/coo_atomic.cu
    - the lines to be replaced, which stand in the file once
    + what is put in their place
    by TULLE_TEST_WHERE=emulated test_spmv
    ok why no test can find it, or why none must

A line `by` is a test program and the environment that it runs in; there may be several. `ok` is for
survivors only. Lines between records that begin with # are remarks.

A copy of the tree is built in build/mutants. For each mutant its file is changed there, the
programs are built and run, and the file is put back. A test that fails, crashes or does not end
kills. The score is the killed mutants' share.
"""
import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LISTS = ROOT / "tests/mutants"
WORK = ROOT / "build/mutants"
NEEDED = 0.95
PATIENCE = (30, 6)  # seconds, and times what the test takes without a mutant: then it hangs


@dataclasses.dataclass
class Mutant:
    name: str
    at: str
    file: str = ""
    old: list = dataclasses.field(default_factory=list)
    new: list = dataclasses.field(default_factory=list)
    tests: list = dataclasses.field(default_factory=list)
    reason: str = ""

    def programs(self):
        return sorted({test.split()[-1] for test in self.tests})

    def text(self, lines):
        return "\n".join(lines)


class Fault(Exception):
    pass


def add_line(mutant, line, at):
    key, _, rest = line.partition(" ")
    if key == "in":
        mutant.file = rest
    elif key == "-":
        mutant.old.append(rest)
    elif key == "+":
        mutant.new.append(rest)
    elif key == "by":
        mutant.tests.append(rest)
    elif key == "ok":
        mutant.reason = f"{mutant.reason} {rest}".strip()
    else:
        raise Fault(f"{at}: '{line}' is no line of a record")


def read_list(path):
    mutants = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        at = f"{path.relative_to(ROOT)}:{number}"
        if line.startswith("= "):
            mutants.append(Mutant(line[2:].strip(), at))
        elif line and not line.startswith("#"):
            if not mutants:
                raise Fault(f"{at}: stands before the first record")
            add_line(mutants[-1], line, at)
    return mutants


def mutated(mutant, source):
    old = mutant.text(mutant.old)
    count = source.count(old)
    if count != 1:
        raise Fault(f"{mutant.at}: {mutant.name}: its text stands {count} times in {mutant.file}; "
                    "make the record fit again")
    return source.replace(old, mutant.text(mutant.new))


def check_one(mutant):
    """Whatever can be said of a record without building anything."""
    if not (mutant.file and mutant.old and mutant.tests):
        raise Fault(f"{mutant.at}: {mutant.name} lacks `in`, `-` or `by`")
    if mutant.old == mutant.new:
        raise Fault(f"{mutant.at}: {mutant.name} changes nothing")
    path = ROOT / mutant.file
    if not path.is_file():
        raise Fault(f"{mutant.at}: {mutant.name}: there is no {mutant.file}")
    mutated(mutant, path.read_text())
    if not all("=" in setting for test in mutant.tests for setting in test.split()[:-1]):
        raise Fault(f"{mutant.at}: {mutant.name}: a line `by` names one program")
    for program in mutant.programs():
        name, folder = (program, ROOT / "tests")
        if program.startswith("emulator-"):
            name, folder = program.removeprefix("emulator-"), ROOT / "tests/emulator"
        if not any((folder / (name + end)).is_file() for end in (".c", ".cpp")):
            raise Fault(f"{mutant.at}: {mutant.name}: there is no test program {program}")


def read_all():
    mutants = [one for path in sorted(LISTS.glob("*.txt")) for one in read_list(path)]
    for one in mutants:
        check_one(one)
    names = [one.name for one in mutants]
    for name in names:
        if names.count(name) > 1:
            raise Fault(f"two mutants are called {name}")
    return mutants


def tracked_files():
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    out = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    return [name for name in out.decode().split("\0") if name and (ROOT / name).is_file()]


def same(a, b):
    return b.is_file() and a.read_bytes() == b.read_bytes()


def copy_tree(tree):
    """Only what differs is written, so that little is built again; what is gone goes."""
    files = set(tracked_files())
    for name in files:
        if not same(ROOT / name, tree / name):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, tree / name)
            shutil.copymode(ROOT / name, tree / name)
    for path in list(tree.rglob("*")):
        name = path.relative_to(tree)
        if path.is_file() and name.parts[0] != "build" and str(name) not in files:
            path.unlink()


def end_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run_in_group(command, seconds=None, stop_at=None, **options):
    """The exit status and what was said. What runs too long, or says stop_at, is ended with all that
    it started."""
    process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace", **options)
    alarm = threading.Timer(seconds or 0, end_group, [process])
    if seconds:
        alarm.start()
    lines = []
    try:
        for line in process.stdout:
            lines.append(line)
            if stop_at and stop_at in line:
                break
        else:
            process.wait()
    finally:
        alarm.cancel()
        end_group(process)
    return process.wait(), "".join(lines)


class Tree:
    """A copy of the sources with a build of its own, in which one mutant is tried at a time."""

    def __init__(self, number, jobs):
        self.root, self.jobs = WORK / f"tree-{number}", jobs
        self.build = self.root / "build/release"  # as deep as elsewhere: ccache knows it then

    def prepare(self, programs):
        copy_tree(self.root)
        configure = ["cmake", "--preset", "release", "-DTULLE_CUDA=OFF", "-DTULLE_EXAMPLES=OFF"]
        code, out = run_in_group(configure, cwd=self.root)
        if code == 0:
            code, out = self.make(programs)
        if code != 0:
            raise Fault(f"the sources as they are do not build:\n{out[-4000:]}")

    def make(self, programs):
        command = ["cmake", "--build", str(self.build), "--parallel", str(self.jobs), "--target"]
        return run_in_group(command + programs, cwd=self.root)

    def test(self, line, seconds=None):
        """Whether the test passes, in so many seconds."""
        *settings, program = line.split()
        environment = dict(os.environ, TULLE_TEST_REQUIRE="emulated",
                           TULLE_TEST_SEED="1",
                           TULLE_TEST_CORPUS=str(self.root / "tests/corpus"))
        environment.update(setting.split("=", 1) for setting in settings)
        code, out = run_in_group([str(self.build / "tests" / program)], seconds, "[  FAILED  ]",
                                 cwd=self.root, env=environment)
        return code == 0, out

    def try_one(self, mutant, limits):
        """'killed' or 'survived', or a Fault where it does not compile."""
        path = self.root / mutant.file
        source = path.read_text()
        path.write_text(mutated(mutant, source))
        try:
            code, out = self.make(mutant.programs())
            if code != 0:
                raise Fault(f"{mutant.at}: {mutant.name} does not compile:\n{out[-4000:]}")
            alive = all(self.test(line, limits[line])[0] for line in mutant.tests)
        finally:
            path.write_text(source)
        return "survived" if alive else "killed"


def must_pass(tree, mutants):
    """A test that fails anyway kills nothing. How long each may take with a mutant."""
    limits = {}
    for line in sorted({line for one in mutants for line in one.tests}):
        begin = time.monotonic()
        passes, out = tree.test(line)
        if not passes:
            raise Fault(f"'{line}' fails without any mutant:\n{out[-4000:]}")
        limits[line] = PATIENCE[0] + PATIENCE[1] * (time.monotonic() - begin)
    return limits


def try_all(mutants, trees, limits):
    """Files apart, so that a tree builds the same ones again and again."""
    free, results = list(trees), {}

    def work(one):
        tree = free.pop()
        begin = time.monotonic()
        try:
            fate = tree.try_one(one, limits)
        except Fault as fault:
            fate = fault
        free.append(tree)
        return one, fate, time.monotonic() - begin

    with concurrent.futures.ThreadPoolExecutor(len(trees)) as pool:
        for one, fate, seconds in pool.map(work, sorted(mutants, key=lambda m: m.file)):
            results[one.name] = fate
            told = "does not compile" if isinstance(fate, Fault) else fate
            print(f"[{len(results)}/{len(mutants)}] {told:9} {one.name} ({seconds:.0f} s)",
                  flush=True)
    return results


def tell(mutants, results):
    """The last line is the score; whether it is good enough."""
    faults = [fate for fate in results.values() if isinstance(fate, Fault)]
    alive = [one for one in mutants if results[one.name] == "survived"]
    killed = [one for one in mutants if results[one.name] == "killed"]
    unexplained = [one for one in alive if not one.reason]
    for fault in faults:
        print(fault, file=sys.stderr)
    for one in alive:
        print(f"survived: {one.name} ({one.file}): {one.reason or 'no reason is given'}")
    for one in killed:
        if one.reason:
            print(f"killed, although a reason is given why not: {one.name}")
    score = len(killed) / max(len(killed) + len(alive), 1)
    print(f"mutants: {len(killed)} of {len(killed) + len(alive)} killed, score {score:.3f}, "
          f"{len(unexplained)} survivors without a reason")
    return not faults and not unexplained and score >= NEEDED


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true",
                        help="only that each mutant's text stands once in its file")
    parser.add_argument("--list", action="store_true", help="the names, and stop")
    parser.add_argument("--only", metavar="NAME", action="append", default=[],
                        help="mutants whose name begins so; may be repeated")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N",
                        help="processes of a build (default: all cores)")
    parser.add_argument("--trees", type=int, default=1, metavar="N",
                        help="mutants tried at once, each in a build of its own (default 1)")
    given = parser.parse_args()
    mutants = read_all()
    if given.check:
        return 0
    if given.only:
        mutants = [one for one in mutants if one.name.startswith(tuple(given.only))]
    if not mutants:
        raise Fault("there is no such mutant")
    if given.list:
        print(*(f"{one.name}  {one.file}" for one in mutants), sep="\n")
        return 0
    programs = sorted({program for one in mutants for program in one.programs()})
    trees = [Tree(number, given.jobs) for number in range(min(given.trees, len(mutants)))]
    for tree in trees:
        print(f"building {tree.root.relative_to(ROOT)}", flush=True)
        tree.prepare(programs)
    limits = must_pass(trees[0], mutants)
    return 0 if tell(mutants, try_all(mutants, trees, limits)) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Fault as fault:
        print(f"mutants: {fault}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
