# Compiler flags common to all targets, and the function that declares a room.
set(GFP_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes
    -Wmissing-prototypes -Wundef -Wvla)

function(gfp_compile_options target)
    # CUDA's compiler has options of its own: cmake/cuda.cmake.
    target_compile_options(${target} PRIVATE "$<$<NOT:$<COMPILE_LANGUAGE:CUDA>>:${GFP_WARNINGS}>")
    target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L)
    target_compile_definitions(${target} PRIVATE GFP_X86_LEVELS=${GFP_X86_LEVELS}
        GFP_NEON_LEVEL=${GFP_NEON_LEVEL})
    if(GFP_WERROR)
        target_compile_options(${target} PRIVATE $<$<NOT:$<COMPILE_LANGUAGE:CUDA>>:-Werror>)
    endif()
    if(GFP_VERIFY)
        target_compile_definitions(${target} PRIVATE GFP_VERIFY=1)
    else()
        target_compile_definitions(${target} PRIVATE GFP_VERIFY=0)
    endif()
    if(GFP_SANITIZE)
        target_compile_options(${target} PRIVATE "$<$<NOT:$<COMPILE_LANGUAGE:CUDA>>:\
-fsanitize=${GFP_SANITIZE};-fno-sanitize-recover=all;-fno-omit-frame-pointer>")
        target_link_options(${target} PRIVATE -fsanitize=${GFP_SANITIZE})
    endif()
endfunction()

# gfp_instances(<variable> <macro> [AS <name>] VALUES <value>... FILES <file>...): the sources that compile each file
# once for each value of the macro, side by side. They are files in the build folder that include the file, and keep
# its name, or have the name AS.
function(gfp_instances variable macro)
    cmake_parse_arguments(INSTANCES "" "AS" "VALUES;FILES" ${ARGN})
    set(instances "")
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    foreach(file ${INSTANCES_FILES})
        set(name ${file})
        if(INSTANCES_AS)
            set(name ${INSTANCES_AS})
        endif()
        foreach(value ${INSTANCES_VALUES})
            set(instance ${CMAKE_CURRENT_BINARY_DIR}/${macro}_${value}/${name})
            file(CONFIGURE OUTPUT ${instance} CONTENT "#include \"${folder}/${file}\"\n" @ONLY)
            set_source_files_properties(${instance} PROPERTIES COMPILE_DEFINITIONS ${macro}=${value})
            list(APPEND instances ${instance})
        endforeach()
    endforeach()
    set(${variable} ${instances} PARENT_SCOPE)
endfunction()

# gfp_room(<name> SEES <lower rooms> FOLDERS <folders> HEADERS <public headers> SOURCES <files>): an OBJECT library
# gfp_<name>. FOLDERS are those of the room, lower ones first; "." is the room's own. cmake/layout.cmake checks that
# no file includes one of a higher folder or room.
function(gfp_room name)
    cmake_parse_arguments(ROOM "" "" "SEES;FOLDERS;HEADERS;SOURCES" ${ARGN})
    gfp_check_room(${name} "${ROOM_SEES}" "${ROOM_FOLDERS}" "${ROOM_HEADERS}")
    gfp_room_library(${name} ${ROOM_SOURCES})
endfunction()
# gfp_room_library(<name> <files>): the OBJECT library alone.
function(gfp_room_library name)
    add_library(gfp_${name} OBJECT ${ARGN})
    target_include_directories(gfp_${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
    target_compile_definitions(gfp_${name} PRIVATE GFP_HAVE_FLINT=$<BOOL:${GFP_FLINT}>
        GFP_VERSION_STRING="${PROJECT_VERSION}")
    # FLINT's and GMP's headers do not pass our warnings: system headers.
    target_include_directories(gfp_${name} SYSTEM PRIVATE ${GFP_GMP_INCLUDE_DIR}
        ${GFP_FLINT_INCLUDE_DIRS})
    gfp_compile_options(gfp_${name})
endfunction()
