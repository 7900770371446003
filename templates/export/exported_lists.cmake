#
# add_subdirectory() this folder and link to the target of each export in it, as sum_i32. A later
# export into the same folder adds its own: every .cmake file here that autotune made is a target.

cmake_minimum_required(VERSION 3.18)
project(autotune_exports LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
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
    target_link_libraries(${name} PUBLIC CUDA::cudart)
    set_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES "${${name}_ARCHITECTURES}")
endforeach()
