#
# add_subdirectory() this folder, where prefix.cu is too, and link to the target prefix.

cmake_minimum_required(VERSION 3.18)
project(prefix LANGUAGES CXX CUDA)
include("${CMAKE_CURRENT_LIST_DIR}/prefix.cmake")
find_package(CUDAToolkit REQUIRED)
add_library(prefix STATIC ${prefix_SOURCES})
target_include_directories(prefix PUBLIC "${prefix_INCLUDE_DIR}")
target_link_libraries(prefix PUBLIC CUDA::cudart)
set_target_properties(prefix PROPERTIES CUDA_ARCHITECTURES "${prefix_ARCHITECTURES}")
