# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# HEDDLE_BUILD: what a build was made from, for `heddle --version` and artifacts: the commit, of a clone by git and of an archive that git made
# by cmake/Commit.txt, and the version of LLVM. A commit configures the build anew.
set(commit "")
if(EXISTS ${PROJECT_SOURCE_DIR}/.git)
  execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} rev-parse --short=12 HEAD
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(EXISTS ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
  endif()
else()
  file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/Commit.txt commit REGEX "^[0-9a-f]+$")
  string(SUBSTRING "${commit}" 0 12 commit)
endif()
set(HEDDLE_BUILD "")
if(commit)
  list(APPEND HEDDLE_BUILD "commit ${commit}")
endif()
if(HEDDLE_COMPILER)
  list(APPEND HEDDLE_BUILD "LLVM ${LLVM_PACKAGE_VERSION}")
endif()
list(JOIN HEDDLE_BUILD ", " HEDDLE_BUILD)
