// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the host.func of one entry point in a single walk over its body in program order.
//
// Where tensors live is Storages, where work is issued Issue, sizes are HostScalars; HostRegions walks into scf. A
// transfer is a copy on the stream of its destination; where both symbols may turn out to be one device, it is the
// source itself then. Copies and fills but transfers go to queue 0.
//
//   FailureOr<host::FuncOp> program = HostProgramBuilder(func, device, symbols).build();
#ifndef HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_HOSTPROGRAMBUILDER_H
#define HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_HOSTPROGRAMBUILDER_H

#include "compiler/Dialect/Flow/IR/FlowShardings.h"
#include "compiler/Stages/Schedule/Program/HostRegions.h"

namespace mlir::heddle {

class HostProgramBuilder {
public:
  // `source` stays unchanged; what has no affinity belongs on `device`. `executables`: the
  // module's symbols, which outlive the builder.
  HostProgramBuilder(func::FuncOp source, device::GlobalOp device, const SymbolTable &executables);

  // The new function, inserted before the source. Failure: a diagnostic at the op that cannot be scheduled, and
  // the half-built function is erased.
  FailureOr<host::FuncOp> build();

private:
  // Entry and exit.
  FailureOr<host::FuncOp> buildSignature();
  LogicalResult bindArguments();
  LogicalResult claimResults();
  Value homeOf(unsigned result);
  LogicalResult buildReturn(func::ReturnOp op);

  // Ops.
  LogicalResult buildBlock(Block &block);
  LogicalResult buildOp(Operation &op);
  LogicalResult buildParameter(flow::ParameterLoadOp op);
  LogicalResult buildBlock(flow::BlockOp op);
  LogicalResult buildDimension(flow::DimensionOp op);
  LogicalResult buildDispatch(flow::DispatchOp op);
  LogicalResult buildTransfer(flow::TransferOp op);
  Value copyUnlessSame(flow::TransferOp op, FlatSymbolRefAttr device);
  LogicalResult buildRead(tensor::ExtractOp op);
  LogicalResult buildElements(tensor::FromElementsOp op);
  LogicalResult buildEmpty(tensor::EmptyOp op);
  LogicalResult buildSlice(tensor::ExtractSliceOp op);
  LogicalResult buildUnits(flow::UnitsOp op);
  LogicalResult buildReshape(Operation *op, Value source, SmallVector<Value> dims);
  LogicalResult buildScalar(Operation &op);

  func::FuncOp source;
  const SymbolTable &executables;
  HostScalars scalars;
  Issue issue;
  Storages storages;
  HostRegions regions;
  OpBuilder &builder; // of `scalars`
  Location &loc;
  host::FuncOp program;
  llvm::StringMap<Value> symbols;               // named dimensions, by name
  SmallVector<FlatSymbolRefAttr> resultDevices; // where each result belongs
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_HOSTPROGRAMBUILDER_H
