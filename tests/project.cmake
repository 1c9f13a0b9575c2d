# Tests of the project as a whole: proofs by script, the README's examples, valgrind, and the rule that
# rooms do not include upwards by relative paths.

find_program(GFP_PYTHON python3)
if(GFP_PYTHON)
    add_test(NAME ranges COMMAND ${GFP_PYTHON} ${CMAKE_SOURCE_DIR}/field/ranges.py)
endif()

add_test(NAME layout COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/layout.sh ${CMAKE_SOURCE_DIR})

# The C program and the shell session of README.md, with what it prints.
add_test(NAME readme COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/readme.sh ${CMAKE_SOURCE_DIR}
    ${CMAKE_BINARY_DIR} ${CMAKE_C_COMPILER} "${GFP_SANITIZE}" ${GFP_FLINT_LIBRARIES})

# A small product under valgrind: no error, no definite leak (FLINT keeps a cache per thread). The
# sanitizers do not run under it.
find_program(GFP_VALGRIND valgrind)
if(GFP_VALGRIND AND NOT GFP_SANITIZE)
    add_test(NAME valgrind COMMAND ${GFP_VALGRIND} -q --error-exitcode=9 --leak-check=full
        --errors-for-leak-kinds=definite --show-leak-kinds=definite
        $<TARGET_FILE:gfpoly> demo --field p8 --field m4 --field 30^32+1 --len 40 --all)
    set_tests_properties(valgrind PROPERTIES LABELS slow)
endif()
