# Kernel levels: which sources are compiled for which instructions. Flags apply to the files of a level
# only, never to the library: everything else stays at the compiler's baseline (test: disassembly).
include(CheckCCompilerFlag)

set(GFP_AVX2_FLAGS -mavx2 -mfma)
set(GFP_AVX512IFMA_FLAGS ${GFP_AVX2_FLAGS} -mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx512ifma
    -mprefer-vector-width=512)
set(GFP_X86_LEVELS 0)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
    string(REPLACE ";" " " flags "${GFP_AVX512IFMA_FLAGS}")
    check_c_compiler_flag("${flags}" GFP_COMPILER_HAS_AVX512IFMA)
    if(GFP_COMPILER_HAS_AVX512IFMA)
        set(GFP_X86_LEVELS 1)
    endif()
endif()

# gfp_level_sources(<room> AVX2|AVX512IFMA <files>): adds the files to the room, compiled for the level;
# nothing where the target has no such level. Their names end in _avx2.c and _avx512.c.
function(gfp_level_sources room level)
    if(GFP_X86_LEVELS)
        target_sources(gfp_${room} PRIVATE ${ARGN})
        set(flags ${GFP_${level}_FLAGS})
        if(GFP_SANITIZE_LEVELS)
            # All checks, without optimisation: a tenth of the minutes that a file takes with it.
            # Intrinsics are macros then, whose warnings are not ours.
            list(APPEND flags -O0 -w)
        elseif(GFP_SANITIZE MATCHES "address.*undefined")
            # AddressSanitizer finds most wrong addresses: these checks double the minutes that a file
            # takes. scripts/full.sh runs them too.
            list(APPEND flags -fno-sanitize=null,alignment,object-size,pointer-overflow)
        endif()
        if(GFP_SANITIZE MATCHES address AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
            # Frames that gcc moves to the heap are not aligned to 64 bytes, the vectors in them are
            # taken to be: such programs crash (gcc's bug 110027; it moves frames from version 13 on).
            list(APPEND flags --param=asan-use-after-return=0)
        endif()
        set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${flags}")
    endif()
endfunction()
