# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds MLIR and defines heddle_mlir_library() and heddle_dialect(). Only compiler/ and its tools include this.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  message(FATAL_ERROR "the compiler is built by Clang, got ${CMAKE_CXX_COMPILER_ID}: take a preset (cmake --preset release), or "
                      "configure with -DCMAKE_CXX_COMPILER=clang++-22; the runtime alone (-DHEDDLE_COMPILER=OFF) takes others")
endif()
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS}) # mlir_tablegen reads them
separate_arguments(HEDDLE_LLVM_DEFINITIONS NATIVE_COMMAND ${LLVM_DEFINITIONS})

# What every compiler target needs: headers, definitions, the two shared libraries. Exceptions off, RTTI on.
add_library(heddle_mlir INTERFACE)
target_include_directories(heddle_mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_include_directories(heddle_mlir INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
target_compile_definitions(heddle_mlir INTERFACE ${HEDDLE_LLVM_DEFINITIONS})
target_compile_options(heddle_mlir INTERFACE -fno-exceptions)
set(shared $<NOT:$<BOOL:$<TARGET_PROPERTY:HEDDLE_STATIC_LLVM>>>) # tools/package links LLVM's archives instead
target_link_libraries(heddle_mlir INTERFACE $<${shared}:MLIR> $<${shared}:LLVM>)
add_custom_target(heddle_tablegen)

# One precompiled header for all of the compiler: MLIR's headers are most of a translation unit's time.
add_library(heddle_pch OBJECT ${PROJECT_SOURCE_DIR}/cmake/pch.cpp)
target_link_libraries(heddle_pch PUBLIC heddle_mlir)
target_precompile_headers(heddle_pch PRIVATE ${PROJECT_SOURCE_DIR}/cmake/pch.h)
target_compile_options(heddle_pch PRIVATE -Xclang -fno-pch-timestamp)

# heddle_mlir_library(NAME SRCS… LIBS…): a static library of the compiler.
function(heddle_mlir_library name)
  cmake_parse_arguments(ARG "NO_PCH;NO_UNITY" "" "SRCS;LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_SRCS})
  target_link_libraries(${name} PUBLIC heddle_mlir ${ARG_LIBS})
  add_dependencies(${name} heddle_tablegen)
  if(NOT ARG_NO_PCH)
    target_precompile_headers(${name} REUSE_FROM heddle_pch)
    target_compile_options(${name} PRIVATE -Xclang -fno-pch-timestamp)
    if(HEDDLE_UNITY GREATER 1 AND NOT ARG_NO_UNITY)
      set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${HEDDLE_UNITY})
    endif()
  endif()
endfunction()

# heddle_never_links(NAME OTHERS…): fails the configuration where NAME is linked with one of OTHERS, be it by way of more
# libraries.
function(heddle_never_links name)
  set(seen)
  set(next ${name})
  while(next)
    list(POP_FRONT next target)
    if(NOT TARGET ${target} OR target IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${target})
    foreach(property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
      get_target_property(linked ${target} ${property})
      if(linked)
        list(APPEND next ${linked})
      endif()
    endforeach()
  endwhile()
  foreach(other ${ARGN})
    if(other IN_LIST seen)
      message(FATAL_ERROR "${name} is linked with ${other}, and must not be (docs/design/import.md)")
    endif()
  endforeach()
endfunction()

# heddle_mlir_executable(NAME SRCS… LIBS…): a program on the compiler. Position-independent like the libraries, so that it
# shares their precompiled header.
function(heddle_mlir_executable name)
  cmake_parse_arguments(ARG "" "" "SRCS;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SRCS})
  target_link_libraries(${name} PRIVATE heddle_mlir ${ARG_LIBS})
  add_dependencies(${name} heddle_tablegen)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC -Xclang -fno-pch-timestamp)
  target_precompile_headers(${name} REUSE_FROM heddle_pch)
endfunction()

# heddle_tablegen_file(FILE.td OUT -gen-…): one generated file, next to its source's place in the build tree.
macro(heddle_tablegen_file td out)
  set(LLVM_TARGET_DEFINITIONS ${td})
  mlir_tablegen(${out} ${ARGN} EXTRA_INCLUDES ${PROJECT_SOURCE_DIR})
endmacro()

# heddle_dialect(Flow flow): FlowDialect.td, FlowAttrs.td (if present), FlowTypes.td (if present), FlowOps.td in this folder.
function(heddle_dialect Name name)
  set(defs ${Name}Ops.td)
  heddle_tablegen_file(${defs} ${Name}Dialect.h.inc -gen-dialect-decls -dialect=${name})
  heddle_tablegen_file(${defs} ${Name}Dialect.cpp.inc -gen-dialect-defs -dialect=${name})
  heddle_tablegen_file(${defs} ${Name}Ops.h.inc -gen-op-decls)
  heddle_tablegen_file(${defs} ${Name}Ops.cpp.inc -gen-op-defs)
  heddle_tablegen_file(${defs} ${Name}Attrs.h.inc -gen-attrdef-decls -attrdefs-dialect=${name})
  heddle_tablegen_file(${defs} ${Name}Attrs.cpp.inc -gen-attrdef-defs -attrdefs-dialect=${name})
  heddle_tablegen_file(${defs} ${Name}Types.h.inc -gen-typedef-decls -typedefs-dialect=${name})
  heddle_tablegen_file(${defs} ${Name}Types.cpp.inc -gen-typedef-defs -typedefs-dialect=${name})
  add_public_tablegen_target(Heddle${Name}IncGen)
  add_dependencies(heddle_tablegen Heddle${Name}IncGen)
endfunction()

# heddle_passes(Form): Passes.td in this folder → Passes.h.inc
function(heddle_passes Name)
  heddle_tablegen_file(Passes.td Passes.h.inc -gen-pass-decls -name ${Name})
  add_public_tablegen_target(Heddle${Name}PassesIncGen)
  add_dependencies(heddle_tablegen Heddle${Name}PassesIncGen)
endfunction()
