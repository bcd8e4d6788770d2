// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values on the command line (docs/cli.md):
//
//   value := type '=' elements | type '=@' raw-file | '@' npy-file
//   type  := (size 'x')* element-type                          2x3xf32   i64
//   elements := one per place, separated by commas or blanks, or a single one that fills all places; or nested in
//               brackets as `heddle run` prints them: [[1 2 3][4 5 6]]
//
// and with a name in front: `NAME=value`.
#ifndef HEDDLE_TOOLS_LIB_VALUESYNTAX_H
#define HEDDLE_TOOLS_LIB_VALUESYNTAX_H

#include "tools/lib/HostTensor.h"

#include <span>
#include <string>
#include <string_view>

namespace heddle::tools {

struct NamedValue {
  std::string name;  // "" when the value stands by its position
  std::string value; // what parseValue() takes
};

// Splits NAME=value. `names` are those of the module: the longest of them that stands in front of a value is the name,
// whatever else the text could be (`i1=@x.npy` where an input is called i1, `a=@b=f32=1` where one is called a=@b).
// Else the name ends at the first '=' whose right side looks like a value; a text that looks like a value as a whole
// has none
// (`f32=1` is a scalar). Throws UsageError when neither fits.
NamedValue splitName(std::string_view text, std::span<const std::string> names = {});

// The tensor. Throws UsageError for a text that breaks the grammar, Failure for a file that cannot be read or does not
// fit. `value` is quoted in the messages.
HostTensor parseValue(std::string_view value);

// A type with sizes: "2x3xf32". Returns false, and says why in `error`, when it is none.
bool parseType(std::string_view text, ElementType &type, std::vector<int64_t> &dims, std::string &error);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LIB_VALUESYNTAX_H
