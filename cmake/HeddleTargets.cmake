# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Small helpers for targets that need no LLVM.

# heddle_find_headers(VARIABLE HEADER): the folder that HEADER is in, also for another machine: headers serve every one.
macro(heddle_find_headers variable header)
  find_path(${variable} ${header} PATHS /usr/include NO_CMAKE_FIND_ROOT_PATH ${ARGN})
endmacro()

# heddle_foreign_headers(TARGET PUBLIC|PRIVATE FOLDER NAMES…): TARGET finds those names of FOLDER, by links, so that another
# machine's tool chain sees nothing else of it. Does nothing where the compiler looks into FOLDER by itself.
function(heddle_foreign_headers target visibility folder)
  if(folder IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    return()
  endif()
  set(links ${PROJECT_BINARY_DIR}/foreign-headers/${target})
  file(MAKE_DIRECTORY ${links})
  foreach(name ${ARGN})
    file(CREATE_LINK ${folder}/${name} ${links}/${name} SYMBOLIC)
  endforeach()
  target_include_directories(${target} SYSTEM ${visibility} $<BUILD_INTERFACE:${links}>)
endfunction()

# One precompiled header for the libraries without LLVM, made twice: for those with run-time type information and for those
# without. By Clang alone, and not inside another project, whose compiler cache may not know of it. Call it after the
# target's compile options.
function(heddle_precompile target)
  if(NOT PROJECT_IS_TOP_LEVEL OR NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    return()
  endif()
  set(pch heddle_contract_pch)
  get_target_property(options ${target} COMPILE_OPTIONS)
  if("-fno-rtti" IN_LIST options)
    set(pch heddle_runtime_pch)
  endif()
  if(NOT TARGET ${pch})
    add_library(${pch} OBJECT ${PROJECT_SOURCE_DIR}/cmake/pch.cpp)
    target_include_directories(${pch} PRIVATE $<TARGET_PROPERTY:heddle_contract,INTERFACE_INCLUDE_DIRECTORIES>)
    add_dependencies(${pch} heddle_artifact_schema)
    target_compile_options(${pch} PRIVATE $<$<STREQUAL:${pch},heddle_runtime_pch>:-fno-rtti> -Xclang -fno-pch-timestamp)
    target_precompile_headers(${pch} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/contract_pch.h)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${pch})
  target_compile_options(${target} PRIVATE -Xclang -fno-pch-timestamp)
endfunction()

# heddle_tests(FOLDER): add_subdirectory() where tests are built.
macro(heddle_tests folder)
  if(HEDDLE_TESTS)
    add_subdirectory(${folder})
  endif()
endmacro()

# heddle_gtest(NAME SRCS… LIBS…): a GoogleTest program, registered with ctest as one test. Nothing where tests are off.
function(heddle_gtest name)
  if(NOT HEDDLE_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SRCS;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SRCS})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} GTest::gtest GTest::gtest_main Threads::Threads)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 600
    ENVIRONMENT "GTEST_OUTPUT=xml:${PROJECT_BINARY_DIR}/results/${name}.xml")
endfunction()
