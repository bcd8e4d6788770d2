// Builds the host.func of one entry point in a single walk over its body in program order.
//
// Every tensor value has a Storage: a buffer of exactly its bytes, with a layout those in memory, and all its
// dimensions, which a layout does not change. Reshapes share their source's storage. A tensor that leaves a branch or a
// loop lies in a buffer allocated before it when its size is known there; else the branch allocates and hands on the
// buffer (then owned by the scf result) together with its dimensions.
#ifndef HEDDLE_COMPILER_STAGES_SCHEDULE_HOSTPROGRAMBUILDER_H
#define HEDDLE_COMPILER_STAGES_SCHEDULE_HOSTPROGRAMBUILDER_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Host/IR/HostOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::heddle {

class HostProgramBuilder {
public:
  // `source` stays unchanged; everything runs on `device`.
  HostProgramBuilder(func::FuncOp source, device::GlobalOp device);

  // The new function, inserted before the source. Failure: a diagnostic at the op that cannot be scheduled, and
  // the half-built function is erased.
  FailureOr<host::FuncOp> build();

private:
  struct Storage {
    Value buffer;
    SmallVector<Value> dims;
  };

  // Entry and exit (HostProgramBuilder.cpp).
  FailureOr<host::FuncOp> buildSignature();
  LogicalResult bindArguments();
  void claimResults();
  LogicalResult buildReturn(func::ReturnOp op);

  // Ops (HostProgramBuilder.cpp).
  LogicalResult buildBlock(Block &block);
  LogicalResult buildOp(Operation &op);
  LogicalResult checkDevice(Operation *op, Attribute affinity);
  LogicalResult buildParameter(flow::ParameterLoadOp op);
  LogicalResult buildDimension(flow::DimensionOp op);
  LogicalResult buildDispatch(flow::DispatchOp op);
  LogicalResult buildTransfer(flow::TransferOp op);
  LogicalResult buildRead(tensor::ExtractOp op);
  LogicalResult buildElements(tensor::FromElementsOp op);
  LogicalResult buildEmpty(tensor::EmptyOp op);
  LogicalResult buildSlice(tensor::ExtractSliceOp op);
  LogicalResult buildReshape(Operation *op, Value source, SmallVector<Value> dims);
  LogicalResult buildScalar(Operation &op);

  // Control flow (HostControlFlow.cpp).
  LogicalResult buildIf(scf::IfOp op);
  LogicalResult buildFor(scf::ForOp op);
  LogicalResult buildWhile(scf::WhileOp op);
  LogicalResult buildUpdate(tensor::InsertSliceOp op);
  LogicalResult buildBranch(Block &from, Block &into, ArrayRef<Storage> targets);
  SmallVector<Type> carriedTypes(TypeRange types, ArrayRef<Storage> targets);
  SmallVector<Storage> allocateTargets(ValueRange tensors);
  SmallVector<Storage> loopTargets(scf::ForOp op);
  void copyToTargets(ValueRange values, ArrayRef<Storage> targets);
  void checkSizes(const Storage &value, const Storage &target);
  Value ownedBuffer(Value tensor, bool mayMove, llvm::SmallPtrSetImpl<Value> &moved);
  SmallVector<Value> carry(ValueRange values, ArrayRef<Storage> targets, bool mayMove);
  void bindCarried(ValueRange sources, ArrayRef<Storage> targets, ValueRange carried);

  // Values and sizes.
  Value constant(int64_t value);
  Value scalar(Value value) { return scalars.lookupOrDefault(value); }
  SmallVector<Value> mixedDims(RankedTensorType type, ValueRange dynamic);
  SmallVector<Value> mixedSizes(ArrayRef<OpFoldResult> sizes);
  Value product(ArrayRef<Value> factors);
  Value byteSize(RankedTensorType type, ArrayRef<Value> dims);
  Value allocate(Value tensor, ArrayRef<Value> dims);
  void copy(Value target, Value tensor);
  Value viewRoot(Value buffer);

  func::FuncOp source;
  device::GlobalOp global;
  FlatSymbolRefAttr device;
  host::FuncOp program;
  OpBuilder builder;
  Location loc;
  IRMapping scalars;
  llvm::DenseMap<Value, Storage> storage;
  llvm::StringMap<Value> symbols;
  llvm::DenseMap<Value, unsigned> resultOf; // a dispatch's value that is written straight into a result's buffer
  llvm::DenseMap<unsigned, Value> resultBuffers;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_SCHEDULE_HOSTPROGRAMBUILDER_H
