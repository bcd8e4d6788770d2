// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/Streaming.h"
#include "compiler/Analysis/StorageBytes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

bool mlir::heddle::codegen::computesFunctions(func::FuncOp func) {
  return func
      .walk([](Operation *op) {
        return isa<math::MathDialect>(op->getDialect()) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool mlir::heddle::codegen::mayStream(const PlanCommon &nest, FunctionScalars &scalars, Streamed what) {
  auto type = cast<RankedTensorType>(nest.value.getType());
  if (nest.binding < 0 || nest.width == 1 || nest.apart.any() || !type.getElementType().isIntOrFloat())
    return false;
  if (type.hasStaticShape())
    return type.getNumElements() * storageBytes(type.getElementType()) >= kStreamBytes;
  return what == Streamed::Anything || !computesFunctions(scalars.getSource());
}

void mlir::heddle::codegen::emitStreaming(const PlanCommon &nest, ElementEmitter &emitter, const Buffer &output,
                                          Value rowElements, function_ref<void()> body, Streamed what) {
  if (output.base || !mayStream(nest, emitter.scalars, what))
    return body();
  LaneBuilder &lanes = emitter.lanes;
  OpBuilder &builder = lanes.builder;
  Location loc = lanes.loc;
  FunctionScalars &scalars = emitter.scalars;
  constexpr int64_t kLine = 64;
  int64_t bytes = storageBytes(cast<RankedTensorType>(nest.value.getType()).getElementType());
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, output.memory);
  Value row = builder.createOrFold<arith::MulIOp>(loc, rowElements, lanes.index(bytes));
  Value bits = builder.createOrFold<arith::OrIOp>(loc, address, row);
  Value unaligned = builder.createOrFold<arith::AndIOp>(loc, bits, lanes.index(kLine - 1));
  Value aligned = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, unaligned, scalars.constant(0));
  Value total = scalars.mul(scalars.product(scalars.sizes(nest.value)), scalars.constant(bytes));
  Value large = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, total, lanes.index(kStreamBytes));
  Value yes = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  Value streams = builder.createOrFold<arith::AndIOp>(loc, aligned, large);
  emitter.when(streams, [&] {
    emitter.streaming = true;
    body();
    emitter.streaming = false;
  });
  emitter.when(builder.createOrFold<arith::XOrIOp>(loc, streams, yes), body);
}
