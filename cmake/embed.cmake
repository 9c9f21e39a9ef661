# pippin_embed(OUT.cpp VARIABLE FILE): a source file that holds the text of FILE, so that pippin
# stays one file. Declare it as `extern const std::string_view VARIABLE;` in namespace pippin.
function(pippin_embed OUT VARIABLE FILE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${FILE})
  file(READ ${FILE} TEXT)
  file(CONFIGURE OUTPUT ${OUT} @ONLY CONTENT
    "#include <string_view>\n\nnamespace pippin {\nextern const std::string_view @VARIABLE@;\nconst std::string_view @VARIABLE@ = R\"__embedded__(@TEXT@)__embedded__\";\n}  // namespace pippin\n")
endfunction()
