// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `run` and `bench` are given: an artifact, or a model that is compiled first, or comes from the cache.
#ifndef HEDDLE_TOOLS_SESSION_MODELFILE_H
#define HEDDLE_TOOLS_SESSION_MODELFILE_H

#include "tools/lib/CommandLine.h"
#include "tools/lib/Files.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::tools {

// Flags that say how a model is compiled.
struct ModelFlags {
  std::vector<std::string> dims, targetDevices, compileFlags;
  std::string cache, precision;
  bool quiet = false;
  // `dimHelp`: what --dim does for an artifact.
  void addTo(CommandLine &line, const std::string &dimHelp);
};

// Whether the name is a model's (.onnx, .mlir, .mlirbc).
bool isModel(const std::string &path);

class ModelFile {
public:
  // Compiles a model by `heddle compile` in a process of its own, whose messages are printed. Throws UsageError where
  // it does not take the flags, Failure where it fails or this build has no compiler.
  ModelFile(const std::string &path, const ModelFlags &flags);
  // With it the artifact of a model goes; a program that is loaded keeps what it has mapped.
  const std::string &artifact() const { return artifact_; }

private:
  std::string artifact_;
  std::unique_ptr<ScratchFolder> folder_; // null: an artifact was given
};

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_SESSION_MODELFILE_H
