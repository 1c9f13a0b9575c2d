# Tests of libgfpoly_flint.so: a C program over FLINT, which does not link gfpoly, with each setting.
add_executable(test_flint_preload ${PROJECT_SOURCE_DIR}/bindings/preload/tests/flint.c)
target_include_directories(test_flint_preload PRIVATE ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
target_include_directories(test_flint_preload SYSTEM PRIVATE ${GFP_FLINT_INCLUDE_DIRS} ${GFP_GMP_INCLUDE_DIR}
    ${GFP_CMOCKA_INCLUDE_DIR})
target_link_libraries(test_flint_preload PRIVATE ${GFP_FLINT_LIBRARIES} gmp ${GFP_CMOCKA_LIBRARY}
    Threads::Threads ${CMAKE_DL_LIBS})
add_dependencies(test_flint_preload gfpoly_flint)
gfp_compile_options(test_flint_preload)
foreach(setting on off verify mod z)
    add_test(NAME flint_preload_${setting} COMMAND test_flint_preload)
    set_tests_properties(flint_preload_${setting} PROPERTIES TIMEOUT 900 ENVIRONMENT
        "LD_PRELOAD=$<TARGET_FILE:gfpoly_flint>;GFPOLY_FLINT=${setting};ASAN_OPTIONS=verify_asan_link_order=0:detect_stack_use_after_return=0")
endforeach()
if(NOT GFP_SANITIZE)
    add_test(NAME flint_library COMMAND sh ${PROJECT_SOURCE_DIR}/bindings/preload/tests/library.sh ${CMAKE_NM} ${CMAKE_READELF}
        $<TARGET_FILE:gfpoly_flint> ${PROJECT_SOURCE_DIR}/bindings/preload/flint/exports.map
        $<TARGET_FILE:test_flint_preload> GFPOLY_FLINT flints)
    # python-flint's wheel, and both FLINTs in one process.
    add_test(NAME flint_python COMMAND sh ${PROJECT_SOURCE_DIR}/bindings/preload/tests/python.sh
        $<TARGET_FILE:gfpoly_flint> ${PROJECT_SOURCE_DIR}/bindings/preload/tests/python_flint.py ${GFP_FLINT_LIBRARY}
        ${PROJECT_BINARY_DIR})
    set_tests_properties(flint_python PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
endif()
