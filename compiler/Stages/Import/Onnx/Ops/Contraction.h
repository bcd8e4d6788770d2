// Matrix products that several ops are made of.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_CONTRACTION_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_CONTRACTION_H

#include "compiler/Stages/Import/Onnx/Lowering.h"

namespace mlir::heddle::importer {

// [m, k] x [k, n]; the sizes k must be known to be equal.
Tensor matmul(Emitter &emitter, Tensor &lhs, Tensor &rhs);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_CONTRACTION_H
