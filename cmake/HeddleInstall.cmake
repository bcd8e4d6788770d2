# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `cmake --install` and CPack give: three components, each a Debian package (docs/install.md).
#   runtime      the library that a program needs to run
#   development  headers, HeddleConfig.cmake, heddle.pc
#   tools        the command line, and with HEDDLE_COMPILER the compiler
include(CMakePackageConfigHelpers)

install(TARGETS heddle_runtime EXPORT HeddleTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/heddle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Heddle)
install(EXPORT HeddleTargets NAMESPACE Heddle:: DESTINATION ${package_folder} COMPONENT development)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/HeddleConfig.cmake.in ${PROJECT_BINARY_DIR}/HeddleConfig.cmake
  INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a new minor version may change the C++ header; the library's own promise is HEDDLE_ABI_VERSION.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/HeddleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/HeddleConfig.cmake ${PROJECT_BINARY_DIR}/HeddleConfigVersion.cmake
  DESTINATION ${package_folder} COMPONENT development)

# Paths by the file's own place, so that a folder that was moved (DESTDIR, a package of another kind) still works.
file(RELATIVE_PATH HEDDLE_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" HEDDLE_PC_PREFIX "${HEDDLE_PC_PREFIX}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/heddle.pc.in ${PROJECT_BINARY_DIR}/heddle.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/heddle.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

if(HEDDLE_TOOLS)
  file(RELATIVE_PATH to_libraries /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  # MLIR's library lies in a folder of its own, which the compiler's programs have to name.
  set_target_properties(${HEDDLE_PROGRAMS} PROPERTIES
    INSTALL_RPATH "$ORIGIN/${to_libraries}" INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS ${HEDDLE_PROGRAMS} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  # Manual pages and completion, which the programs print: another machine's programs do not run here. Debian's zsh looks into
  # a folder of its own for packages.
  if(NOT CMAKE_CROSSCOMPILING)
    set(pages ${PROJECT_BINARY_DIR}/share)
    install(CODE "
      set(BIN ${PROJECT_BINARY_DIR}/bin)
      set(FOLDER ${pages})
      set(ZSH zsh/site-functions)
      if(CMAKE_INSTALL_PREFIX STREQUAL /usr AND EXISTS /etc/debian_version)
        set(ZSH zsh/vendor-completions)
      endif()
      file(REMOVE_RECURSE ${pages})
      include(${CMAKE_CURRENT_LIST_DIR}/ShellPages.cmake)" COMPONENT tools)
    install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_DATAROOTDIR} COMPONENT tools)
  endif()
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/THIRD_PARTY_NOTICES.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
