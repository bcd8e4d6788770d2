// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text with names of other people's models in it, as it may be shown: a name cannot send commands to a terminal, write
// a line of its own, or turn the order of letters round. Used where text leaves a program (messages, reports, pages);
// names themselves stay as they are.
//
//   showText("a\x1b[2J\u202eb")   // a\x1b[2J\u{202e}b, with these very letters
#ifndef HEDDLE_CONTRACT_TEXT_H
#define HEDDLE_CONTRACT_TEXT_H

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::contract {

enum class Lines : uint8_t {
  One, // of a text that is one line: a newline is shown as \n
  Many // the text's own newlines and tabs stay
};

// Shown as letters: C0 controls and DEL as \x1b, C1 controls and what orders text (bidi marks, embeddings, overrides,
// isolates) or separates lines (U+2028, U+2029) as \u{202e}, bytes that are no UTF-8 as \xff. All else as it is.
std::string showText(std::string_view text, Lines lines = Lines::Many);

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_TEXT_H
