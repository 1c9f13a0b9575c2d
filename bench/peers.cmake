# gfpoly_peers: operations over Z/pZ and over Z by gfpoly and by FLINT and NTL, if these are found.
if(NOT GFP_FLINT AND NOT GFP_PEERS_NTL)
    return()
endif()

# Whether FLINT has its transforms by small primes: reports of its times say so.
if(GFP_FLINT)
    include(CheckLibraryExists)
    set(CMAKE_REQUIRED_LIBRARIES ${GFP_FLINT_LIBRARIES} ${GFP_GMP_LIBRARY} m Threads::Threads)
    check_library_exists("${GFP_FLINT_LIBRARY}" get_default_mpn_ctx "" GFP_FLINT_HAS_MPN_CTX)
    set(CMAKE_REQUIRED_LIBRARIES)
    set_source_files_properties(peers/poly_flint.c peers/integers_flint.c PROPERTIES
        COMPILE_DEFINITIONS GFP_FLINT_FFT_SMALL=$<BOOL:${GFP_FLINT_HAS_MPN_CTX}>)
endif()

# gfp_peers(<name> <files>): gfpoly_peers with these files.
function(gfp_peers name)
    add_executable(${name} peers/main.c peers/table.c peers/picture.c peers/operations.c peers/hosts.c
        peers/convert.c modular/inputs.c
        ${GFP_SHARED_SOURCES} ${ARGN})
    target_link_libraries(${name} PRIVATE gfpoly_static gfp_commit m ${CMAKE_DL_LIBS})
    gfp_compile_options(${name})
    target_compile_definitions(${name} PRIVATE _DEFAULT_SOURCE
        PEERS_HAVE_FLINT=$<BOOL:${GFP_FLINT}> PEERS_HAVE_NTL=$<BOOL:${GFP_PEERS_NTL}>)
    if(GFP_FLINT)
        target_sources(${name} PRIVATE peers/poly_flint.c peers/poly_flint_gr.c peers/integers_flint.c)
        target_include_directories(${name} SYSTEM PRIVATE ${GFP_FLINT_INCLUDE_DIRS})
    endif()
    if(GFP_PEERS_NTL)
        target_link_libraries(${name} PRIVATE gfpoly_peers_ntl ${GFP_NTL_LIBRARY} gmp Threads::Threads)
    endif()
endfunction()

