#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the man pages of the program, tulle.1 and one for each subcommand, from their --help.
# Usage: scripts/man.sh PROGRAM FOLDER
set -euo pipefail
program=$1 folder=$2
mkdir -p "$folder"
version=$("$program" --version)
# help2man calls every page by the name of the program, and lets lines of examples flow into each other.
page() { # the page's name, summary, help2man's options
    local name=$1 summary=$2
    shift 2
    help2man --no-info --source "${version% (*}" --name "$summary" "$@" "$program" |
        sed -e "s/^\.TH TULLE /.TH ${name^^} /" \
            -e "/^\.SH NAME/,/^\.SH SYNOPSIS/s/^tulle \\\\- /${name/-/\\\\-} \\\\- /" \
            -e '/^\.SH EXAMPLES/,/^\.PP/{s/^\.IP$/.IP\n.nf/; s/^\.PP$/.fi\n.PP/}' >"$folder/$name.1"
}
page tulle "sparse linear algebra on NVIDIA GPUs and CPUs"
"$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1 \2/p' | while read -r command summary; do
    name=tulle-$command
    [ "$command" = bench ] && command+=" --op all" # all pages of the benchmark
    page "$name" "$summary" --help-option "$command --help"
done
