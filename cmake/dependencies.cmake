# GMP, libxxhash's header and, with GFP_FLINT=ON, FLINT, found by name. CMAKE_PREFIX_PATH names further
# folders to search.
find_library(GFP_GMP_LIBRARY gmp)
find_path(GFP_GMP_INCLUDE_DIR gmp.h)
if(NOT GFP_GMP_LIBRARY OR NOT GFP_GMP_INCLUDE_DIR)
    message(FATAL_ERROR "GMP not found; on Debian: apt-get install libgmp-dev")
endif()
if(NOT TARGET gmp) # another project may have it
    add_library(gmp INTERFACE IMPORTED GLOBAL)
    target_link_libraries(gmp INTERFACE ${GFP_GMP_LIBRARY})
    target_include_directories(gmp INTERFACE ${GFP_GMP_INCLUDE_DIR})
endif()

# XXH3, the checksum of binary files (poly/binary.c). The header is enough: no library is linked.
find_path(GFP_XXHASH_INCLUDE_DIR xxhash.h)
if(NOT GFP_XXHASH_INCLUDE_DIR)
    message(FATAL_ERROR "xxhash.h not found; on Debian: apt-get install libxxhash-dev")
endif()

set(GFP_FLINT_OLDEST 2.9)
set(GFP_FLINT_LIBRARIES "")
set(GFP_FLINT_INCLUDE_DIRS "")
if(GFP_FLINT)
    find_library(GFP_FLINT_LIBRARY flint)
    find_path(GFP_FLINT_INCLUDE_DIR flint/flint.h)
    if(NOT GFP_FLINT_LIBRARY OR NOT GFP_FLINT_INCLUDE_DIR)
        message(FATAL_ERROR "FLINT not found; on Debian: apt-get install libflint-dev. "
            "Or configure with -DGFP_FLINT=OFF to build without the methods that use it.")
    endif()
    set(version_line "^# *define __FLINT_VERSION(_MINOR)?[ ]+([0-9]+).*")
    file(STRINGS ${GFP_FLINT_INCLUDE_DIR}/flint/flint.h lines REGEX "${version_line}")
    list(TRANSFORM lines REPLACE "${version_line}" "\\2")
    list(JOIN lines "." GFP_FLINT_VERSION)
    if(GFP_FLINT_VERSION AND GFP_FLINT_VERSION VERSION_LESS GFP_FLINT_OLDEST)
        message(FATAL_ERROR "FLINT ${GFP_FLINT_VERSION} is too old: gfpoly needs ${GFP_FLINT_OLDEST}. "
            "Or configure with -DGFP_FLINT=OFF to build without the methods that use it.")
    endif()
    find_library(GFP_MPFR_LIBRARY mpfr)
    set(GFP_FLINT_LIBRARIES ${GFP_FLINT_LIBRARY})
    if(GFP_MPFR_LIBRARY)
        list(APPEND GFP_FLINT_LIBRARIES ${GFP_MPFR_LIBRARY})
    endif()
    set(GFP_FLINT_INCLUDE_DIRS ${GFP_FLINT_INCLUDE_DIR})
endif()
find_package(Threads REQUIRED)

# GFP_PARALLEL: how loops are shared between threads (field/base/parallel.h). PTHREADS is for thread sanitizers,
# which cannot follow OpenMP's library. Only one file needs OpenMP's compiler flag, and the library links
# OpenMP's run-time library; users compile without the flag. One thread, too, needs the thread library, for
# pthread_atfork; today it is a part of libc.
set(GFP_PARALLEL 0)
set(GFP_THREAD_LIBRARIES Threads::Threads)
set(GFP_THREAD_NAMES "")
if(GFP_OPENMP STREQUAL "PTHREADS" OR (GFP_OPENMP STREQUAL "AUTO" AND GFP_SANITIZE MATCHES "thread"))
    set(GFP_PARALLEL 2)
elseif(GFP_OPENMP STREQUAL "AUTO" OR GFP_OPENMP)
    find_package(OpenMP COMPONENTS C)
    if(OpenMP_C_FOUND)
        set(GFP_PARALLEL 1)
        set(GFP_THREAD_LIBRARIES ${OpenMP_C_LIBRARIES})
        set(GFP_THREAD_NAMES ${OpenMP_C_LIB_NAMES})
        list(REMOVE_ITEM GFP_THREAD_NAMES pthread)
    elseif(NOT GFP_OPENMP STREQUAL "AUTO")
        message(FATAL_ERROR "No OpenMP for this compiler; on Debian gcc brings it, clang 14 needs "
            "apt-get install libomp-14-dev. GFP_OPENMP=OFF builds for one thread.")
    else()
        message(STATUS "No OpenMP for this compiler: gfpoly computes with one thread")
    endif()
endif()
