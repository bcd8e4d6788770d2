// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What contractions answer as a strategy; their code is in ContractionNest.cpp.
#include "compiler/Codegen/CPU/Contraction/ContractionNest.h"
#include "compiler/Codegen/CPU/Contraction/Decoding.h"
#include "compiler/Codegen/CPU/Contraction/DepthBlocks.h"
#include "compiler/Codegen/CPU/Contraction/Microkernels.h"
#include "compiler/Codegen/CPU/Contraction/RowCopy.h"
#include "compiler/Codegen/CPU/Contraction/TileProducts.h"
#include "compiler/Codegen/CPU/Strategy.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

// Products whose addresses LLVM's passes over loops shorten: several loops make indices of a convolution's operands,
// and quotients of panels.
bool makesAddressesInLoops(linalg::GenericOp op) {
  return llvm::any_of(op.getIndexingMapsArray(), [](AffineMap map) {
    return llvm::any_of(map.getResults(), [](AffineExpr index) { return isa<AffineBinaryOpExpr>(index); });
  });
}

class ContractionNest : public Strategy {
public:
  explicit ContractionNest(const ContractionPlan &nest) : nest(nest) {}

  Value workgroups(FunctionScalars &scalars) const override {
    return scalars.product(ContractionSpace(nest, scalars).grid);
  }
  Value grain(FunctionScalars &scalars) const override { return contractionGrain(nest, scalars); }
  Value scratch(FunctionScalars &scalars) const override {
    if (nest.integer)
      return DotOperands::scratchBytes(nest, scalars);
    Value total = packedBytes(nest, scalars);
    if (nest.copied)
      total = scalars.add(total, RowCopy::bytes(nest, scalars));
    return nest.contraction.depthOutside ? scalars.add(total, DepthSums::bytes(nest, scalars)) : total;
  }
  void emit(ElementEmitter &emitter, const Workgroup &at) const override {
    emitContraction(nest, emitter, at.number, at.first, at.output, at.scratch);
  }
  void begin(ElementEmitter &emitter) const override {
    if (nest.usesTileRegisters())
      TileProducts::configure(nest, emitter);
  }
  void end(ElementEmitter &emitter) const override {
    if (nest.usesTileRegisters())
      TileProducts::release(emitter);
  }
  std::string describe() const override { return describeProducts() + describeTile(nest); }
  Unrolled unrolled() const override {
    if (mayUseMicrokernel(nest))
      return Unrolled::Calls;
    return makesAddressesInLoops(nest.step.op) ? Unrolled::Tiles : Unrolled::Addresses;
  }
  Value countRows(FunctionScalars &scalars) const override {
    return scalars.product(ContractionSpace(nest, scalars).rowSizes);
  }
  std::string describeClass(const RowClass &few) const override {
    if (few.mostColumns > 0)
      return "up to " + std::to_string(few.mostColumns) + " columns " + describeTile(nest);
    return "up to " + std::to_string(few.mostRows) + (few.mostRows == 1 ? " row " : " rows ") + describeTile(nest);
  }

private:
  // What is multiplied, where that is no matter of course.
  std::string describeProducts() const {
    if (nest.integer)
      return nest.integer->isFloat ? "bf16 contraction, tile " : "integer contraction, tile ";
    if (nest.rounded)
      return "contraction of rounded rows, tile ";
    bool isNarrow = llvm::all_of(linalg::GenericOp(nest.step.op).getDpsInputs(),
                                 [](Value input) { return getElementTypeOrSelf(input).isBF16(); });
    return isNarrow ? "contraction of widened bf16, tile " : "contraction, tile ";
  }

  const ContractionPlan &nest;
};

} // namespace

std::string mlir::heddle::codegen::describeTile(const ContractionPlan &nest) {
  const ContractionConfig &config = nest.contraction;
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleave(config.tile, stream, "*");
  stream << (config.tile.empty() ? "1x" : "x") << config.vectors << "x" << config.width
         << (config.packing == Packing::Never    ? ""
             : config.packing == Packing::Always ? (nest.decoding ? ", columns decoded" : ", columns packed")
                                                 : ", columns packed for many rows")
         << (nest.usesTileRegisters() ? ", in tile registers" : "");
  if (config.copiesRows)
    stream << ", rows copied";
  if (config.depth > 0)
    stream << (config.depthOutside ? ", all rows by " : ", by ") << config.depth << " steps";
  if (config.lastVectors > 0)
    stream << ", last " << config.lastVectors;
  return text;
}

std::unique_ptr<Strategy> mlir::heddle::codegen::makeStrategy(const ContractionPlan &nest) {
  return std::make_unique<ContractionNest>(nest);
}
