// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of the domain `heddle`: what ATen has and ONNX has not. heddle._torch.translate writes them; what each
// takes and gives stands at the head of its file.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_HEDDLEDOMAIN_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_HEDDLEDOMAIN_H

#include "compiler/Stages/Import/Onnx/Lowering.h"

namespace mlir::heddle::importer {

void registerCumulativeExtremes(LoweringTable &table); // Ops/CumulativeExtremes.cpp
void registerLinearAlgebra(LoweringTable &table);      // Ops/LinearAlgebra.cpp
void registerSpecialFunctions(LoweringTable &table);   // Ops/SpecialFunctions.cpp

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_HEDDLEDOMAIN_H
