#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the man pages of the program, tulle.1 and one for each subcommand, from their --help.
# Usage: scripts/man.sh PROGRAM FOLDER
set -euo pipefail
program=$1 folder=$2
mkdir -p "$folder"
page() { # file, name in the heading, summary, help2man's options
    local file=$folder/$1 heading=$2 summary=$3
    shift 3
    help2man --no-info --name "$summary" "$@" "$program" | sed "s/^\.TH TULLE /.TH ${heading^^} /" >"$file"
}
page tulle.1 tulle "sparse linear algebra on NVIDIA GPUs and CPUs"
"$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1 \2/p' | while read -r command summary; do
    [ "$command" = bench ] && command+=" --op all" # all pages of the benchmark
    page "tulle-${command%% *}.1" "tulle-${command%% *}" "$summary" --help-option "$command --help"
done
