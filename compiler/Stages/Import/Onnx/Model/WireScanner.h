// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the weights of a serialised ONNX model without copying them.
//
// The lite protobuf runtime copies every bytes field. Weights are nearly the whole file, so they are cut out first: the
// parser sees the model without them, and they are read where the file is mapped.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_MODEL_WIRESCANNER_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_MODEL_WIRESCANNER_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::heddle::importer {

struct ScannedModel {
  std::string rest; // the serialised ModelProto without the weights cut out
  // For each initialiser of the main graph, in file order: its raw_data if it was cut out. Points into the scanned
  // bytes.
  std::vector<std::optional<llvm::StringRef>> rawData;
};

// Total: bytes that are no model in the usual form come back whole in `rest`, for the parser to judge.
ScannedModel cutOutWeights(llvm::StringRef bytes);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_MODEL_WIRESCANNER_H
