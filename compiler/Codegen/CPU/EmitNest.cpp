// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is asked of a nest of any kind.
#include "compiler/Codegen/CPU/Border.h"
#include "compiler/Codegen/CPU/ContractionSpace.h"
#include "compiler/Codegen/CPU/RowClasses.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

Value mlir::heddle::codegen::countWorkgroups(const Nest &nest, FunctionScalars &scalars) {
  if (nest.kind == NestKind::Contraction)
    return countContractionWorkgroups(nest, scalars);
  if (nest.kind == NestKind::Transpose)
    return countTransposeWorkgroups(nest, scalars);
  if (nest.kind == NestKind::Windows)
    return scalars.product(windowGrid(nest, scalars));
  if (nest.kind == NestKind::Chain)
    return countChainWorkgroups(nest, scalars);
  if (nest.kind == NestKind::Border)
    return scalars.constant(1);
  return countRowWorkgroups(nest, scalars);
}

Value mlir::heddle::codegen::workgroupGrain(const Nest &nest, FunctionScalars &scalars) {
  return nest.kind == NestKind::Contraction ? contractionGrain(nest, scalars) : scalars.constant(1);
}

Value mlir::heddle::codegen::countScratch(const Nest &nest, FunctionScalars &scalars) {
  if (nest.kind == NestKind::Contraction)
    return ofRowClass(nest, scalars, [&](const Nest &one) { return countContractionScratch(one, scalars); });
  if (nest.kind == NestKind::Chain)
    return ofRowClass(nest, scalars, [&](const Nest &one) { return countChainScratch(one, scalars); });
  if (nest.kind == NestKind::Elements)
    return scalars.constant(0);
  auto ofClass = [&](const Nest &one) { return countRowScratch(one, scalars); };
  return ofRowClass(nest, scalars, ofClass);
}

void mlir::heddle::codegen::emitWorkgroup(const Nest &nest, ElementEmitter &emitter, Value workgroup, Value first,
                                          const Buffer &output, Value scratch) {
  if (nest.kind == NestKind::Contraction)
    return emitContraction(nest, emitter, workgroup, first, output, scratch);
  if (nest.kind == NestKind::Transpose)
    return emitTranspose(nest, emitter, workgroup, output);
  if (nest.kind == NestKind::Windows)
    return emitWindow(nest, emitter, workgroup, output);
  if (nest.kind == NestKind::Chain)
    return emitChain(nest, emitter, workgroup, output, scratch);
  if (nest.kind == NestKind::Border)
    return emitBorder(emitter, nest.pad, output, nest.width, nest.masks);
  emitRows(nest, emitter, workgroup, output, scratch);
}
