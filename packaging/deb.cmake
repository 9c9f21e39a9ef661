# SPDX-License-Identifier: Apache-2.0
# cpack -G DEB. What the programs need is asked of them (dpkg-shlibdeps, of dpkg-dev).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME pippin)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "pippin developers <pippin@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "benchmark harness and results database for LLM training")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"pippin sweeps parallel layouts of LLM training (tensor, pipeline and data
parallelism, micro-batch, gradient accumulation, any axis of one's own), keeps
the time of every iteration in one SQLite file, and says which differences are
real and which are the network.

Each point of a sweep is run several times in randomised blocks. The logs of
pippin's own training probe, which needs no GPU, or of Megatron-LM are read
into the database; tables show step times with their interval over
allocations.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# `local` launches with mpirun: without it no run of a fresh machine would start.
set(CPACK_DEBIAN_PACKAGE_DEPENDS openmpi-bin)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS sqlite3)
include(CPack)
