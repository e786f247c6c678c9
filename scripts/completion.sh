#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes bash's completion of the program from its --help: subcommands, options, words that an option's
# value may be, and files.
# Usage: scripts/completion.sh PROGRAM FILE
set -euo pipefail
program=$1
exec >"$2"
mapfile -t commands < <("$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
cat <<HEAD
# Completion of the program tulle for bash, made from its --help.
_tulle() {
    local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} options=
    if ((COMP_CWORD == 1)); then
        COMPREPLY=(\$(compgen -W "${commands[*]} help --help --version" -- "\$word"))
        return
    fi
    case \${COMP_WORDS[1]} in
    help) options="${commands[*]}" ;;
HEAD
for command in "${commands[@]}"; do
    all=() # pages of the benchmark
    [ "$command" = bench ] && all=(--op all)
    help=$("$program" "$command" "${all[@]}" --help | sed -n '/^Options:/,/^$/p')
    options=$(sed -nE 's/^  (-[a-zA-Z], |    )(--[a-z0-9-]+).*/\2/p' <<<"$help" | paste -sd ' ')
    echo "    $command)"
    echo "        options=\"$options\""
    echo "        case \$before in"
    # "--type f32|f64": the words of a value between bars
    sed -nE 's/^  (-[a-zA-Z], |    )(--[a-z0-9-]+) ([A-Za-z0-9_-]+(\|[A-Za-z0-9_-]+)+)  .*/\2 \3/p' <<<"$help" |
        while read -r option words; do echo "        $option) options=\"${words//|/ }\" ;;"; done
    echo "        esac ;;"
done
cat <<'TAIL'
    esac
    COMPREPLY=($(compgen -W "$options" -- "$word") $(compgen -f -- "$word"))
}
complete -o filenames -F _tulle tulle
TAIL
