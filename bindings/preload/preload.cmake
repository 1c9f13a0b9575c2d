# gfp_preload_library(NAME SOURCE ...): a library for LD_PRELOAD. It is the static library with GMP inside, all of
# it hidden, and without FLINT, OpenMP and CUDA: the files that would use them are compiled again without them, and
# as the linker finds their functions there, it does not take those of the library. exports.map names what is shown.
include_guard()
find_library(GFP_GMP_ARCHIVE NAMES libgmp.a)
if(NOT GFP_GMP_ARCHIVE OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT GFP_LINKER_HAS_EXCLUDE_LIBS)
    message(STATUS "No libraries for LD_PRELOAD: they need Linux, libgmp.a and a linker with --exclude-libs")
endif()
function(gfp_preload_library name)
    if(NOT GFP_GMP_ARCHIVE OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT GFP_LINKER_HAS_EXCLUDE_LIBS)
        return()
    endif()
    add_library(${name} SHARED ${ARGN})
    set(room ${PROJECT_SOURCE_DIR}/bindings/preload)
    foreach(file hosts settings memory held apart decision modulus product quiet)
        target_sources(${name} PRIVATE ${room}/${file}.c)
    endforeach()
    foreach(file field/base/parallel.c gpu/backends.c crt/small/flint_support.c crt/small/flint_mul.c crt/small/flint_zmul.c
            crt/small/flint_zgcd.c crt/small/multimodular.c)
        target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/${file})
    endforeach()
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
    target_include_directories(${name} SYSTEM PRIVATE ${GFP_GMP_INCLUDE_DIR})
    target_compile_definitions(${name} PRIVATE GFP_HAVE_FLINT=0 GFP_HAVE_CUDA=0 GFP_CUDA_PLUGIN=0 GFP_PARALLEL=2
        GFP_VERSION_STRING="${PROJECT_VERSION}")
    gfp_compile_options(${name})
    # The library is loaded with the program: the loader, which may allocate, is not asked for a thread's variables.
    target_compile_options(${name} PRIVATE -ftls-model=initial-exec)
    add_dependencies(${name} gfpoly_static)
    target_link_libraries(${name} PRIVATE $<TARGET_FILE:gfpoly_static> ${GFP_GMP_ARCHIVE} m Threads::Threads
        ${CMAKE_DL_LIBS})
    target_link_options(${name} PRIVATE LINKER:--exclude-libs,ALL
        LINKER:--version-script=${CMAKE_CURRENT_SOURCE_DIR}/exports.map
        LINKER:--wrap=stderr LINKER:--wrap=fprintf LINKER:--wrap=__fprintf_chk
        LINKER:--wrap=gfp_work_take LINKER:--wrap=gfp_work_give)
    if(NOT GFP_SANITIZE)
        target_link_options(${name} PRIVATE LINKER:--no-undefined)
    endif()
    # The name is given to LD_PRELOAD; nothing links the library.
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C NO_SONAME ON
        LINK_DEPENDS $<TARGET_FILE:gfpoly_static>)
endfunction()
