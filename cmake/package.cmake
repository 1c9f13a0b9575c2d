# Debian packages by `cpack -G DEB`: one for each component of cmake/install.cmake. debian/control is the one place for
# names, maintainer, sections and descriptions, and debian/changelog is the packages' changelog; debian/rules
# makes the same packages by Debian's tools. scripts/packages.sh builds both and compares their files.
if(NOT EXISTS ${PROJECT_SOURCE_DIR}/debian/control)
    return()
endif()
file(STRINGS debian/control lines)

# gfp_control(<variable> <package> <field>): the value of the field in the paragraph of the package, "" if the field
# is missing; the source package and the command's package have one name. The lines that continue a value stay lines.
function(gfp_control variable package field)
    set(value "")
    set(inside OFF)
    set(wanted OFF)
    foreach(line IN LISTS lines)
        if(line MATCHES "^(Source|Package): *(.*)$")
            string(COMPARE EQUAL "${CMAKE_MATCH_2}" "${package}" inside)
            set(wanted OFF)
        elseif(line MATCHES "^([A-Za-z-]+): *(.*)$")
            set(wanted OFF)
            if(inside AND CMAKE_MATCH_1 STREQUAL field)
                set(wanted ON)
                set(value "${CMAKE_MATCH_2}")
            endif()
        elseif(wanted AND line MATCHES "^ +(.*)$")
            string(APPEND value "\n${CMAKE_MATCH_1}")
        endif()
    endforeach()
    set(${variable} "${value}" PARENT_SCOPE)
endfunction()

# Which package has a component, as in debian/rules.
set(GFP_PACKAGE_library libgfpoly0)
set(GFP_PACKAGE_development libgfpoly-dev)
set(GFP_PACKAGE_command gfpoly)
set(GFP_PACKAGE_python3 python3-gfpoly)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gfpoly)
gfp_control(CPACK_PACKAGE_CONTACT gfpoly Maintainer) # of the source package
# A package's description begins with its own synopsis.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_COMPONENTS_ALL library development command)
if(TARGET gfpoly_python)
    list(APPEND CPACK_COMPONENTS_ALL python3)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)

# Native packages have their changelog, compressed, and the copyright in /usr/share/doc/PACKAGE. EXCLUDE_FROM_ALL:
# `cmake --install` without a component installs none of these files.
find_program(GFP_GZIP gzip)
mark_as_advanced(GFP_GZIP)
foreach(component library development command python3)
    set(package ${GFP_PACKAGE_${component}})
    string(TOUPPER ${component} upper)
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
    gfp_control(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${package} Section)
    gfp_control(description ${package} Description)
    # CPack indents the lines of a description.
    set(CPACK_DEBIAN_${upper}_DESCRIPTION "${description}")
    # CPack 3.31 and later.
    gfp_control(CPACK_DEBIAN_${upper}_PACKAGE_MULTIARCH ${package} Multi-Arch)
    gfp_control(depends ${package} Depends)
    string(REPLACE "\n" " " depends "${depends}")
    string(REGEX REPLACE "\\$\\{(shlibs|misc|python3):Depends\\},? *" "" depends "${depends}")
    string(REPLACE "\${binary:Version}" "${PROJECT_VERSION}" depends "${depends}")
    string(REGEX REPLACE ", *$" "" depends "${depends}")
    set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}")
    gfp_control(CPACK_DEBIAN_${upper}_PACKAGE_SUGGESTS ${package} Suggests)
    install(FILES debian/copyright DESTINATION share/doc/${package} COMPONENT ${component} EXCLUDE_FROM_ALL)
    if(EXISTS ${PROJECT_SOURCE_DIR}/debian/${package}.lintian-overrides)
        install(FILES debian/${package}.lintian-overrides DESTINATION share/lintian/overrides RENAME ${package}
            COMPONENT ${component} EXCLUDE_FROM_ALL)
    endif()
    if(GFP_GZIP)
        set(file ${PROJECT_BINARY_DIR}/package/${package}/changelog.gz)
        file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/package/${package})
        execute_process(COMMAND ${GFP_GZIP} -9nc ${PROJECT_SOURCE_DIR}/debian/changelog OUTPUT_FILE ${file})
        install(FILES ${file} DESTINATION share/doc/${package} COMPONENT ${component} EXCLUDE_FROM_ALL)
    endif()
endforeach()
if(NOT GFP_FLINT)
    string(REGEX REPLACE "libflint-dev[^,]*, *" "" CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
        "${CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS}")
endif()
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
# Packages hold compressed manual pages, and a shared library has the index of libraries made anew.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package_files.cmake)
file(WRITE ${PROJECT_BINARY_DIR}/package/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/package/triggers)
# The Python package is for one version of Python; its modules are compiled when it is installed, as dh_python3 does.
# dpkg-shlibdeps finds the library of this build.
if(TARGET gfpoly_python)
    math(EXPR next "${GFP_PYTHON_MINOR} + 1")
    string(APPEND CPACK_DEBIAN_PYTHON3_PACKAGE_DEPENDS
        ", python3 (>= 3.${GFP_PYTHON_MINOR}~), python3 (<< 3.${next})")
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
    foreach(script postinst prerm)
        set(command py3compile)
        if(script STREQUAL "prerm")
            set(command py3clean)
        endif()
        set(file ${PROJECT_BINARY_DIR}/package/python3-gfpoly/${script})
        file(WRITE ${file} "#!/bin/sh\nset -e\nif command -v ${command} >/dev/null 2>&1; then\n"
            "    ${command} -p python3-gfpoly\nfi\n")
        file(CHMOD ${file} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
            GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
        list(APPEND CPACK_DEBIAN_PYTHON3_PACKAGE_CONTROL_EXTRA ${file})
    endforeach()
endif()
include(CPack)
