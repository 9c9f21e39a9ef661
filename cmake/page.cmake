# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE=reports/page -DWORK=… -DNPM=… -DNODE=… -P page.cmake: builds the template of pages in WORK, and
# page_files.cpp, which has it in it. Without npm, or where npm gets nothing from its registry, pages have no plots, and
# say so.

# Modules that are gone are not to be mixed with.
file(REMOVE_RECURSE ${WORK}/src ${WORK}/dist)
foreach(name package.json package-lock.json build.mjs page.css page.html src without_npm.cmake)
  file(COPY ${SOURCE}/${name} DESTINATION ${WORK})
endforeach()

# build_with_npm(RESULT): the template, or nothing.
function(build_with_npm RESULT)
  set(${RESULT} "" PARENT_SCOPE)
  if(NOT NPM OR NOT NODE)
    message("pages are built without plots: npm is not installed")
    return()
  endif()
  set(log ${WORK}/npm.log)
  execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund WORKING_DIRECTORY ${WORK}
    OUTPUT_FILE ${log} ERROR_FILE ${log} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message("pages are built without plots: 'npm ci' failed, see ${log}")
    return()
  endif()
  execute_process(COMMAND ${NODE} build.mjs dist WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
  set(${RESULT} ${WORK}/dist/page.html PARENT_SCOPE)
endfunction()

build_with_npm(template)
if(NOT template)
  execute_process(COMMAND ${CMAKE_COMMAND} -D OUT=${WORK}/dist -P ${WORK}/without_npm.cmake COMMAND_ERROR_IS_FATAL ANY)
  set(template ${WORK}/dist/page-without-plots.html)
endif()
file(READ ${template} text)
file(WRITE ${WORK}/page_files.cpp "#include \"core/base/embedded_file.h\"

namespace pippin {

const std::vector<EmbeddedFile>& page_files();
const std::vector<EmbeddedFile>& page_files() {
  static const std::vector<EmbeddedFile> files{{\"page.html\", R\"__pippin__(${text})__pippin__\"}};
  return files;
}

}  // namespace pippin
")
