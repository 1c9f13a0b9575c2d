# Run by cmake -P: writes OUTPUT, a C file with the identity of the build: VERSION, and a hash of the headers
# that the library and its plug-ins share (in the folders below SOURCE named by FOLDERS) and of CONFIGURATION,
# the options that change structures.
set(text "${CONFIGURATION}")
foreach(folder ${FOLDERS})
    file(GLOB_RECURSE headers RELATIVE ${SOURCE} ${SOURCE}/${folder}/*.h)
    list(SORT headers)
    foreach(header ${headers})
        file(SHA256 ${SOURCE}/${header} hash)
        string(APPEND text "\n${header} ${hash}")
    endforeach()
endforeach()
string(SHA256 hash "${text}")
string(SUBSTRING ${hash} 0 16 hash)
file(WRITE ${OUTPUT} "extern const char gfp_gpu_build_id[];\n"
    "const char gfp_gpu_build_id[] = \"${VERSION}-${hash}\";\n")
