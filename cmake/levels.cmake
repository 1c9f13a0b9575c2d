# Kernel levels and their instruction sets. The flags apply only to the files of a level; the rest of the
# library stays at the compiler's baseline (test: disassembly).
include(CheckCCompilerFlag)

set(GFP_X86_LEVELS 0)
set(GFP_NEON_LEVEL 0)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
    set(GFP_NEON_LEVEL 1)
    # The sources of AVX2 over field/kernels/vector_neon.h. Products and sums stay apart: gcc would fuse them.
    # Without scheduling before registers are given, fewer are spilled: products take 2 to 6 % fewer instructions.
    set(GFP_AVX2_FLAGS -ffp-contract=off $<$<C_COMPILER_ID:GNU>:-fno-schedule-insns>)
else()
    set(GFP_AVX2_FLAGS -mavx2 -mfma)
endif()
# Sources of both levels read __AVX512IFMA__, which the compiler's own flags may set (-march=native).
set(GFP_AVX512DQ_FLAGS ${GFP_AVX2_FLAGS} -mavx512f -mavx512dq -mavx512bw -mavx512vl -mno-avx512ifma
    -mprefer-vector-width=512)
set(GFP_AVX512IFMA_FLAGS ${GFP_AVX512DQ_FLAGS} -mavx512ifma)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
    string(REPLACE ";" " " flags "${GFP_AVX512IFMA_FLAGS}")
    check_c_compiler_flag("${flags}" GFP_COMPILER_HAS_AVX512IFMA)
    if(GFP_COMPILER_HAS_AVX512IFMA)
        set(GFP_X86_LEVELS 1)
    endif()
endif()

# gfp_level_options(AVX2|AVX512DQ|AVX512IFMA <files>): compiles the caller's files for the level. The files' names
# end in avx2.c and avx512.c.
function(gfp_level_options level)
    set(flags ${GFP_${level}_FLAGS})
    if(GFP_SANITIZE_LEVELS)
        # All checks, without optimisation, which would make a file take ten times as long.
        # Without optimisation intrinsics are macros; -w hides their warnings.
        list(APPEND flags -O0 -w)
    elseif(GFP_SANITIZE MATCHES "address.*undefined")
        # These checks double the time to compile a file, and AddressSanitizer finds most wrong
        # addresses without them. scripts/full.sh runs them.
        list(APPEND flags -fno-sanitize=null,alignment,object-size,pointer-overflow)
    endif()
    if(GFP_SANITIZE MATCHES address AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
        # From version 13 on gcc moves frames to the heap without aligning them to 64 bytes, as the
        # vectors in them need: such programs crash (gcc's bug 110027).
        list(APPEND flags --param=asan-use-after-return=0)
    endif()
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${flags}")
endfunction()

# gfp_level_sources(<room> AVX2|AVX512DQ|AVX512IFMA <files>): adds the files to the room, compiled for the level. Does
# nothing if the target has no such level. NEON has the sources of AVX2.
function(gfp_level_sources room level)
    if(GFP_X86_LEVELS OR (GFP_NEON_LEVEL AND level STREQUAL AVX2))
        target_sources(gfp_${room} PRIVATE ${ARGN})
        gfp_level_options(${level} ${ARGN})
    endif()
endfunction()

# gfp_wide_sources(<variable> <files>): sources of the level AVX512DQ, in the build folder, that compile AVX2's files
# with vectors of 512 bits (field/kernels/vector_wide.h), or those of AVX512IFMA with other products.
function(gfp_wide_sources variable)
    set(wide "")
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    foreach(file ${ARGN})
        string(REGEX REPLACE "avx(2|512).c$" "wide_avx512.c" name ${file})
        set(source ${CMAKE_CURRENT_BINARY_DIR}/${name})
        file(CONFIGURE OUTPUT ${source} CONTENT "#define GFP_WIDE\n#include \"${folder}/${file}\"\n" @ONLY)
        list(APPEND wide ${source})
    endforeach()
    set(${variable} ${wide} PARENT_SCOPE)
endfunction()
