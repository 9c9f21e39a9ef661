# SPDX-License-Identifier: Apache-2.0
# probes_cuda_toolkit: what a GPU's probes are made of, where NVIDIA's compiler is found, from CUDA
# 12 on; then PROBES_HAVE_CUDA is set. No GPU is needed to build. probes_nccl: how GPUs talk to each
# other; empty without NCCL.
option(PROBES_USE_CUDA "use CUDA where it is found" ON)
set(PROBES_CUDA_ARCHITECTURES "80;90" CACHE STRING
  "GPUs that kernels are compiled for (A100, H100; 100: B200); newer ones compile the last at start")
add_library(probes_cuda_toolkit INTERFACE)
add_library(probes_nccl INTERFACE)
set(PROBES_HAVE_CUDA FALSE CACHE INTERNAL "the tests ask, too")

if(PROBES_USE_CUDA)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(PROBES_NVCC nvcc PATHS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
    mark_as_advanced(PROBES_NVCC)
    if(PROBES_NVCC)
      set(ENV{CUDACXX} ${PROBES_NVCC})
    endif()
  endif()
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    # Machine code for each, and of the last what a newer driver can compile.
    list(TRANSFORM PROBES_CUDA_ARCHITECTURES APPEND "-real" OUTPUT_VARIABLE CMAKE_CUDA_ARCHITECTURES)
    list(GET PROBES_CUDA_ARCHITECTURES -1 newest)
    list(APPEND CMAKE_CUDA_ARCHITECTURES ${newest}-virtual)
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit QUIET)
  endif()
  if(CUDAToolkit_FOUND AND TARGET CUDA::cublasLt AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
    set(PROBES_HAVE_CUDA TRUE CACHE INTERNAL "the tests ask, too")
  endif()
endif()

if(PROBES_HAVE_CUDA)
  target_link_libraries(probes_cuda_toolkit INTERFACE CUDA::cudart CUDA::cublasLt)
  # Before 3.26 CMake does not know that nvcc has C++20.
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  target_compile_options(probes_cuda_toolkit INTERFACE
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>")
  if(NOT PROJECT_IS_TOP_LEVEL)
    target_compile_options(probes_cuda_toolkit INTERFACE
      "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings;-Xcompiler=-Werror>")
  endif()
  find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS} ENV NCCL_HOME PATH_SUFFIXES include)
  find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 HINTS ${CUDAToolkit_LIBRARY_DIR} ENV NCCL_HOME
    PATH_SUFFIXES lib lib64)
  mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY)
  if(NCCL_INCLUDE_DIR AND NCCL_LIBRARY)
    target_include_directories(probes_nccl SYSTEM INTERFACE ${NCCL_INCLUDE_DIR})
    target_link_libraries(probes_nccl INTERFACE ${NCCL_LIBRARY})
    target_compile_definitions(probes_nccl INTERFACE PROBES_HAVE_NCCL)
  else()
    message(STATUS "probes: no NCCL; GPUs talk by way of the processor")
  endif()
else()
  message(STATUS "probes: no CUDA from 12 on with cuBLASLt; every probe runs on the processor")
endif()
