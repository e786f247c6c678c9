# SPDX-License-Identifier: Apache-2.0
"""Says of pairs from standard input, each ended by a zero byte, of a JSON file and a Python
expression over its content, whether it is true: "yes", "no", or why there is no answer. The content
is `d`, and of a file of lines, FILE.jsonl, `rows`."""
import json
import sys


def words():
    word = b""
    while block := sys.stdin.buffer.read1():
        *ended, rest = (word + block).split(b"\0")
        yield from (w.decode() for w in ended)
        word = rest


def judge(path, expression):
    try:
        with open(path, encoding="utf-8") as file:
            if path.endswith(".jsonl"):
                content = {"rows": [json.loads(line) for line in file]}
            else:
                content = {"d": json.load(file)}
        return "yes" if eval(f"({expression})", {"json": json, **content}) else "no"
    except Exception as error:
        return f"{type(error).__name__}: {error}".replace("\n", " ")


pairs = words()
for path in pairs:
    print(judge(path, next(pairs)), flush=True)
