# Tests of the installation: the tree and its use from C and C++ (installed.sh), the manual page, the
# completions. The project has no C++: only these tests look for a compiler.
find_program(GFP_CXX NAMES c++ g++ clang++)
mark_as_advanced(GFP_CXX)
if(NOT GFP_CXX)
    set(GFP_CXX "")
endif()
get_target_property(GFP_SOVERSION gfpoly_shared SOVERSION)
set(GFP_PRELOAD OFF)
if(TARGET gfpoly_flint)
    set(GFP_PRELOAD ON)
endif()
configure_file(install/settings.sh.in ${CMAKE_CURRENT_BINARY_DIR}/settings.sh @ONLY)

function(gfp_installed_test name)
    add_test(NAME ${name} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/installed.sh
        ${CMAKE_CURRENT_BINARY_DIR}/settings.sh ${ARGN})
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 FIXTURES_REQUIRED installed)
endfunction()
gfp_installed_test(install install)
set_tests_properties(install PROPERTIES FIXTURES_SETUP installed FIXTURES_REQUIRED "")
gfp_installed_test(exports exports)
gfp_installed_test(install_refused refused)
set_tests_properties(install_refused PROPERTIES FIXTURES_REQUIRED "")
foreach(step headers pkgconfig package moved)
    gfp_installed_test(install_${step}_c ${step} c)
    gfp_installed_test(install_${step}_cxx ${step} c++)
endforeach()
# These tests install on their own, and every installation writes the build folder's manifest.
set_tests_properties(install_moved_c install_moved_cxx PROPERTIES LABELS slow
    RESOURCE_LOCK install_manifest FIXTURES_REQUIRED "")
set_tests_properties(install PROPERTIES RESOURCE_LOCK install_manifest)
get_property(tests DIRECTORY PROPERTY TESTS)
foreach(name ${tests})
    if(name MATCHES "^(install(_.*)?|exports)$")
        set_property(TEST ${name} APPEND PROPERTY LABELS installed)
    endif()
endforeach()

add_test(NAME manual COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/manual.sh
    ${CMAKE_BINARY_DIR}/gfpoly.1 $<TARGET_FILE:gfpoly>)
foreach(shell bash zsh)
    find_program(GFP_${shell} ${shell})
    mark_as_advanced(GFP_${shell})
    if(GFP_${shell})
        add_test(NAME completion_${shell} COMMAND ${GFP_${shell}}
            ${CMAKE_CURRENT_SOURCE_DIR}/completion.${shell}
            ${CMAKE_SOURCE_DIR}/completion/gfpoly.${shell} $<TARGET_FILE:gfpoly>)
    else()
        add_test(NAME completion_${shell} COMMAND sh -c "echo no ${shell} found; exit 77")
    endif()
    set_tests_properties(completion_${shell} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
