# Writes the data files of sweeps/ into one C++ source, so that pippin is a single file on a login
# node. Usage: cmake -D ROOT=sweeps -D "FILES=a.yaml;models/b.yaml" -D OUTPUT=embedded.cpp -P embed.cmake

set(SOURCE "#include \"sweeps/embedded.h\"\n\nnamespace pippin {\n\n")
string(APPEND SOURCE "const std::vector<EmbeddedFile>& embedded_files() {\n")
string(APPEND SOURCE "  static const std::vector<EmbeddedFile> files{\n")
foreach(NAME ${FILES})
  file(READ ${ROOT}/${NAME} TEXT)
  string(FIND "${TEXT}" ")pippin\"" CLASH)
  if(NOT CLASH EQUAL -1)
    message(FATAL_ERROR "${ROOT}/${NAME} holds the end of its own C++ text: )pippin\"")
  endif()
  string(APPEND SOURCE "      {\"${NAME}\", R\"pippin(${TEXT})pippin\"},\n")
endforeach()
string(APPEND SOURCE "  };\n  return files;\n}\n\n}  // namespace pippin\n")
file(WRITE ${OUTPUT} "${SOURCE}")
