# Programs under mpirun, on any number of processors: ranks that wait give way to others. The variables are Open MPI's.
set(GFP_MPI_ENVIRONMENT GFPOLY_GPU=off CMOCKA_TEST_ABORT=1 OMP_WAIT_POLICY=passive
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl=self,vader
    OMPI_MCA_btl_vader_single_copy_mechanism=none
    PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe)
# Open MPI frees less than it allocates. A test asks for more memory than there is.
if(GFP_SANITIZE)
    list(APPEND GFP_MPI_ENVIRONMENT ASAN_OPTIONS=allocator_may_return_null=1
        LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_SOURCE_DIR}/ranks/leaks.txt:fast_unwind_on_malloc=0:print_suppressions=0)
endif()
# gfp_ranks_program(<name> <files>): the program test_NAME.
function(gfp_ranks_program name)
    add_executable(test_${name} lab/ranks.c ${ARGN})
    target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_definitions(test_${name} PRIVATE ${GFP_MPI_DEFINITIONS})
    target_link_libraries(test_${name} PRIVATE gfp_lab gfpoly_mpi_static ${GFP_CMOCKA_LIBRARY} gmp Threads::Threads)
    gfp_compile_options(test_${name})
endfunction()
# gfp_ranks_test(<name> <ranks>... [COMMAND <program and arguments>]): tests NAME_RANKS.
function(gfp_ranks_test name)
    cmake_parse_arguments(RANKS "" "" "COMMAND" ${ARGN})
    if(NOT RANKS_COMMAND)
        set(RANKS_COMMAND test_${name})
        if(TARGET test_${name})
            set(RANKS_COMMAND $<TARGET_FILE:test_${name}>)
        endif()
    endif()
    foreach(count ${RANKS_UNPARSED_ARGUMENTS})
        add_test(NAME ${name}_${count} COMMAND ${MPIEXEC_EXECUTABLE} -n ${count} ${RANKS_COMMAND})
        set_tests_properties(${name}_${count} PROPERTIES RUN_SERIAL TRUE TIMEOUT 300 LABELS ranks
            ENVIRONMENT "${GFP_MPI_ENVIRONMENT}")
        if(NOT count EQUAL 2) # not under sanitizers
            set_property(TEST ${name}_${count} APPEND PROPERTY LABELS once)
        endif()
    endforeach()
endfunction()

gfp_ranks_program(ranks_comm ranks/comm.c)
gfp_ranks_test(ranks_comm 1 2 3 5)
# Polynomials, between ranks with shared memory and by messages.
gfp_ranks_program(ranks_poly ranks/poly.c)
gfp_ranks_test(ranks_poly 1 2 3 5)
gfp_ranks_test(ranks_poly_messages 1 2 4 COMMAND $<TARGET_FILE:test_ranks_poly>)
foreach(count 1 2 4)
    set_property(TEST ranks_poly_messages_${count} APPEND PROPERTY ENVIRONMENT GFPOLY_MPI_EXCHANGE=messages)
endforeach()
gfp_ranks_program(ranks_file ranks/file.c)
gfp_ranks_test(ranks_file 1 2 3 5)
gfp_ranks_program(ranks_dealer ranks/dealer.c)
gfp_ranks_test(ranks_dealer 1 2 3 5)
# Over the backend `host'.
gfp_ranks_program(ranks_device ranks/device.c)
target_link_libraries(test_ranks_device PRIVATE gfp_fake_device gfpoly_static)
gfp_ranks_test(ranks_device 1 2 3)
gfp_ranks_program(ranks_steps ranks/steps.c lab/disk.c)
target_link_libraries(test_ranks_steps PRIVATE ${CMAKE_DL_LIBS})
gfp_ranks_test(ranks_steps 1 2 3 5)

# The measurements.
gfp_ranks_test(bench_ranks_transform 1 2 COMMAND $<TARGET_FILE:gfpoly_bench_ranks> --transform --len 4096 --runs 2)
foreach(count 1 2)
    set_tests_properties(bench_ranks_transform_${count} PROPERTIES PASS_REGULAR_EXPRESSION
        "# transform by ranks: point here ranks p8 4096 ${count} [0-9.e-]+ # ${count} x 1 threads, median [0-9.e-]+, check right")
endforeach()
gfp_ranks_test(bench_ranks 1 2 COMMAND $<TARGET_FILE:gfpoly_bench_ranks> --len 3000 --runs 2)
foreach(count 1 2)
    set_tests_properties(bench_ranks_${count} PROPERTIES PASS_REGULAR_EXPRESSION
        "machine here workers [1-9].*\npoint here ranks p8 3000 ${count} [0-9.e-]+ # ${count} x 1 threads, median [0-9.e-]+, check right")
endforeach()

# The command.
add_test(NAME ranks_command COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/cli/ranks.sh ${MPIEXEC_EXECUTABLE} $<TARGET_FILE:gfpoly>)
# Subcommands over Z: ranks are killed, and go on.
add_test(NAME ranks_killed COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/ranks/killed.sh ${MPIEXEC_EXECUTABLE}
    $<TARGET_FILE:gfpoly> $<TARGET_FILE:gfpoly_ranks> $<TARGET_FILE:example_ranks_resultant>)
# Calls of the system that fail in a command; sanitizers come first in LD_PRELOAD.
if(NOT GFP_SANITIZE)
    add_library(gfp_disk MODULE lab/disk.c)
    target_include_directories(gfp_disk PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(gfp_disk PRIVATE ${CMAKE_DL_LIBS})
    gfp_compile_options(gfp_disk)
    set_target_properties(gfp_disk PROPERTIES C_VISIBILITY_PRESET default)
endif()
# Products of files in steps: ranks are killed, and go on.
add_test(NAME ranks_resumed COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/ranks/resumed.sh ${MPIEXEC_EXECUTABLE}
    $<TARGET_FILE:gfpoly> $<TARGET_FILE:gfpoly_ranks> $<$<TARGET_EXISTS:gfp_disk>:$<TARGET_FILE:gfp_disk>>)
# These three wait for the launcher most of the time: other tests run meanwhile. Programs whose ranks exchange many
# messages (above) have the machine for themselves, since each message waits for a process to be scheduled.
set_tests_properties(ranks_command ranks_killed ranks_resumed PROPERTIES RESOURCE_LOCK launcher COST 1000 TIMEOUT 600
    LABELS ranks ENVIRONMENT "${GFP_MPI_ENVIRONMENT}")
