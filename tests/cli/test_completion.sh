# SPDX-License-Identifier: Apache-2.0
# Bash's completion, which scripts/completion.sh makes: every word that it offers as an option's value
# is one that the program takes.
source "$(dirname "$0")/common.sh"
run 0 "$here/../../scripts/completion.sh" "$(command -v tulle)" "$folder/completion"
check "nothing is said" test ! -s "$err"
# shellcheck disable=SC1091
source "$folder/completion"

offered() { # words of a command line, the last one being completed
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _tulle
    echo "${COMPREPLY[*]}"
}
offers() { # what is offered, then the words
    local wanted=$1
    shift
    check "of '$*': $wanted, not $(offered "$@")" test "$(offered "$@")" = "$wanted"
}
offers solve tulle sol
offers --precond tulle solve --prec
offers 'info make convert' tulle mesh ''
offers convert tulle mesh con
offers '--list' tulle mesh --li
offers 'f32 f64' tulle solve --type ''
offers f64 tulle info --type = f6
offers 'f32 f64' tulle info --type =
offers 'cpu cuda emulated auto' tulle info --on ''
offers 'cg bicgstab gmres chebyshev minres fgmres' tulle solve --method ''
offers gmres tulle solve p2d5:3 -m g
offers 'none jacobi block-jacobi ilu ic milu lu chebyshev amg amg-plain amg-smoothed' tulle solve -p ''
offers 'lu cholesky both' tulle bench --kind ''
offers 'all' tulle factor --fill ''
offers '32/32' tulle spgemm --index 3
offers 'N T' tulle spmv --trans ''
offers 'transpose trisolve' tulle bench --op tr
offers 'spmv spmm spmm_bsr' tulle bench --op spm
for option in --json --quiet --help; do offers $option tulle spmv ${option%?}; done
touch file.mtx
offers file.mtx tulle info 'fi'

# Kernels are those of this machine and of the command.
tulle kernels --json >"$out"
python3 - "$out" >names <<'PYTHON'
import json, sys
print(*(k["name"] for k in json.load(open(sys.argv[1]))["kernels"]), sep="\n")
PYTHON
for command in spmv spmm spgemm trisolve factor; do
    offers "$(grep "^${command}_" names | paste -sd ' ')" tulle $command --kernel ''
    check "kernels of $command" test -n "$(offered tulle $command -k '')"
done
offers "$(paste -sd ' ' names)" tulle kernels ''

# What the program refuses is not offered: exit code 3 is that of a device that is not there.
taken() { # option, a command line to which a value is added
    local option=$1 word
    shift
    for word in $(offered "$@" "$option" ''); do
        "$@" "$option" "$word" >"$out" 2>"$err" </dev/null
        check "$* $option $word" test $? -le 3 -a "$(grep -c "none of\|no place\|there is no \|see tulle" "$err")" = 0
    done
}
for command in spmv solve trisolve factor batch transpose; do taken --on tulle $command p2d5:3; done
for option in --method --precond --norm --trans --type; do taken $option tulle solve p2d5:3 --on cpu; done
for option in --element --operator; do taken $option tulle solve box:2 --on cpu --element tri; done
taken --rule tulle spmv p2d5:3 --on cpu
taken --order tulle factor p2d5:3 --on cpu
finish
