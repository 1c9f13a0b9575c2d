# The files that `cmake --install` installs (folders: GNUInstallDirs): libraries, public headers, the command
# with its manual page and completions, the examples, and the files of pkg-config and find_package. The
# installed tree may be moved: no file in it names the prefix. Each file belongs to a component, which is a package
# (cmake/package.cmake, debian/rules): library, development, command; license is in no package.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# If a file is not built, the first step ends the installation before anything is installed.
add_custom_target(installed DEPENDS gfpoly gfpoly_shared gfpoly_static)
set(GFP_FURTHER_FILES "")
set(GFP_MPI_TARGETS "")
if(GFP_HAVE_MPI)
    set(GFP_MPI_TARGETS gfpoly_mpi_shared gfpoly_mpi_static gfpoly_ranks)
endif()
foreach(name ${GFP_MPI_TARGETS})
    add_dependencies(installed ${name})
    string(APPEND GFP_FURTHER_FILES " \"$<TARGET_FILE:${name}>\"")
endforeach()
foreach(name gfpoly_flint gfpoly_ntl)
    if(TARGET ${name})
        add_dependencies(installed ${name})
        string(APPEND GFP_FURTHER_FILES " \"$<TARGET_FILE:${name}>\"")
    endif()
endforeach()
install(CODE "
    foreach(file \"$<TARGET_FILE:gfpoly>\" \"$<TARGET_FILE:gfpoly_shared>\"
            \"$<TARGET_FILE:gfpoly_static>\" ${GFP_FURTHER_FILES})
        if(NOT EXISTS \"\${file}\")
            message(FATAL_ERROR \"Nothing was installed, since this file is not built: \${file}\\n\"
                \"It is built by: cmake --build \\\"${PROJECT_BINARY_DIR}\\\" --target installed\")
        endif()
    endforeach()" ALL_COMPONENTS)
install(TARGETS gfpoly RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
foreach(name gfpoly_flint gfpoly_ntl)
    if(TARGET ${name})
        install(TARGETS ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT command)
    endif()
endforeach()
# The programs by which the command measures other libraries, if these were found (bench/peers.cmake).
foreach(name flint ntl)
    if(TARGET gfpoly_peer_${name})
        install(TARGETS gfpoly_peer_${name} RUNTIME DESTINATION libexec/gfpoly
            COMPONENT command OPTIONAL)
    endif()
endforeach()
install(TARGETS gfpoly_shared gfpoly_static EXPORT gfpoly_targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set_target_properties(gfpoly_shared PROPERTIES EXPORT_NAME gfpoly)
# Polynomials over ranks: the shared library contains the whole of libgfpoly.so. The command finds its program.
install(TARGETS ${GFP_MPI_TARGETS} RUNTIME DESTINATION libexec/gfpoly COMPONENT mpi
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT mpi
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT mpi)
# The plug-in for CUDA beside the library. As a component of its own it can be installed alone.
if(TARGET gfpoly_cuda)
    add_dependencies(installed gfpoly_cuda)
    install(TARGETS gfpoly_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cuda NAMELINK_SKIP)
endif()

# The headers over FLINT are left out if the library was built without it.
set(GFP_HEADERS_LEFT_OUT "")
if(NOT GFP_FLINT)
    list(APPEND GFP_HEADERS_LEFT_OUT PATTERN flint.h EXCLUDE PATTERN zvec_flint.h EXCLUDE)
endif()
if(NOT TARGET gfp_gr)
    list(APPEND GFP_HEADERS_LEFT_OUT PATTERN gr.h EXCLUDE)
endif()
if(NOT GFP_HAVE_MPI)
    list(APPEND GFP_HEADERS_LEFT_OUT PATTERN mpi.h EXCLUDE)
endif()
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development ${GFP_HEADERS_LEFT_OUT})

# ---- pkg-config ----

# The prefix relative to the folder of gfpoly.pc; an absolute library folder does not determine a prefix.
set(GFP_PC_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    set(GFP_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
else()
    file(RELATIVE_PATH GFP_PC_UP /${GFP_PC_DIR} /)
    string(REGEX REPLACE "/$" "" GFP_PC_UP "${GFP_PC_UP}")
    set(GFP_PC_PREFIX "\${pcfiledir}/${GFP_PC_UP}")
endif()
foreach(kind LIB INCLUDE)
    if(IS_ABSOLUTE ${CMAKE_INSTALL_${kind}DIR})
        set(GFP_PC_${kind}DIR ${CMAKE_INSTALL_${kind}DIR})
    else()
        set(GFP_PC_${kind}DIR "\${prefix}/${CMAKE_INSTALL_${kind}DIR}")
    endif()
endforeach()

# Appends a library that a link needs to LISTS_REQUIRES if pkg-config knows the name, else to LISTS_LIBS and
# LISTS_CFLAGS as -lNAME, with folders that the compiler does not search by itself.
find_package(PkgConfig QUIET)
function(gfp_pc_need lists name library include_dir)
    if(PKG_CONFIG_FOUND)
        pkg_check_modules(GFP_PC_${name} QUIET ${name})
    endif()
    if(GFP_PC_${name}_FOUND)
        list(APPEND ${lists}_REQUIRES ${name})
    else()
        get_filename_component(folder ${library} DIRECTORY)
        if(NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
            list(APPEND ${lists}_LIBS -L${folder})
        endif()
        list(APPEND ${lists}_LIBS -l${name})
        if(include_dir AND NOT include_dir IN_LIST CMAKE_C_IMPLICIT_INCLUDE_DIRECTORIES)
            list(APPEND ${lists}_CFLAGS -I${include_dir})
        endif()
    endif()
    foreach(list REQUIRES LIBS CFLAGS)
        set(${lists}_${list} "${${lists}_${list}}" PARENT_SCOPE)
    endforeach()
endfunction()
# gfp_pc_install(<name> <lists>): configures the file of that name and installs it.
function(gfp_pc_install name lists)
    list(JOIN ${lists}_REQUIRES ", " GFP_PC_REQUIRES)
    list(JOIN ${lists}_LIBS " " GFP_PC_LIBS)
    list(JOIN ${lists}_CFLAGS " " GFP_PC_CFLAGS)
    configure_file(cmake/templates/${name}.pc.in ${name}.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${GFP_PC_DIR} COMPONENT development)
endfunction()

# gfpoly.pc: a static link needs the libraries. gfpoly-flint.pc: so do programs that include
# gfpoly/flint.h, whose types are FLINT's and GMP's.
foreach(lists GFP_STATIC GFP_BRIDGE)
    if(GFP_FLINT)
        gfp_pc_need(${lists} flint ${GFP_FLINT_LIBRARY} ${GFP_FLINT_INCLUDE_DIR})
        if(GFP_MPFR_LIBRARY AND lists STREQUAL "GFP_STATIC")
            gfp_pc_need(${lists} mpfr ${GFP_MPFR_LIBRARY} "")
        endif()
    endif()
    gfp_pc_need(${lists} gmp ${GFP_GMP_LIBRARY} ${GFP_GMP_INCLUDE_DIR})
endforeach()
if(GFP_HAVE_CUDA)
    list(APPEND GFP_STATIC_LIBS -L${GFP_CUDA_FOLDER} -lcudart_static -ldl -lrt -lpthread)
endif()
if(GFP_CUDA_PLUGIN)
    foreach(name ${CMAKE_DL_LIBS})
        list(APPEND GFP_STATIC_LIBS -l${name})
    endforeach()
endif()
# FLINT needs the thread library, which is part of libc today; the compiler finds OpenMP's library.
foreach(name ${GFP_THREAD_NAMES})
    list(APPEND GFP_STATIC_LIBS -l${name})
endforeach()
list(APPEND GFP_STATIC_LIBS -lm ${CMAKE_THREAD_LIBS_INIT})
gfp_pc_install(gfpoly GFP_STATIC)
# gfpoly-mpi.pc: the compiler is mpicc, which adds MPI by itself.
if(GFP_HAVE_MPI)
    gfp_pc_install(gfpoly-mpi GFP_STATIC)
endif()
if(GFP_FLINT)
    list(PREPEND GFP_BRIDGE_REQUIRES "gfpoly = ${PROJECT_VERSION}")
    gfp_pc_install(gfpoly-flint GFP_BRIDGE)
endif()

# ---- find_package(gfpoly) ----

set(GFP_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/gfpoly)
install(EXPORT gfpoly_targets NAMESPACE gfpoly:: FILE gfpolyTargets.cmake
    DESTINATION ${GFP_CONFIG_DIR} COMPONENT development)
configure_package_config_file(cmake/templates/gfpolyConfig.cmake.in gfpolyConfig.cmake
    INSTALL_DESTINATION ${GFP_CONFIG_DIR} NO_SET_AND_CHECK_MACRO)
# Before version 1.0 a new minor version may change the interface.
write_basic_package_version_file(gfpolyConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gfpolyConfig.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/gfpolyConfigVersion.cmake DESTINATION ${GFP_CONFIG_DIR}
    COMPONENT development)

# ---- documentation, completions, examples ----

configure_file(docs/gfpoly.1.in gfpoly.1 @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gfpoly.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
    COMPONENT command)
install(FILES README.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)
install(FILES COPYING COPYING.LESSER DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT license)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development
    FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")
install(FILES completion/gfpoly.bash RENAME gfpoly
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT command)
install(FILES completion/gfpoly.zsh RENAME _gfpoly
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT command)
set(GFP_EXAMPLES_LEFT_OUT PATTERN CMakeLists.txt EXCLUDE)
if(NOT GFP_FLINT)
    list(APPEND GFP_EXAMPLES_LEFT_OUT PATTERN flint_bridge.c EXCLUDE)
endif()
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT development
    ${GFP_EXAMPLES_LEFT_OUT})
