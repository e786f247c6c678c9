#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a run of CTest left out and why: each line "skipped: WHAT: WHY" of its tests, once, with the
# tests that said it; and each test that skipped something and gave no reason.
# Usage: scripts/skipped.sh Testing/Temporary/LastTest.log
set -euo pipefail
awk '
    function tell() {
        if (bare && !reasons) { add("no reason given") }
        bare = reasons = 0
    }
    function add(why) {
        if (!(why in tests)) order[++count] = why
        if (!((why, name) in seen)) tests[why] = tests[why] (tests[why] ? ", " : "") name
        seen[why, name] = 1
    }
    /^[0-9]+\/[0-9]+ Test: / { tell(); name = $3 }
    /^skipped: / { reasons++; add(substr($0, 10)) }
    /^\[  SKIPPED \] [a-z]/ || /^Test Skipped/ { bare = 1 }
    END {
        tell()
        for (i = 1; i <= count; i++) printf "  %s (%s)\n", order[i], tests[order[i]]
    }' "$1"
