# Hosts that gfpoly is written for: 64-bit, little-endian, with a 128-bit integer type.
include(CheckCSourceCompiles)
if(NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
    message(FATAL_ERROR "gfpoly needs a 64-bit host; this compiler makes pointers of "
        "${CMAKE_SIZEOF_VOID_P} bytes.")
endif()
if(NOT CMAKE_C_BYTE_ORDER STREQUAL "LITTLE_ENDIAN")
    message(FATAL_ERROR "gfpoly needs a little-endian host.")
endif()
check_c_source_compiles("int main(void) { unsigned __int128 x = 1; return (int)(x >> 64); }"
    GFP_HAVE_INT128)
if(NOT GFP_HAVE_INT128)
    message(FATAL_ERROR "gfpoly needs a compiler with unsigned __int128 (gcc or clang).")
endif()
