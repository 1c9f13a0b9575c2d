# Toolchain for AArch64 on another CPU: Debian's cross compiler, GMP and cmocka from
# build/arm64-libraries (scripts/arm64.sh fills that folder), and QEMU, which runs the programs.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
# Without this compiler the tests in C++ are left out: the host's compiler cannot build them.
find_program(GFP_CROSS_CXX aarch64-linux-gnu-g++)
mark_as_advanced(GFP_CROSS_CXX)
set(CMAKE_CXX_COMPILER ${GFP_CROSS_CXX})

cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH GFP_ARM64)
string(APPEND GFP_ARM64 /build/arm64-libraries)
# The second folder is the cross compiler's: FindOpenMP needs libgomp.
file(GLOB GFP_CROSS /usr/lib/gcc-cross/aarch64-linux-gnu/*)
set(CMAKE_FIND_ROOT_PATH ${GFP_ARM64} ${GFP_CROSS})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)

find_program(GFP_QEMU NAMES qemu-aarch64-static qemu-aarch64)
mark_as_advanced(GFP_QEMU)
if(GFP_QEMU)
    set(CMAKE_CROSSCOMPILING_EMULATOR ${GFP_QEMU} -L /usr/aarch64-linux-gnu)
endif()
