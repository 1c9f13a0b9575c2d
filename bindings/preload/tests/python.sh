#!/bin/sh
# libgfpoly_flint.so with python-flint: the one that python3 has, else one from PyPI in a virtual environment of
# the build folder. Where neither is at hand, the test is skipped (77).
# Arguments: the library, the script, another FLINT, the build folder.
set -eu
library=$1
script=$2
other=$3
venv=$4/flint_venv
python=python3
if ! "$python" -c 'import flint' 2>/dev/null; then
    python=$venv/bin/python
    if ! "$python" -c 'import flint' 2>/dev/null; then
        if ! python3 -m venv "$venv" || ! timeout 120 "$venv/bin/pip" install --quiet python-flint; then
            echo "python-flint is not at hand"
            exit 77
        fi
    fi
fi
"$python" -c 'import flint; print("python-flint", flint.__version__, "FLINT", flint.__FLINT_VERSION__)'
for setting in on verify; do
    GFPOLY_FLINT=$setting LD_PRELOAD=$library "$python" "$script" "$other"
done
