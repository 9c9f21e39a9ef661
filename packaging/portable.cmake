# SPDX-License-Identifier: Apache-2.0
# The archive for a login node without root (./dev package --portable): unpack, run. pippin-portable is the
# program as it is, from the same objects, with its libraries in it: it needs nothing of a machine but the
# kernel.
pippin_static_libraries(LIBRARIES pippin)
add_executable(pippin-portable EXCLUDE_FROM_ALL $<TARGET_OBJECTS:pippin> no_loading.c)
add_dependencies(pippin-portable pippin)
target_link_libraries(pippin-portable PRIVATE -Wl,--start-group ${LIBRARIES} -Wl,--end-group)
# A warning of the linker is of something that would ask for the libc of this machine on another.
target_link_options(pippin-portable PRIVATE -static -Wl,--fatal-warnings -Wl,--wrap=dlopen)
set_target_properties(pippin-portable PROPERTIES LINKER_LANGUAGE CXX)

set(PORTABLE pippin-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(PORTABLE_ARCHIVE ${PROJECT_BINARY_DIR}/${PORTABLE}.tar.gz)
set(ARCHIVES ${LIBRARIES})
list(FILTER ARCHIVES INCLUDE REGEX "^/")
file(GLOB_RECURSE PACKED CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/probes/* ${PROJECT_SOURCE_DIR}/sweeps/examples/*
     ${PROJECT_SOURCE_DIR}/docs/*)
file(GLOB PACKAGING CONFIGURE_DEPENDS portable.* completions/*)
add_custom_command(OUTPUT ${PORTABLE_ARCHIVE}
  COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/portable.bash $<TARGET_FILE:pippin-portable> ${PROJECT_BINARY_DIR}
          ${PORTABLE_ARCHIVE} ${PIPPIN_STATIC_LIBRARIES} ${ARCHIVES}
  DEPENDS pippin-portable pippin.1.gz changelog.gz changelog.Debian.gz ${PACKED} ${PACKAGING} VERBATIM)
add_custom_target(portable DEPENDS ${PORTABLE_ARCHIVE})
set_target_properties(portable PROPERTIES ARCHIVE ${PORTABLE_ARCHIVE})
