# Tests of the project as a whole: proofs by script, the README's examples, the scripts' refusal,
# formatting, valgrind, the main job for every named field, and the rules of the rooms.

# The interval proofs of lazy ranges, next to the code that relies on them.
find_program(GFP_PYTHON3 python3)
if(GFP_PYTHON3)
    file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/*/*ranges.py
        ${PROJECT_SOURCE_DIR}/*/*/*ranges.py ${PROJECT_SOURCE_DIR}/*/*/*/*ranges.py)
    foreach(script ${scripts})
        file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${script})
        string(REGEX REPLACE "\\.py$" "" name ${name})
        string(REPLACE "/" "_" name ${name})
        add_test(NAME ${name} COMMAND ${GFP_PYTHON3} ${script})
    endforeach()
    # The table of word-size primes is what its script writes.
    add_test(NAME words_primes COMMAND ${GFP_PYTHON3} ${PROJECT_SOURCE_DIR}/crt/blocks/primes.py --check)
    # The table of big primes in stock is what its script writes: the short ones, and, in 20 minutes, all.
    add_test(NAME primes_stock COMMAND ${GFP_PYTHON3} ${PROJECT_SOURCE_DIR}/field/primes/stock.py --check 4 8 16)
    add_test(NAME primes_stock_all COMMAND ${GFP_PYTHON3} ${PROJECT_SOURCE_DIR}/field/primes/stock.py --check)
    set_tests_properties(primes_stock PROPERTIES LABELS slow)
    set_tests_properties(primes_stock_all PROPERTIES LABELS long TIMEOUT 7200)
    # What these scripts share.
    add_test(NAME claims COMMAND ${GFP_PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/project/claims.py)
    # The page of kernel levels is what the tables say.
    add_test(NAME level_page COMMAND ${GFP_PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/project/levels.py)
    # The comparison of two programs' times, with invented times.
    add_test(NAME pairs COMMAND ${GFP_PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/project/pairs.py
        ${PROJECT_SOURCE_DIR}/bench/pairs.py)
    # The declarations keep the rules at the top of gfpoly.h.
    add_test(NAME declarations COMMAND ${GFP_PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/project/declarations.py
        ${PROJECT_SOURCE_DIR}/include)
    # What GFPoly.jl declares is what the headers say; the comparison finds wrong declarations.
    add_test(NAME julia_calls COMMAND ${GFP_PYTHON3} ${PROJECT_SOURCE_DIR}/bindings/julia/check_calls.py --self-test
        ${PROJECT_SOURCE_DIR})
endif()
# GFPoly.jl itself, where Julia is at hand.
if(NOT GFP_SANITIZE)
    add_test(NAME julia COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/project/julia.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
    set_tests_properties(julia PROPERTIES SKIP_RETURN_CODE 77)
endif()

add_test(NAME layout COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/project/layout.sh ${PROJECT_SOURCE_DIR})

# Only the kernel levels' objects hold instructions above the baseline.
find_program(GFP_OBJDUMP objdump)
if(GFP_X86_LEVELS AND GFP_OBJDUMP AND NOT GFP_SANITIZE)
    add_test(NAME disassembly COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/project/disassembly.sh
        $<TARGET_FILE:gfpoly_static> $<TARGET_FILE:gfpoly_papers_lib>)
endif()

# The C program and the shell transcript of README.md, with what it prints.
set(GFP_README_LIBRARIES ${GFP_FLINT_LIBRARIES})
if(GFP_PARALLEL EQUAL 1)
    list(APPEND GFP_README_LIBRARIES ${GFP_THREAD_LIBRARIES})
endif()
if(GFP_HAVE_CUDA)
    list(APPEND GFP_README_LIBRARIES ${CUDA_cudart_static_LIBRARY})
endif()
add_test(NAME readme COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/project/readme.sh ${PROJECT_SOURCE_DIR}
    ${PROJECT_BINARY_DIR} ${CMAKE_C_COMPILER} "${GFP_SANITIZE}" ${GFP_README_LIBRARIES})

# docs/porting.md, whose lines run next to FLINT, NTL and python-flint.
# gfp_porting_test(<section> <compiler> <include folder> <library>...)
function(gfp_porting_test section compiler folder)
    list(TRANSFORM GFP_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE flags)
    list(APPEND flags -I${folder} $<TARGET_FILE:gfpoly_shared> LINKER:-rpath,${PROJECT_BINARY_DIR})
    foreach(library ${ARGN})
        get_filename_component(folder ${library} DIRECTORY)
        list(APPEND flags ${library} LINKER:-rpath,${folder})
    endforeach()
    list(TRANSFORM flags REPLACE "^LINKER:" "-Wl,")
    add_test(NAME porting_${section} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/project/porting.sh ${PROJECT_SOURCE_DIR}
        ${section} ${compiler} ${flags} ${GFP_GMP_LIBRARY} -lm -pthread)
endfunction()
if(NOT GFP_SANITIZE)
    if(GFP_FLINT)
        gfp_porting_test(flint ${CMAKE_C_COMPILER} ${GFP_FLINT_INCLUDE_DIR} ${GFP_FLINT_LIBRARIES})
    endif()
    if(GFP_PEERS_NTL)
        gfp_porting_test(ntl ${CMAKE_CXX_COMPILER} ${GFP_NTL_INCLUDE_DIR} ${GFP_NTL_LIBRARY})
    endif()
    # The Python package, if this build has it, is in bindings/python/.
    set(python ${Python_EXECUTABLE})
    if(NOT python)
        set(python ${GFP_PYTHON3})
    endif()
    if(python)
        add_test(NAME porting_python COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/project/porting.sh ${PROJECT_SOURCE_DIR}
            python ${python})
        set_tests_properties(porting_python PROPERTIES SKIP_RETURN_CODE 77
            ENVIRONMENT "PYTHONPATH=${PROJECT_BINARY_DIR}/bindings/python;PYTHONDONTWRITEBYTECODE=1;GFPOLY_GPU=off")
    endif()
endif()

# gfpoly inside another project.
if(NOT GFP_SANITIZE AND CMAKE_GENERATOR STREQUAL Ninja)
    foreach(step configure build)
        add_test(NAME subproject_${step} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/project/subproject.sh ${PROJECT_SOURCE_DIR}
            ${CMAKE_COMMAND} ${CMAKE_C_COMPILER} ${step})
    endforeach()
    set_tests_properties(subproject_build PROPERTIES LABELS long TIMEOUT 1800)
    # A build without the libraries for LD_PRELOAD, as where libgmp.a is missing.
    add_test(NAME configure_without_preload COMMAND ${CMAKE_COMMAND} -G Ninja -S ${PROJECT_SOURCE_DIR}
        -B ${CMAKE_CURRENT_BINARY_DIR}/without_preload -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER} -DCMAKE_BUILD_TYPE=Release
        -DGFP_CUDA=OFF -DGFP_GMP_ARCHIVE=OFF)
    set_tests_properties(configure_without_preload PROPERTIES PASS_REGULAR_EXPRESSION
        "No libraries for LD_PRELOAD.*Generating done" FAIL_REGULAR_EXPRESSION "CMake Error")
endif()

# The recipes of packaging/ and debian/.
add_test(NAME packaging COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/project/packaging.sh ${PROJECT_SOURCE_DIR}
    ${PROJECT_BINARY_DIR} ${GFP_PYTHON3})

# A small product under valgrind: no error, no definite leak (FLINT keeps a cache per thread). valgrind always
# rounds to nearest, hence the portable kernels. Sanitizers do not run under valgrind.
find_program(GFP_VALGRIND valgrind)
if(GFP_VALGRIND AND NOT GFP_SANITIZE)
    add_test(NAME valgrind COMMAND ${GFP_VALGRIND} -q --error-exitcode=9 --leak-check=full
        --errors-for-leak-kinds=definite --show-leak-kinds=definite
        $<TARGET_FILE:gfpoly> demo --field p8 --field m4 --field 30^32+1 --len 40 --all)
    set_tests_properties(valgrind PROPERTIES LABELS once)
endif()

# gfpoly demo over every named field.
if(NOT GFP_SANITIZE)
    set(fields "p2: .*p4: .*p8: .*p16: .*p32: .*p64: .*p128: .*m4: .*m8: .*m16: .*m32: .*m64: .*m128: .*")
    add_test(NAME demo_all_fields COMMAND gfpoly demo --fields all --len 16384)
    set_tests_properties(demo_all_fields PROPERTIES LABELS long TIMEOUT 1200
        PASS_REGULAR_EXPRESSION "${fields}32767" FAIL_REGULAR_EXPRESSION "differ")
endif()

# The systems that CMake takes (docs/SCOPE.md).
add_test(NAME systems COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/project/systems.sh ${CMAKE_COMMAND}
    ${PROJECT_SOURCE_DIR}/cmake/host.cmake)
# The scripts with replacements for the programs that they run: packages, old systems, jobs, stages, summary.
foreach(name setup stages)
    add_test(NAME ${name} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/project/${name}.sh ${PROJECT_SOURCE_DIR})
endforeach()
# scripts/gpu.sh with replacements for the programs that it runs.
add_test(NAME gpu_script COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/project/gpu_script.sh ${PROJECT_SOURCE_DIR})

# Formatting, by clang-format 14: other versions differ in details.
find_program(GFP_CLANG_FORMAT NAMES clang-format-14 clang-format)
mark_as_advanced(GFP_CLANG_FORMAT)
set(version none)
if(GFP_CLANG_FORMAT)
    execute_process(COMMAND ${GFP_CLANG_FORMAT} --version OUTPUT_VARIABLE version
        OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(version MATCHES "version 14\\.")
    add_test(NAME format COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/project/format.sh ${PROJECT_SOURCE_DIR}
        ${GFP_CLANG_FORMAT})
else()
    add_test(NAME format COMMAND sh -c
        "echo 'skipped: the format is that of clang-format 14; here is $0'; exit 77" "${version}")
    set_tests_properties(format PROPERTIES SKIP_RETURN_CODE 77)
endif()

# CUDA's runtime is linked by its path, never by a name that the linker has to find.
if(GFP_HAVE_CUDA AND CMAKE_GENERATOR STREQUAL "Ninja")
    add_test(NAME cuda_by_path COMMAND sh -c
        "grep -q 'LINK_LIBRARIES = .*/libcudart_static\\.a' \"$0\" && ! grep -o -e '-lcud.*' \"$0\""
        ${PROJECT_BINARY_DIR}/build.ninja)
endif()
