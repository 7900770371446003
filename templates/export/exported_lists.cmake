#
# add_subdirectory() this folder and link to the target of each export in it, as sum_i32. A later
# export into the same folder adds its own: every .cmake file here that autotune made is a target.
# Each is compiled for CMAKE_CUDA_ARCHITECTURES and for the GPUs that it was tuned on, and can go
# into a shared library.

cmake_minimum_required(VERSION 3.18)
project(autotune_exports LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
execute_process(COMMAND "${CMAKE_CUDA_COMPILER}" --list-gpu-code
                OUTPUT_VARIABLE known ERROR_QUIET) # nothing from one that cannot say
file(GLOB exports "${CMAKE_CURRENT_LIST_DIR}/*.cmake")
foreach(export IN LISTS exports)
    file(STRINGS "${export}" is_ours REGEX "made by autotune" LIMIT_COUNT 1)
    get_filename_component(name "${export}" NAME_WE)
    if(NOT is_ours)
        continue()
    endif()
    include("${export}")
    if(NOT EXISTS "${${name}_SOURCES}")
        message(WARNING "${${name}_SOURCES} is not here: export it with --format cu,cmake")
        continue()
    endif()
    add_library(${name} STATIC "${${name}_SOURCES}")
    target_include_directories(${name} PUBLIC "${${name}_INCLUDE_DIR}")
    target_compile_features(${name} PRIVATE cuda_std_17)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON
                                             CUDA_SEPARABLE_COMPILATION OFF)
    if(CMAKE_CUDA_RUNTIME_LIBRARY STREQUAL "Shared")
        target_link_libraries(${name} PUBLIC CUDA::cudart)
    else() # what CMake links CUDA programs with: never two runtimes in one
        target_link_libraries(${name} PUBLIC CUDA::cudart_static)
    endif()
    if(NOT CMAKE_CUDA_ARCHITECTURES) # none, or flags of the project's own
        set_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES OFF)
    endif()
    # Options beside those of CUDA_ARCHITECTURES, which may be a word for several, as native.
    foreach(arch IN LISTS ${name}_ARCHITECTURES)
        if(known AND NOT known MATCHES "sm_${arch}[^0-9a-z]")
            message(STATUS "${name}: nothing is compiled for sm_${arch}, on which it was tuned: nvcc "
                           "${CMAKE_CUDA_COMPILER_VERSION} does not know it")
        elseif(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA" AND NOT arch IN_LIST CMAKE_CUDA_ARCHITECTURES)
            target_compile_options(
                ${name} PRIVATE "--generate-code=arch=compute_${arch},code=[compute_${arch},sm_${arch}]")
        endif()
    endforeach()
    string(REPLACE ";" ", sm_" tuned "${${name}_ARCHITECTURES}")
    message(STATUS "${name}: tuned on GPUs of sm_${tuned}; any other gets the nearest kernel or the default")
endforeach()
