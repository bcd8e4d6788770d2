// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The key of a compilation: a digest of all that its artifact and its messages depend on (docs/design/cache.md).
#ifndef HEDDLE_TOOLS_CACHE_KEY_H
#define HEDDLE_TOOLS_CACHE_KEY_H

#include <string>
#include <utility>
#include <vector>

namespace heddle::tools {

struct KeyInputs {
  std::string compiler;            // the program that compiles
  std::vector<std::string> models; // the model, then others in the same artifact
  std::string content;             // not empty: stands for the content of models[0], which need not exist
  std::vector<std::string> files;  // others that flags name
  std::vector<std::pair<std::string, std::vector<std::string>>> flags; // in a fixed order, with the values given

  // All that messages may name: models, then files.
  std::vector<std::string> paths() const {
    std::vector<std::string> all = models;
    all.insert(all.end(), files.begin(), files.end());
    return all;
  }
};

// Models count by their names without folders and by their content, with the files that hold their tensors; files that
// flags name by content, too. Throws Failure where one cannot be read, or when ONNX's bytes are none.
std::string makeKey(const KeyInputs &inputs);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_CACHE_KEY_H
