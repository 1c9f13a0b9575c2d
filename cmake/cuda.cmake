# CUDA (GFP_CUDA): whether gpu/ and papers/ are built for devices, for which architectures, and what they link.
# Sets GFP_HAVE_CUDA (0 or 1), GFP_CUDA_LIBRARIES (what the library needs) and GFP_CUDA_FOLDER (where the static
# CUDA runtime was found, for users of the installed static library).
# With PLUGIN, the library is built without CUDA (GFP_HAVE_CUDA is 0) and loads a plug-in at run time
# (GFP_CUDA_PLUGIN is 1); where nvcc is, the plug-in is built too (GFP_CUDA_BUILDS_PLUGIN).
set(GFP_CUDA AUTO CACHE STRING "CUDA backend: AUTO (where nvcc is), ON, OFF, or PLUGIN (loaded at run time)")
set_property(CACHE GFP_CUDA PROPERTY STRINGS AUTO ON OFF PLUGIN)
set(GFP_CUDA_ARCHITECTURES all-major CACHE STRING
    "What CUDA_ARCHITECTURES takes, such as 90; all-major: compute capabilities 7.5 to the newest, a list")

option(GFP_CUDA_QUICK "Compile device code quickly and badly: for machines without a device to run it" OFF)

set(GFP_HAVE_CUDA 0)
set(GFP_CUDA_PLUGIN 0)
set(GFP_CUDA_BUILDS_PLUGIN OFF)
set(GFP_CUDA_LIBRARIES "")
set(GFP_CUDA_FOLDER "")
if(GFP_CUDA STREQUAL "PLUGIN")
    set(GFP_CUDA_PLUGIN 1)
elseif(NOT GFP_CUDA STREQUAL "AUTO" AND NOT GFP_CUDA)
    return()
endif()

find_program(GFP_NVCC nvcc HINTS ENV CUDACXX PATHS /usr/local/cuda/bin)
if(NOT GFP_NVCC)
    if(GFP_CUDA STREQUAL "AUTO" OR GFP_CUDA_PLUGIN)
        return()
    endif()
    message(FATAL_ERROR "nvcc not found: put CUDA's bin folder into PATH, or set GFP_NVCC. "
        "GFP_CUDA=OFF builds without the GPU.")
endif()
if(NOT CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_COMPILER ${GFP_NVCC})
endif()
set(CMAKE_CUDA_ARCHITECTURES OFF) # set for the rooms with .cu files below, which need the compiler's version
enable_language(CUDA)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.0)
    message(FATAL_ERROR "gfpoly needs CUDA 12 or newer; ${CMAKE_CUDA_COMPILER} is of "
        "${CMAKE_CUDA_COMPILER_VERSION}. GFP_CUDA=OFF builds without the GPU.")
endif()
# Libraries and programs with objects of CUDA's compiler are linked as C, without the C++ library. They
# need only the libraries named below.
set(CMAKE_CUDA_LINKER_PREFERENCE_PROPAGATES 0)
set(CMAKE_CUDA_IMPLICIT_LINK_LIBRARIES "")
set(CMAKE_CUDA_IMPLICIT_LINK_DIRECTORIES "")
# The runtime is linked by its path (GFP_CUDA_LIBRARIES): CMake's own -lcudart_static and -lcudadevrt need
# CUDA's folder on the linker's path.
set(CMAKE_CUDA_RUNTIME_LIBRARY None)
find_package(CUDAToolkit REQUIRED)
find_package(Threads REQUIRED)

# Code for each major generation, and PTX of the newest one for later generations.
if(GFP_CUDA_ARCHITECTURES STREQUAL "all-major")
    set(GFP_CUDA_ARCHITECTURE_LIST 75-real 80-real 90)
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
        set(GFP_CUDA_ARCHITECTURE_LIST 75-real 80-real 90-real 100-real 120)
    endif()
else()
    set(GFP_CUDA_ARCHITECTURE_LIST ${GFP_CUDA_ARCHITECTURES})
endif()

# Errors are statuses: no exceptions, and no C++ library. (Kernel launches by <<<>>> would make nvcc emit
# statics that need it; gpu/cuda/impl.h launches kernels without.)
set(GFP_CUDA_FLAGS --expt-relaxed-constexpr
    -Xcompiler=-fno-exceptions,-fno-rtti,-fno-threadsafe-statics,-fvisibility=hidden,-Wall,-Wextra,-Wno-unused-parameter)
if(GFP_CUDA_QUICK)
    # PTX alone, with little optimisation, takes a tenth of the time. CUDA 12.8 and older lack the flag. The
    # default compression is quick; without it each program has 170 MB.
    set(GFP_CUDA_ARCHITECTURE_LIST 90-virtual)
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.9)
        list(APPEND GFP_CUDA_FLAGS --Ofast-compile=max)
    endif()
elseif(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13.0)
    list(APPEND GFP_CUDA_FLAGS --compress-mode=size) # a third of the size, for each architecture
endif()
if(GFP_CUDA_PLUGIN)
    set(GFP_CUDA_BUILDS_PLUGIN ON)
else()
    set(GFP_HAVE_CUDA 1)
    set(GFP_CUDA_LIBRARIES CUDA::cudart_static)
    get_filename_component(GFP_CUDA_FOLDER ${CUDA_cudart_static_LIBRARY} DIRECTORY)
endif()
message(STATUS "CUDA ${CMAKE_CUDA_COMPILER_VERSION} for ${GFP_CUDA_ARCHITECTURE_LIST}")

# gfp_cuda_sources(<room> <files>): adds them to the room, compiled for the architectures.
function(gfp_cuda_sources room)
    target_sources(gfp_${room} PRIVATE ${ARGN})
    target_compile_options(gfp_${room} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${GFP_CUDA_FLAGS}>")
    if(GFP_WERROR)
        target_compile_options(gfp_${room} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>")
    endif()
    target_include_directories(gfp_${room} SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
    set_target_properties(gfp_${room} PROPERTIES
        CUDA_ARCHITECTURES "${GFP_CUDA_ARCHITECTURE_LIST}" CUDA_STANDARD 17
        CUDA_STANDARD_REQUIRED ON CUDA_EXTENSIONS OFF CUDA_VISIBILITY_PRESET hidden
        CUDA_SEPARABLE_COMPILATION OFF)
endfunction()
