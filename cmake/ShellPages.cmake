# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes manual pages and completion scripts out of the programs' own tables of flags, as `cmake --install` lays them out:
#
#   cmake -DBIN=build/release/bin -DFOLDER=share -P cmake/ShellPages.cmake
#
# BIN is where heddle is. FOLDER gets man/man1, bash-completion/completions, fish/vendor_completions.d and ZSH, a folder of
# zsh's $fpath (zsh/site-functions).
if(NOT ZSH)
  set(ZSH zsh/site-functions)
endif()

# heddle_page(FILE ARGUMENTS…): what `heddle ARGUMENTS` prints.
function(heddle_page file)
  execute_process(COMMAND ${BIN}/heddle ${ARGN} OUTPUT_VARIABLE text ERROR_VARIABLE error RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "heddle ${ARGN}: ${status} ${error}")
  endif()
  file(WRITE ${FOLDER}/${file} "${text}")
endfunction()

heddle_page(man/man1/heddle.1 help --man)
file(STRINGS ${FOLDER}/man/man1/heddle.1 lines REGEX "^\\.BR heddle-[a-z]+ ")
foreach(line IN LISTS lines)
  string(REGEX REPLACE "^\\.BR heddle-([a-z]+) .*" "\\1" verb "${line}")
  if(EXISTS ${BIN}/heddle-${verb})
    heddle_page(man/man1/heddle-${verb}.1 help --man ${verb})
  endif()
endforeach()
heddle_page(bash-completion/completions/heddle completion bash)
heddle_page(fish/vendor_completions.d/heddle.fish completion fish)
heddle_page(${ZSH}/_heddle completion zsh)
