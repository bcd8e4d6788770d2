// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `--dim=NAME=SIZE`: sizes that a model leaves free, fixed before its graph is read, so that all is compiled for them.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_MODEL_FIXEDSIZES_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_MODEL_FIXEDSIZES_H

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"

#include <map>
#include <string>

namespace mlir::heddle::importer {

struct Model;
struct Port;

// What a free dimension is called: as the model says, else after its port.
std::string dimName(const Port &port, size_t dim);

class FixedSizes {
public:
  // `flags`: NAME=SIZE each, where NAME is a free dimension's, or INPUT.DIMENSION. Fails with a diagnostic at
  // `location` for what is none, and for one name with two sizes.
  static FailureOr<FixedSizes> parse(ArrayRef<std::string> flags, Location location);

  // Gives inputs and outputs of the model the sizes. Fails where a size contradicts the model or another flag.
  LogicalResult apply(Model &model, Location location);
  // Fails where a name is of no model that apply() saw, with those that are.
  LogicalResult reportUnknown(Location location) const;

private:
  // The dimension's own name of one that is named by its input; none where it is something else.
  FailureOr<std::string> resolve(const std::string &name, int64_t size, const Model &model, Location location);

  std::map<std::string, int64_t> sizes;
  std::map<std::string, bool> isUsed;
  std::map<std::string, int64_t> known; // free dimensions of all models, with the size given by now, or 0
};

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_MODEL_FIXEDSIZES_H
