# SPDX-License-Identifier: Apache-2.0
# probes_blas: what the matrix products run on. OpenBLAS, else any BLAS with a C interface, else
# nothing (our own loops).
option(PROBES_USE_BLAS "use a BLAS library where one is found" ON)
add_library(probes_blas INTERFACE)
if(PROBES_USE_BLAS)
  find_package(BLAS QUIET)
  find_path(CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas)
  mark_as_advanced(CBLAS_INCLUDE_DIR)
endif()

if(BLAS_FOUND AND CBLAS_INCLUDE_DIR)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_LIBRARIES ${BLAS_LIBRARIES} ${BLAS_LINKER_FLAGS})
  set(CMAKE_REQUIRED_INCLUDES ${CBLAS_INCLUDE_DIR})
  check_cxx_source_compiles(
    "#include <cblas.h>
     int main() { return static_cast<int>(cblas_sdot(0, nullptr, 1, nullptr, 1)); }"
    PROBES_HAVE_CBLAS)
  check_cxx_source_compiles(
    "#include <cblas.h>
     int main() { openblas_set_num_threads(1); }"
    PROBES_HAVE_OPENBLAS)
  unset(CMAKE_REQUIRED_LIBRARIES)
  unset(CMAKE_REQUIRED_INCLUDES)
endif()

if(PROBES_HAVE_CBLAS)
  target_include_directories(probes_blas SYSTEM INTERFACE ${CBLAS_INCLUDE_DIR})
  target_link_libraries(probes_blas INTERFACE ${BLAS_LIBRARIES} ${BLAS_LINKER_FLAGS})
  target_compile_definitions(probes_blas INTERFACE PROBES_HAVE_CBLAS)
  if(PROBES_HAVE_OPENBLAS)
    target_compile_definitions(probes_blas INTERFACE PROBES_HAVE_OPENBLAS)
  endif()
else()
  message(STATUS "probes: no BLAS with a C interface; training multiplies with plain loops, slowly")
endif()
