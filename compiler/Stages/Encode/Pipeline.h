// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stage `encode`: how values lie in memory. Convolutions compute with channels last; transposes go to the edges.
#ifndef HEDDLE_COMPILER_STAGES_ENCODE_PIPELINE_H
#define HEDDLE_COMPILER_STAGES_ENCODE_PIPELINE_H

#include "compiler/Target/Forms/FormModel.h"

#include "mlir/Pass/PassManager.h"

namespace mlir::heddle {

struct EncodeOptions {
  std::string precision = "f32";             // of the operands of products, see encode-narrow-products
  std::string winograd = "default";          // which convolutions are computed by fewer products, see encode-winograd
  int64_t fewRows = FormModel().productRows; // of a product that reads transposed columns as they lie
  bool setEncodings = true;                  // data tiling; without it operands of contractions stay row-major
  // Adds passes before encodings are set, of long reductions (stage `form` splits them), and behind them.
  std::function<void(OpPassManager &)> chooseReductions = {}, finish = {};
};

void buildEncodePipeline(OpPassManager &pm, const EncodeOptions &options);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_ENCODE_PIPELINE_H
