// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the host.func of one entry point in a single walk over its body in program order.
//
// Every tensor value has a Storage: a buffer of exactly its bytes, with a layout those in memory, all its
// dimensions, which a layout does not change, and its device. Reshapes share their source's storage. A tensor that
// leaves a branch or a loop lies in a buffer allocated before it when its size is known there; else the branch
// allocates and hands on the buffer (then owned by the scf result) together with its dimensions.
//
// What runs on a device is issued on the stream of its queue: queue q is `host.stream on @d q`; of the module's default
// device queue 0 is the call's stream and q is `host.stream on @d q-1`. What names no queue goes to queue 0, and so do
// copies and fills but transfers; whoever writes a buffer that a branch or loop hands on does so on queue 0. A transfer
// is a copy on the stream of its destination; where both symbols may turn out to be one device, it is the source itself
// then. Nothing is ordered between streams yet (schedule-synchronize-streams).
#ifndef HEDDLE_COMPILER_STAGES_SCHEDULE_HOSTPROGRAMBUILDER_H
#define HEDDLE_COMPILER_STAGES_SCHEDULE_HOSTPROGRAMBUILDER_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Flow/Analysis/Topology.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Host/IR/HostOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::heddle {

class HostProgramBuilder {
public:
  // `source` stays unchanged; what has no affinity belongs on `device`.
  HostProgramBuilder(func::FuncOp source, device::GlobalOp device);

  // The new function, inserted before the source. Failure: a diagnostic at the op that cannot be scheduled, and
  // the half-built function is erased.
  FailureOr<host::FuncOp> build();

private:
  struct Storage {
    Value buffer;
    SmallVector<Value> dims;
    FlatSymbolRefAttr device = {};
  };

  // Entry and exit (HostProgramBuilder.cpp).
  FailureOr<host::FuncOp> buildSignature();
  LogicalResult bindArguments();
  LogicalResult claimResults();
  Value findWritten(Value tensor); // what `tensor` is a view of that has all its bytes
  Value homeOf(unsigned result);
  LogicalResult buildReturn(func::ReturnOp op);

  // Ops (HostProgramBuilder.cpp).
  LogicalResult buildBlock(Block &block);
  LogicalResult buildOp(Operation &op);
  LogicalResult buildParameter(flow::ParameterLoadOp op);
  LogicalResult buildDimension(flow::DimensionOp op);
  LogicalResult buildDispatch(flow::DispatchOp op);
  LogicalResult buildTransfer(flow::TransferOp op);
  LogicalResult buildRead(tensor::ExtractOp op);
  LogicalResult buildElements(tensor::FromElementsOp op);
  LogicalResult buildEmpty(tensor::EmptyOp op);
  LogicalResult buildSlice(tensor::ExtractSliceOp op);
  LogicalResult buildUnits(flow::UnitsOp op);
  LogicalResult buildReshape(Operation *op, Value source, SmallVector<Value> dims);
  LogicalResult buildScalar(Operation &op);

  // Devices (HostDevices.cpp).
  FailureOr<FlatSymbolRefAttr> deviceFrom(Operation *op, Attribute affinity);
  FlatSymbolRefAttr deviceOf(Value tensor, unsigned depth = 0);
  FailureOr<FlatSymbolRefAttr> deviceOfMade(Operation *op);
  static int64_t queueOf(Attribute affinity);
  Value stream(FlatSymbolRefAttr device, int64_t queue = 0);
  Value parameterOn(Value buffer, FlatSymbolRefAttr device);
  bool readsInPlace(FlatSymbolRefAttr owner, FlatSymbolRefAttr reader);
  FailureOr<Value> bufferOn(Operation *op, Value tensor, FlatSymbolRefAttr device);
  Value copyUnlessSame(flow::TransferOp op, FlatSymbolRefAttr device);

  // Control flow (HostControlFlow.cpp).
  LogicalResult buildIf(scf::IfOp op);
  LogicalResult buildFor(scf::ForOp op);
  LogicalResult buildWhile(scf::WhileOp op);
  LogicalResult buildArgumentUpdate(tensor::InsertSliceOp op);
  LogicalResult buildUpdate(tensor::InsertSliceOp op);
  LogicalResult buildBranch(Block &from, Block &into, ArrayRef<Storage> targets, ArrayRef<FlatSymbolRefAttr> devices,
                            ArrayRef<Storage> dying = {});
  SmallVector<Storage> findDying(scf::IfOp op, ArrayRef<Storage> targets);
  SmallVector<Type> carriedTypes(TypeRange types, ArrayRef<Storage> targets);
  SmallVector<Storage> allocateTargets(ValueRange tensors);
  void claimTargets(Block &branch, ArrayRef<Storage> targets);
  SmallVector<Storage> loopTargets(scf::ForOp op);
  void copyToTargets(ValueRange values, ArrayRef<Storage> targets);
  void checkSizes(const Storage &value, const Storage &target);
  Value ownedBuffer(Value tensor, FlatSymbolRefAttr device, bool mayMove, ArrayRef<Storage> dying,
                    llvm::SmallPtrSetImpl<Value> &moved);
  SmallVector<FlatSymbolRefAttr> devicesOf(ValueRange values);
  SmallVector<Value> carry(ValueRange values, ArrayRef<Storage> targets, ArrayRef<FlatSymbolRefAttr> devices,
                           bool mayMove, ArrayRef<Storage> dying = {});
  void bindCarried(ValueRange sources, ArrayRef<Storage> targets, ArrayRef<FlatSymbolRefAttr> devices,
                   ValueRange carried);

  // Values and sizes (HostValues.cpp).
  Value constant(int64_t value);
  Value scalar(Value value) { return scalars.lookupOrDefault(value); }
  SmallVector<Value> mixedDims(RankedTensorType type, ValueRange dynamic);
  SmallVector<Value> mixedSizes(ArrayRef<OpFoldResult> sizes);
  Value product(ArrayRef<Value> factors);
  static int64_t elementBytes(Type type);
  Value byteSize(RankedTensorType type, ArrayRef<Value> dims);
  Value destination(Value tensor, ArrayRef<Value> dims, FlatSymbolRefAttr device);
  Value allocate(Value tensor, ArrayRef<Value> dims, FlatSymbolRefAttr device);
  void copy(Value target, Value tensor, FlatSymbolRefAttr device, int64_t queue = 0);
  static SmallVector<Value> rootsOf(Value buffer);

  func::FuncOp source;
  device::GlobalOp global;
  FlatSymbolRefAttr defaultDevice;
  flow::Topology topology;
  llvm::DenseMap<std::pair<Attribute, int64_t>, Value> streams; // but the call's
  host::FuncOp program;
  OpBuilder builder;
  Location loc;
  IRMapping scalars;
  llvm::DenseMap<Value, Storage> storage;
  llvm::StringMap<Value> symbols;
  llvm::DenseMap<Value, unsigned> resultOf; // a value that is written straight into a result's buffer
  llvm::DenseMap<Value, Value> targetOf;    // a value that is written straight into the buffer of a branch's result
  SmallVector<FlatSymbolRefAttr> resultDevices;
  llvm::DenseMap<unsigned, Value> resultBuffers;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_SCHEDULE_HOSTPROGRAMBUILDER_H
