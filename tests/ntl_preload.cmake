# Tests of libgfpoly_ntl.so: a C++ program over NTL, which does not link gfpoly, with each setting.
add_executable(test_ntl_preload test_ntl_preload.cpp)
target_include_directories(test_ntl_preload SYSTEM PRIVATE ${GFP_NTL_INCLUDE_DIR} ${GFP_GMP_INCLUDE_DIR}
    ${GFP_CMOCKA_INCLUDE_DIR})
target_link_libraries(test_ntl_preload PRIVATE ${GFP_NTL_LIBRARY} gmp ${GFP_CMOCKA_LIBRARY} Threads::Threads
    ${CMAKE_DL_LIBS})
add_dependencies(test_ntl_preload gfpoly_ntl)
target_compile_options(test_ntl_preload PRIVATE -Wall -Wextra $<$<BOOL:${GFP_WERROR}>:-Werror>)
set_target_properties(test_ntl_preload PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON)
if(GFP_SANITIZE)
    target_compile_options(test_ntl_preload PRIVATE -fsanitize=${GFP_SANITIZE})
    target_link_options(test_ntl_preload PRIVATE -fsanitize=${GFP_SANITIZE})
endif()
foreach(setting on off verify)
    add_test(NAME ntl_preload_${setting} COMMAND test_ntl_preload)
    set_tests_properties(ntl_preload_${setting} PROPERTIES TIMEOUT 900 ENVIRONMENT
        "LD_PRELOAD=$<TARGET_FILE:gfpoly_ntl>;GFPOLY_NTL=${setting};ASAN_OPTIONS=verify_asan_link_order=0")
endforeach()
if(NOT GFP_SANITIZE)
    add_test(NAME ntl_library COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/preload_library.sh ${CMAKE_NM} ${CMAKE_READELF}
        $<TARGET_FILE:gfpoly_ntl> ${CMAKE_SOURCE_DIR}/bindings/ntl/exports.map $<TARGET_FILE:test_ntl_preload>
        GFPOLY_NTL ntls)
endif()
