# SPDX-License-Identifier: Apache-2.0
# How every room of the house is built: one static library a room, warnings are errors with the compilers
# that it is tested with.

add_library(pippin_options INTERFACE)
target_include_directories(pippin_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(pippin_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                                -Wno-sign-conversion)
set(PIPPIN_WARNINGS_ARE_ERRORS FALSE)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 15)
  set(PIPPIN_WARNINGS_ARE_ERRORS TRUE)
  target_compile_options(pippin_options INTERFACE -Werror)
endif()
# GCC 12 warns of string concatenations that are right (GCC bug 105651).
target_compile_options(pippin_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
# … and, with the sanitizers' code in between, of values that are set (GCC bug 105562).
if(PIPPIN_SANITIZE)
  target_compile_options(pippin_options INTERFACE -Wno-maybe-uninitialized)
endif()
if(PIPPIN_SANITIZE)
  # Of NVIDIA's compiler these are no options.
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=address,undefined,float-cast-overflow;-fno-sanitize-recover=all;-fno-omit-frame-pointer>")
  add_link_options(-fsanitize=address,undefined,float-cast-overflow)
endif()
if(PIPPIN_FUZZ)
  # Without each comparison's numbers, which took a third of the time: dictionaries and the kept inputs have the words
  # that they would find. Library assertions see an index beyond a string_view, which AddressSanitizer takes for a
  # neighbour.
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=fuzzer-no-link,address,undefined,float-cast-overflow;-fno-sanitize-coverage=trace-cmp;-fno-sanitize-recover=undefined,float-cast-overflow;-fno-omit-frame-pointer;-O2>")
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  add_link_options(-fsanitize=fuzzer-no-link,address,undefined,float-cast-overflow)
endif()

# pippin_precompiled(NAME LIBRARIES libraries … HEADERS <a> "b.h" …): headers that the targets named in
# pippin_use_precompiled(TARGET NAME) need not read again. They include what they use all the same:
# ./dev lint compiles without.
function(pippin_precompiled NAME)
  cmake_parse_arguments(PRECOMPILED "" "" "LIBRARIES;HEADERS" ${ARGN})
  if(NOT PIPPIN_PRECOMPILE)
    return()
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.cpp CONTENT "// Nothing but the headers.\n")
  add_library(${NAME} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.cpp)
  target_link_libraries(${NAME} PRIVATE ${PRECOMPILED_LIBRARIES})
  target_precompile_headers(${NAME} PRIVATE ${PRECOMPILED_HEADERS})
endfunction()

function(pippin_use_precompiled TARGET NAME)
  if(PIPPIN_PRECOMPILE)
    target_precompile_headers(${TARGET} REUSE_FROM ${NAME})
  endif()
endfunction()

# pippin_one_unit(TARGET a.cpp b.cpp …): files that share a heavy header are compiled as one, which reads
# it once. Names in their anonymous namespaces must differ.
function(pippin_one_unit TARGET)
  if(PIPPIN_PRECOMPILE)
    set_target_properties(${TARGET} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP one)
  endif()
endfunction()

pippin_precompiled(pippin_common_headers LIBRARIES pippin_options fmt::fmt HEADERS
  <algorithm> <cmath> <cstdint> <filesystem> <functional> <map> <optional> <set> <string>
  <string_view> <utility> <vector> <fmt/format.h>)

# pippin_room(NAME SOURCES a.cpp … [PUBLIC rooms …] [PRIVATE outside libraries …])
function(pippin_room NAME)
  cmake_parse_arguments(ROOM "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(pippin_${NAME} STATIC ${ROOM_SOURCES})
  target_link_libraries(pippin_${NAME} PUBLIC pippin_options ${ROOM_PUBLIC} PRIVATE ${ROOM_PRIVATE})
  pippin_use_precompiled(pippin_${NAME} pippin_common_headers)
endfunction()

# pippin_test(NAME SOURCES a_test.cpp … [ROOMS libraries …] [LABEL word] [RESOURCE what one may use at a time]
#             [TIMEOUT seconds]
#             [OPTIMISED]: the sources themselves compute much
# One executable a room; every Catch2 case in it is a CTest test named "NAME: case", with the label
# NAME or another (of two, catch_discover_tests would take the second for a property).
function(pippin_test NAME)
  cmake_parse_arguments(TEST "OPTIMISED" "LABEL;RESOURCE;TIMEOUT" "SOURCES;ROOMS" ${ARGN})
  if(NOT TEST_LABEL)
    set(TEST_LABEL ${NAME})
  endif()
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 300)
  endif()
  if(PIPPIN_SANITIZE)
    math(EXPR TEST_TIMEOUT "4 * ${TEST_TIMEOUT}")
  endif()
  add_executable(${NAME}_test ${TEST_SOURCES})
  target_link_libraries(${NAME}_test PRIVATE pippin_test_support ${TEST_ROOMS})
  if(NOT TEST_OPTIMISED)
    target_link_libraries(${NAME}_test PRIVATE pippin_unoptimised)
    pippin_use_precompiled(${NAME}_test pippin_test_headers)
  endif()
  # A name that Catch2 cannot match runs no test and exits 0: that is a failure, not a pass.
  catch_discover_tests(${NAME}_test TEST_PREFIX "${NAME}: "
    PROPERTIES SKIP_RETURN_CODE 77 FAIL_REGULAR_EXPRESSION "No tests ran" TIMEOUT ${TEST_TIMEOUT}
               LABELS "${TEST_LABEL}" RESOURCE_LOCK "${TEST_RESOURCE}")
endfunction()
