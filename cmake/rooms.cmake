# How every room of the house is built: one static library a room, warnings are errors.

add_library(pippin_options INTERFACE)
target_include_directories(pippin_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(pippin_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                                -Wno-sign-conversion -Werror)
# GCC 12 warns of string concatenations that are right (GCC bug 105651).
target_compile_options(pippin_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
# … and, with the sanitizers' code in between, of values that are set (GCC bug 105562).
if(PIPPIN_SANITIZE)
  target_compile_options(pippin_options INTERFACE -Wno-maybe-uninitialized)
endif()
if(PIPPIN_SANITIZE)
  # Of NVIDIA's compiler these are no options.
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=address,undefined;-fno-sanitize-recover=all;-fno-omit-frame-pointer>")
  add_link_options(-fsanitize=address,undefined)
endif()

# pippin_room(NAME SOURCES a.cpp … [PUBLIC rooms …] [PRIVATE outside libraries …])
function(pippin_room NAME)
  cmake_parse_arguments(ROOM "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(pippin_${NAME} STATIC ${ROOM_SOURCES})
  target_link_libraries(pippin_${NAME} PUBLIC pippin_options ${ROOM_PUBLIC} PRIVATE ${ROOM_PRIVATE})
endfunction()

# pippin_test(NAME SOURCES a_test.cpp … [ROOMS libraries …] [LABEL word] [RESOURCE what one may use at a time])
# One executable a room; every Catch2 case in it is a CTest test named "NAME: case", with the label
# NAME or another (of two, catch_discover_tests would take the second for a property).
function(pippin_test NAME)
  cmake_parse_arguments(TEST "" "LABEL;RESOURCE" "SOURCES;ROOMS" ${ARGN})
  if(NOT TEST_LABEL)
    set(TEST_LABEL ${NAME})
  endif()
  add_executable(${NAME}_test ${TEST_SOURCES})
  target_link_libraries(${NAME}_test PRIVATE pippin_test_support ${TEST_ROOMS})
  # A name that Catch2 cannot match runs no test and exits 0: that is a failure, not a pass.
  catch_discover_tests(${NAME}_test TEST_PREFIX "${NAME}: "
    PROPERTIES SKIP_RETURN_CODE 77 FAIL_REGULAR_EXPRESSION "No tests ran" TIMEOUT 300
               LABELS "${TEST_LABEL}" RESOURCE_LOCK "${TEST_RESOURCE}")
endfunction()
