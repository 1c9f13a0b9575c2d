#!/bin/sh
# Checks that clang-format changes no C or CUDA source. Arguments: source folder, clang-format.
cd "$1" || exit 1
find field fft crt gpu product poly modular bindings cli papers tests bench examples \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \
    -o -name '*.hpp' \) -exec "$2" --dry-run -Werror {} +
