# Run by cmake -P at every build: writes OUTPUT, a C file with the commit of the sources in SOURCE and
# whether they have changes, for reports of measurements. COMMIT, if not empty, is taken instead: for
# sources outside a repository.
set(text "${COMMIT}")
if(text STREQUAL "")
    set(text unknown)
    find_package(Git QUIET)
    if(GIT_FOUND)
        execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} rev-parse --show-prefix HEAD
            OUTPUT_VARIABLE at RESULT_VARIABLE failed ERROR_QUIET)
        # The sources are the whole of the repository, not a folder of another one.
        if(NOT failed AND at MATCHES "^\n([0-9a-f]+)")
            string(SUBSTRING ${CMAKE_MATCH_1} 0 12 text)
            execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} status --porcelain
                OUTPUT_VARIABLE changes RESULT_VARIABLE failed ERROR_QUIET)
            if(NOT failed AND changes STREQUAL "")
                string(APPEND text ", clean")
            elseif(NOT failed)
                string(APPEND text ", with changes")
            endif()
        endif()
    endif()
endif()
set(content "extern const char gfp_commit[];\nconst char gfp_commit[] = \"${text}\";\n")
set(before "")
if(EXISTS ${OUTPUT})
    file(READ ${OUTPUT} before)
endif()
if(NOT before STREQUAL content)
    file(WRITE ${OUTPUT} "${content}")
endif()
