# SPDX-License-Identifier: Apache-2.0
# probes_mpi: what several ranks talk by; empty where no MPI is found.
option(PROBES_USE_MPI "use MPI where it is found" ON)
add_library(probes_mpi INTERFACE)
if(PROBES_USE_MPI)
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI QUIET COMPONENTS CXX)
endif()
if(MPI_CXX_FOUND)
  target_link_libraries(probes_mpi INTERFACE MPI::MPI_CXX)
else()
  message(STATUS "probes: no MPI; ranks meet by themselves")
endif()