if(GFP_PEERS_NTL)
    add_library(gfpoly_peers_ntl OBJECT peers/poly_ntl.cpp peers/integers_ntl.cpp)
    set_target_properties(gfpoly_peers_ntl PROPERTIES
        CXX_STANDARD 11 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
    target_include_directories(gfpoly_peers_ntl SYSTEM PRIVATE ${GFP_NTL_INCLUDE_DIR})
    target_compile_options(gfpoly_peers_ntl PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
        $<$<BOOL:${GFP_WERROR}>:-Werror>)
    if(GFP_SANITIZE)
        target_compile_options(gfpoly_peers_ntl PRIVATE -fsanitize=${GFP_SANITIZE})
    endif()
endif()
# One program for each library, for the command's `compare' and `demo', which look for the programs in the
# command's folder and where they are installed. Building the command builds them.
function(gfp_peer name)
    add_executable(gfpoly_peer_${name} peers/peer.c ${PROJECT_SOURCE_DIR}/cli/compare/sample.c ${ARGN})
    target_compile_definitions(gfpoly_peer_${name} PRIVATE PEER=peer_${name} PEER_Z=peer_${name}_z)
    target_include_directories(gfpoly_peer_${name} PRIVATE ${GFP_INCLUDE_DIRS})
    set_target_properties(gfpoly_peer_${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
    gfp_compile_options(gfpoly_peer_${name})
    add_dependencies(gfpoly gfpoly_peer_${name})
endfunction()
if(GFP_FLINT)
    gfp_peer(flint peers/poly_flint.c peers/integers_flint.c)
    target_include_directories(gfpoly_peer_flint SYSTEM PRIVATE ${GFP_FLINT_INCLUDE_DIRS})
    target_link_libraries(gfpoly_peer_flint PRIVATE ${GFP_FLINT_LIBRARIES} gmp Threads::Threads)
endif()
if(GFP_PEERS_NTL)
    gfp_peer(ntl $<TARGET_OBJECTS:gfpoly_peers_ntl>)
    target_link_libraries(gfpoly_peer_ntl PRIVATE ${GFP_NTL_LIBRARY} gmp Threads::Threads)
    set_target_properties(gfpoly_peer_ntl PROPERTIES LINKER_LANGUAGE CXX)
endif()
gfp_peers(gfpoly_peers)
# --hosts starts the programs above, also with the libraries for LD_PRELOAD.
set(peers_hosts "") # the hosts whose program and library are built
foreach(name flint ntl)
    foreach(target gfpoly_peer_${name} gfpoly_${name})
        if(TARGET ${target})
            add_dependencies(gfpoly_peers ${target})
        endif()
    endforeach()
    if(TARGET gfpoly_peer_${name} AND TARGET gfpoly_${name})
        list(APPEND peers_hosts ${name})
    endif()
endforeach()

if(BUILD_TESTING)
    set(peers_rows "gfpoly [0-9.]+ .[a-z]+. +[0-9.]+ .*")
    if(GFP_FLINT)
        string(APPEND peers_rows "flint [^ ]+( with(out)? fft_small)? +[0-9.]+ .*")
    endif()
    if(GFP_PEERS_NTL)
        string(APPEND peers_rows "ntl [0-9.]+ +[0-9.]+ ")
    endif()
    add_test(NAME peers COMMAND gfpoly_peers --field 17 --field p2 --field m8 --len 1,7,300
        --seconds 0.001 --csv peers.csv)
    set_tests_properties(peers PROPERTIES FIXTURES_SETUP peers_files
        PASS_REGULAR_EXPRESSION "m8, [a-z ]* 300.*${peers_rows}")
    add_test(NAME peers_csv COMMAND ${CMAKE_COMMAND} -E cat peers.csv)
    set_tests_properties(peers_csv PROPERTIES FIXTURES_REQUIRED peers_files
        PASS_REGULAR_EXPRESSION "peer,m8,gfpoly [0-9.]+ .[a-z]+.,300,300,[0-9]+,[0-9.e+]+,.*,1,\"")
    add_test(NAME peers_help COMMAND gfpoly_peers --help)
    set_tests_properties(peers_help PROPERTIES PASS_REGULAR_EXPRESSION "default:[ \n]*1024,16384"
        FAIL_REGULAR_EXPRESSION "--dft")
    # Every operation agrees with those of the other libraries, at lengths around 1.
    add_test(NAME peers_operations COMMAND gfpoly_peers --operation all --field p4 --len 2,3,40
        --seconds 0.001)
    set_tests_properties(peers_operations PROPERTIES
        PASS_REGULAR_EXPRESSION "p4, X.p modulo a prepared f of length 40")
    add_test(NAME peers_bad_operation COMMAND sh -c "\"$0\" --operation nothing; test $? = 2"
        $<TARGET_FILE:gfpoly_peers>)
    # In hosts, with and without the libraries for LD_PRELOAD: results are compared.
    if(NOT GFP_SANITIZE)
        foreach(name ${peers_hosts})
            # Over a prime of 3 bits, too, where a quarter of the bits is none.
            add_test(NAME peers_hosts_${name} COMMAND gfpoly_peers --hosts --host ${name} --field p4 --field 5
                --pairs 4x4,60x20 --rounds 1 --seconds 0.001)
            set_tests_properties(peers_hosts_${name} PROPERTIES PASS_REGULAR_EXPRESSION
                "## ${name} .*\n. mul . p4 . 18 . [0-9.]+ . [0-9.]+ . .*\n. mul . 2.2.1 . 18 .*Above 1.15: [0-9]+ of .*60 x 20 . [0-9.]+")
            # Hosts that end, that do not load the library, or that compute wrongly.
            add_test(NAME peers_hosts_wrong_${name} COMMAND sh ${PROJECT_SOURCE_DIR}/tests/project/peers_hosts.sh
                $<TARGET_FILE:gfpoly_peers> ${name} $<TARGET_FILE:gfpoly_peer_${name}> $<TARGET_FILE:gfpoly_${name}>)
        endforeach()
        # The rows of one job that bench/hosts/tables.py takes from these figures.
        find_program(GFP_PYTHON3 python3)
        if(GFP_PYTHON3 AND peers_hosts)
            add_test(NAME peers_hosts_tables COMMAND ${GFP_PYTHON3} ${PROJECT_SOURCE_DIR}/tests/project/hosts_table.py
                ${PROJECT_BINARY_DIR} ${peers_hosts})
            set_tests_properties(peers_hosts_tables PROPERTIES ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
        endif()
        add_test(NAME peers_hosts_bad_usage COMMAND sh -c
            "for mistake in '--hosts --len 4' '--pairs 4x4' '--hosts --pairs 4x8' '--hosts --pairs 4' '--hosts --host x' \
                     '--hosts --operation inverse' '--hosts --host flint --operation gcd'; do
                 \"$0\" $mistake
                 test $? = 2 || exit 1
             done" $<TARGET_FILE:gfpoly_peers>)
    endif()
    # It notices a wrong product, and says where.
    gfp_peers(gfpoly_peers_wrong peers/wrong.c)
    target_compile_definitions(gfpoly_peers_wrong PRIVATE gfp_poly_mul=wrong_poly_mul gfp_zvec_mul=wrong_zvec_mul)
    add_test(NAME peers_disagree COMMAND gfpoly_peers_wrong --field p4 --len 5 --seconds 0.001)
    set_tests_properties(peers_disagree PROPERTIES
        PASS_REGULAR_EXPRESSION "gfpoly_peers: p4, length 5: gfpoly .* differ at coefficient 1")
    # By one thread: no GPU computes, although the backend `host' has one.
    gfp_peers(gfpoly_peers_fake ${PROJECT_SOURCE_DIR}/tests/lab/fake_device/use.c)
    target_link_libraries(gfpoly_peers_fake PRIVATE gfp_fake_device gfpoly_static)
    add_test(NAME peers_without_gpu COMMAND gfpoly_peers_fake --field p8 --len 16384,32768 --seconds 0.1
        --budget 1000)
    set_tests_properties(peers_without_gpu PROPERTIES
        PASS_REGULAR_EXPRESSION "length 32768.*gfpoly [0-9.]+ .[a-z]+. +[0-9]" FAIL_REGULAR_EXPRESSION "_gpu")
    # The README's table and picture: every ratio is that of two times in the CSV file.
    set(peers_module "")
    if(GFP_FLINT)
        add_library(gfpoly_flint_module MODULE peers/poly_flint.c peers/poly_flint_gr.c peers/integers_flint.c)
        target_include_directories(gfpoly_flint_module SYSTEM PRIVATE ${GFP_FLINT_INCLUDE_DIRS})
        target_link_libraries(gfpoly_flint_module PRIVATE ${GFP_FLINT_LIBRARIES} gmp)
        gfp_compile_options(gfpoly_flint_module)
        set(peers_module $<TARGET_FILE:gfpoly_flint_module>)
    endif()
    add_test(NAME peers_table COMMAND sh ${PROJECT_SOURCE_DIR}/tests/project/peers_table.sh
        $<TARGET_FILE:gfpoly_peers> ${peers_module})
    # The same for operations over Z.
    add_test(NAME peers_disagree_over_z COMMAND gfpoly_peers_wrong --over-z --operation mul --len 5 --seconds 0.001)
    set_tests_properties(peers_disagree_over_z PROPERTIES
        PASS_REGULAR_EXPRESSION "gfpoly_peers: product of 5 terms, 64 bits: gfpoly .* differ")
    add_test(NAME peers_table_over_z COMMAND sh ${PROJECT_SOURCE_DIR}/tests/project/peers_over_z.sh
        $<TARGET_FILE:gfpoly_peers> ${peers_module})
endif()
