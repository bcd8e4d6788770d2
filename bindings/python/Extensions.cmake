# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The extension for Pythons that are not on this machine, from their headers alone: a folder of HEDDLE_PYTHON_HEADERS for each
# (scripts/python_headers.py), `cp39` for CPython 3.9, `abi3` for the stable ABI of 3.12 and all later ones. Without that, for
# the Python of this build.
# `ninja heddle_extensions` makes packaged/python/TAG/_runtime.*.so, which load the packaged library from lib/ beside them.
execute_process(COMMAND ${HEDDLE_PYTHON} -c "import nanobind, numpy; print(nanobind.include_dir()); print(nanobind.source_dir()); print(numpy.get_include())"
  OUTPUT_VARIABLE folders OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" folders "${folders}")
list(GET folders 0 nanobind_headers)
list(GET folders 1 nanobind_sources)
list(GET folders 2 numpy_headers)
set(robin_map ${nanobind_sources}/../ext/robin_map/include)

add_custom_target(heddle_extensions)
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/*.cpp)
set(tags cp${Python_VERSION_MAJOR}${Python_VERSION_MINOR})
if(HEDDLE_PYTHON_HEADERS)
  file(GLOB tags RELATIVE ${HEDDLE_PYTHON_HEADERS} ${HEDDLE_PYTHON_HEADERS}/*)
endif()
foreach(tag IN LISTS tags)
  set(name heddle_extension_${tag})
  add_library(${name} MODULE EXCLUDE_FROM_ALL ${sources} ${nanobind_sources}/nb_combined.cpp)
  set(python_headers ${Python_INCLUDE_DIRS})
  if(HEDDLE_PYTHON_HEADERS)
    set(python_headers ${HEDDLE_PYTHON_HEADERS}/${tag})
  endif()
  target_include_directories(${name} SYSTEM PRIVATE
    ${python_headers} ${nanobind_headers} ${robin_map} ${numpy_headers})
  target_compile_definitions(${name} PRIVATE NB_COMPACT_ASSERTIONS)
  target_compile_options(${name} PRIVATE -fno-strict-aliasing -ffunction-sections -fdata-sections -w)
  set(suffix .abi3.so)
  if(tag STREQUAL abi3)
    target_compile_definitions(${name} PRIVATE Py_LIMITED_API=0x030C0000
      PyTuple_GET_ITEM=PyTuple_GetItem PyTuple_SET_ITEM=PyTuple_SetItem) # macros that look into the object
  else()
    string(REPLACE cp3 .cpython-3 suffix ${tag}-${CMAKE_SYSTEM_PROCESSOR}-linux-gnu.so)
  endif()
  set_target_properties(${name} PROPERTIES PREFIX "" OUTPUT_NAME _runtime SUFFIX ${suffix})
  target_link_options(${name} PRIVATE -Wl,--gc-sections)
  if(TARGET packaged_runtime)
    target_link_libraries(${name} PRIVATE packaged_runtime)
    heddle_packaged_target(${name})
  else()
    target_link_libraries(${name} PRIVATE heddle_runtime)
  endif()
  set_target_properties(${name} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/lib" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/packaged/python/${tag})
  add_dependencies(heddle_extensions ${name})
endforeach()
