#!/bin/sh
# Checks rules of the rooms that cmake/layout.cmake does not see: the library neither prints nor ends the process (but
# for broken contracts in GFP_VERIFY builds), and others that each have a comment here.
cd "$1" || exit 1
status=0
if grep -nE '\b(printf|fprintf|puts|perror|abort|exit|_Exit|assert)\(' -r field fft crt gpu product poly modular ranks \
    bindings/preload --exclude-dir=tests --include='*.c' --include='*.h' --include='*.inc' --include='*.cu' --include='*.cuh' |
    grep -vE '^(field/base/contract|bindings/preload/hosts|bindings/preload/memory).c:'; then
    echo "^ a library must not print, abort or exit" >&2
    status=1
fi
# Messages of the library are ASCII: gfp_error_fill replaces other bytes by "?".
if LC_ALL=C grep -nP '^[^/*]*"[^"]*[^\x00-\x7F]' -r field fft crt gpu product poly modular ranks --include='*.c' --include='*.inc' \
    --include='*.cu' --include='*.cuh' --include='*.h'; then
    echo "^ a string with bytes that are not ASCII" >&2
    status=1
fi
# Inside another project CMAKE_SOURCE_DIR is that project's folder.
if grep -nE 'CMAKE_(SOURCE|BINARY)_DIR' -r . --include=CMakeLists.txt --include='*.cmake' --exclude-dir='build*' --exclude-dir='.*'; then
    echo "^ PROJECT_SOURCE_DIR and PROJECT_BINARY_DIR are this project's" >&2
    status=1
fi
# File-local functions (static ones, and those of C++ tests in a nameless namespace) have two words, which name a place
# in profiles and searches.
if grep -nE '^(static|GFP_INLINE|GFP_SHARED)[^=;(]*[ *][a-z0-9]+\(' -r field fft crt gpu product poly modular ranks cli bindings/preload \
    bindings/gr bench papers tests --include='*.c' --include='*.inc' --exclude-dir=porting ||
    grep -nE '^(template *<[^{}]*> *)?static[^=;(]*[ *&][a-z0-9]+\(' -r gpu papers bench bindings tests --include='*.cu' --include='*.cpp' \
        --exclude-dir=project ||
    grep -nE '^(template *<[^{}]*> *)?(void|bool|int|long|unsigned|size_t|double|[a-z_0-9]+_t|ZZ_pX?)( |[*&])+[a-z0-9]+\([^;]*$' \
        -r tests bindings/preload/tests bindings/cpp/tests --include='*.cpp' --exclude-dir=project | grep -vE '[ *&](main|operator[^ ]*)\('; then
    echo "^ a file-local function of one word" >&2
    status=1
fi
# Names are the field's terms: no metaphors, and no pronouns as members (docs/STYLE.md).
if grep -nirE '\b([a-z0-9]+_)*(glances?|outlook|sight|hears?|hearer|fate|dance)(_[a-z0-9]+)*\b|[a-z0-9]_looks?\b|\blooks?_[a-z]|(->|[a-z0-9)]\.)(of|then|it|they)\b' \
    field fft crt gpu product poly modular ranks include cli bindings papers bench tests --include='*.[ch]' --include='*.inc' --include='*.cu' \
    --include='*.cuh' --include='*.cpp' --include='*.hpp'; then
    echo "^ a metaphor or a pronoun as a name" >&2
    status=1
fi
# Functions have at most 8 parameters, and bodies at most 60 lines (docs/STYLE.md); kernels of gpu/cuda/ and their
# tests have more. poly_xgcd is of a type that FLINT defines.
if find field fft crt gpu product poly modular ranks include cli bindings papers bench tests examples \( -name '*.[ch]' -o -name '*.inc' \
    -o -name '*.cu' -o -name '*.cuh' -o -name '*.[ch]pp' \) ! -path '*gpu/cuda/*' -exec awk -f tests/project/functions.awk {} + |
    grep -vE '^bindings/gr/gr.c:[0-9]+: poly_xgcd '; then
    echo "^ a long function, or one of many parameters" >&2
    status=1
fi
# Design pages are read in windows of 120 columns; rows of tables may be longer.
if LC_ALL=C.UTF-8 grep -nP '^(?!\|).{121,}' docs/design/*.md; then
    echo "^ a line of more than 120 characters" >&2
    status=1
fi
# Licence scanners expect the licence on a line of its own.
for file in $(find field fft crt gpu product poly modular ranks bindings cli papers bench tests examples -name '*.[ch]' -o -name '*.inc' \
    -o -name '*.cu' -o -name '*.cuh' -o -name '*.cpp' -o -name '*.hpp' -o -name '*.py'); do
    grep -qE '^( \*|#|//) SPDX-License-Identifier: LGPL-3\.0-or-later( \*/)?$' "$file" || {
        echo "$file: no line with the licence alone" >&2
        status=1
    }
done
exit $status
