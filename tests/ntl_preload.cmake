# Tests of libgfpoly_ntl.so: C++ programs over NTL, which do not link gfpoly, with each setting.
set(source_of_ntl_preload ntl.cpp)
set(source_of_ntl_preload_division ntl_division.cpp)
foreach(name ntl_preload ntl_preload_division)
    add_executable(test_${name} ${PROJECT_SOURCE_DIR}/bindings/preload/tests/${source_of_${name}})
    target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    target_include_directories(test_${name} SYSTEM PRIVATE ${GFP_NTL_INCLUDE_DIR} ${GFP_GMP_INCLUDE_DIR}
        ${GFP_CMOCKA_INCLUDE_DIR})
    target_link_libraries(test_${name} PRIVATE ${GFP_NTL_LIBRARY} gmp ${GFP_CMOCKA_LIBRARY} Threads::Threads
        ${CMAKE_DL_LIBS})
    add_dependencies(test_${name} gfpoly_ntl)
    target_compile_options(test_${name} PRIVATE -Wall -Wextra $<$<BOOL:${GFP_WERROR}>:-Werror>)
    set_target_properties(test_${name} PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON)
    if(GFP_SANITIZE)
        target_compile_options(test_${name} PRIVATE -fsanitize=${GFP_SANITIZE})
        target_link_options(test_${name} PRIVATE -fsanitize=${GFP_SANITIZE})
    endif()
    foreach(setting on off verify)
        add_test(NAME ${name}_${setting} COMMAND test_${name})
        set_tests_properties(${name}_${setting} PROPERTIES TIMEOUT 900 ENVIRONMENT
            "LD_PRELOAD=$<TARGET_FILE:gfpoly_ntl>;GFPOLY_NTL=${setting};ASAN_OPTIONS=verify_asan_link_order=0:detect_stack_use_after_return=0")
    endforeach()
endforeach()
add_test(NAME ntl_preload_division_avx2 COMMAND test_ntl_preload_division divisors_of_few_terms_are_ntls)
set_tests_properties(ntl_preload_division_avx2 PROPERTIES ENVIRONMENT
    "LD_PRELOAD=$<TARGET_FILE:gfpoly_ntl>;GFPOLY_CPU=avx2;ASAN_OPTIONS=verify_asan_link_order=0:detect_stack_use_after_return=0")
if(NOT GFP_SANITIZE)
    add_test(NAME ntl_library COMMAND sh ${PROJECT_SOURCE_DIR}/bindings/preload/tests/library.sh ${CMAKE_NM} ${CMAKE_READELF}
        $<TARGET_FILE:gfpoly_ntl> ${PROJECT_SOURCE_DIR}/bindings/preload/ntl/exports.map $<TARGET_FILE:test_ntl_preload>
        GFPOLY_NTL ntls)
endif()
