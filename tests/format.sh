#!/bin/sh
# Every C source is as clang-format writes it. Arguments: source folder, clang-format.
cd "$1" || exit 1
find field fft crt poly cli tests bench examples -name '*.[ch]' -exec "$2" --dry-run -Werror {} +
