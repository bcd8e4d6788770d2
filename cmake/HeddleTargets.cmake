# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Small helpers for targets that need no LLVM.

# heddle_gtest(NAME SRCS… LIBS…): a GoogleTest program, registered with ctest as one test.
function(heddle_gtest name)
  cmake_parse_arguments(ARG "" "" "SRCS;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SRCS})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} GTest::gtest GTest::gtest_main Threads::Threads)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 600
    ENVIRONMENT "GTEST_OUTPUT=xml:${CMAKE_BINARY_DIR}/results/${name}.xml")
endfunction()
