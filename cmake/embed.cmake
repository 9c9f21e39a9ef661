# SPDX-License-Identifier: Apache-2.0
# pippin_embed(NAME FILES a.yaml b/c.sql …): the files' texts as C++ source, so that pippin is one
# file on a login node. Writes NAME.cpp into the build folder, which defines in namespace pippin
#   const std::vector<EmbeddedFile>& NAME();
# with the files in the order given, named as given (core/base/embedded_file.h).
function(pippin_embed NAME)
  cmake_parse_arguments(EMBED "" "" "FILES" ${ARGN})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${EMBED_FILES})
  set(TEXTS "")
  foreach(FILE IN LISTS EMBED_FILES)
    file(READ ${FILE} TEXT)
    string(APPEND TEXTS "      {\"${FILE}\", R\"__pippin__(${TEXT})__pippin__\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.cpp @ONLY CONTENT
    "#include \"core/base/embedded_file.h\"\n
namespace pippin {\n
const std::vector<EmbeddedFile>& @NAME@();
const std::vector<EmbeddedFile>& @NAME@() {
  static const std::vector<EmbeddedFile> files{\n@TEXTS@  };
  return files;
}\n
}  // namespace pippin\n")
endfunction()
