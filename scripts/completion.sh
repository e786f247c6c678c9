#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes bash's completion of the program: subcommands, options and words before the operands from its
# --help, and what an option's value may be from there or from what the program says of a wrong value.
# Usage: scripts/completion.sh PROGRAM FILE
set -euo pipefail
program=$1
exec >"$2"
mapfile -t commands < <("$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')

# Names that the help has for values of which the program knows a list; other values are numbers, files or matrices.
LISTED='PLACE|NAME.*|SHAPE|WAY'

# "--type f32|f64": the words between bars; of "K|all" the K is a number, of "N|T" both are words.
words_in() {
    local pattern='^[a-z0-9]'
    [[ $1 == *[a-z]* ]] || pattern=.
    tr '|' '\n' <<<"$1" | grep "$pattern" | paste -sd ' '
}

# The words that the program names where an option has another value: one matrix is asked for, or two.
words_by_error() { # command, option
    local matrix=p2d5:2 said
    for operands in "$matrix" "$matrix -"; do
        # shellcheck disable=SC2086
        said=$("$program" "$1" "$2" '?' $operands 2>&1 >/dev/null </dev/null) || true
        [[ $said == *"missing: "* ]] || break
    done
    # "is none of a|b:N (see", "use a, a:N or c", "there are a, b": a, b and c.
    sed -nE 's/ \(see .*//; s/.* (is none of|there are|use) //p' <<<"$said" | sed 's/, \| or \||/\n/g' |
        sed 's/:.*//' | uniq | paste -sd ' '
}

cat <<HEAD
# Completion of the program tulle for bash, made from its --help.
_tulle_kernels() { # a pattern of names: this machine's
    "\${COMP_WORDS[0]}" kernels 2>/dev/null | sed -nE "s/^(\$1)  .*/\1/p"
}
_tulle() {
    local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} options= values=
    if ((COMP_CWORD == 1)); then
        COMPREPLY=(\$(compgen -W "${commands[*]} help --help --version" -- "\$word"))
        return
    fi
    # "--type=f32" is three words here.
    if [[ \$word == = ]]; then
        word=
    elif [[ \$before == = ]]; then
        before=\${COMP_WORDS[COMP_CWORD-2]}
    fi
    case \${COMP_WORDS[1]} in
    help) values="${commands[*]}" ;;
HEAD
for command in "${commands[@]}"; do
    all=() # pages of the benchmark
    [ "$command" = bench ] && all=(--op all)
    help=$("$program" "$command" "${all[@]}" --help)
    options=$(sed -n '/^Options:/,/^$/p' <<<"$help" | sed -nE 's/^  (-[a-zA-Z], |    )(--[a-z0-9-]+)(\[[^ ]*)?( ([^ ]+))?( .*|$)/\2 \1 \5/p')
    echo "    $command)"
    echo "        options=\"$(cut -d ' ' -f 1 <<<"$options" | paste -sd ' ')\""
    echo "        case \$before in"
    while read -r option letter value; do
        [[ $letter == -?, ]] || { value=$letter letter=; }
        words=
        if [[ $option == --kernel ]]; then
            pattern="${command}_[a-z0-9_]*"
            [ "$command" = bench ] && pattern='[a-z]+_[a-z0-9_]*'
            words="\$(_tulle_kernels '$pattern')"
        elif [[ $value == *'|'* ]]; then
            words=$(words_in "$value")
        elif [[ $value =~ ^($LISTED)$ ]]; then
            words=$(words_by_error "$command" "$option")
        fi
        [[ -z $words ]] || echo "        $option${letter:+ | ${letter%,}}) values=\"$words\" ;;"
    done <<<"$options"
    # "Usage: tulle mesh [OPTION]... info MESH | make SPEC": words that are written as they are.
    words=$(sed -n '1s/^Usage: .*\.\.\. //p' <<<"$help" | tr ' ' '\n' | grep -x '[a-z]*' | paste -sd ' ' || true)
    [[ -z $words ]] || echo "        $command) values=\"$words\" ;;"
    [[ $command != kernels ]] || echo "        $command) values=\$(_tulle_kernels '[a-z]+_[a-z0-9_]*') ;;"
    echo "        esac ;;"
done
cat <<'TAIL'
    esac
    if [[ $values && $word != -* ]]; then
        COMPREPLY=($(compgen -W "$values" -- "$word"))
    else
        COMPREPLY=($(compgen -W "$options" -- "$word") $(compgen -f -- "$word"))
    fi
}
complete -o filenames -F _tulle tulle
TAIL
