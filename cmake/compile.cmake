# Compiler flags common to all targets, and the function that declares a room.
set(GFP_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes
    -Wmissing-prototypes -Wundef -Wvla)

function(gfp_compile_options target)
    # CUDA's compiler has options of its own: cmake/cuda.cmake.
    target_compile_options(${target} PRIVATE "$<$<NOT:$<COMPILE_LANGUAGE:CUDA>>:${GFP_WARNINGS}>")
    target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L)
    target_compile_definitions(${target} PRIVATE GFP_X86_LEVELS=${GFP_X86_LEVELS})
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

# gfp_room(<name> SEES <lower rooms> SOURCES <files>): an OBJECT library gfp_<name> whose include
# path holds this room and the rooms it may see. An include from a higher room does not resolve.
function(gfp_room name)
    cmake_parse_arguments(ROOM "" "" "SEES;SOURCES" ${ARGN})
    add_library(gfp_${name} OBJECT ${ROOM_SOURCES})
    foreach(room ${name} ${ROOM_SEES})
        target_include_directories(gfp_${name} PRIVATE
            ${PROJECT_SOURCE_DIR}/${room} ${PROJECT_SOURCE_DIR}/${room}/include)
    endforeach()
    target_compile_definitions(gfp_${name} PRIVATE GFP_HAVE_FLINT=$<BOOL:${GFP_FLINT}>
        GFP_VERSION_STRING="${PROJECT_VERSION}")
    # FLINT's and GMP's headers do not pass our warnings: system headers.
    target_include_directories(gfp_${name} SYSTEM PRIVATE ${GFP_GMP_INCLUDE_DIR}
        ${GFP_FLINT_INCLUDE_DIRS})
    gfp_compile_options(gfp_${name})
endfunction()
