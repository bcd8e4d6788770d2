// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/ShardNotes.h"
#include "compiler/Dialect/Heddle/IR/Shards.h"
#include "compiler/Stages/Ranks/Passes.h"
#include "compiler/Stages/Ranks/Propagation/ApplyShardings.h"
#include "compiler/Stages/Ranks/Propagation/Report.h"

namespace mlir::heddle {
#define GEN_PASS_DEF_PROPAGATE
#include "compiler/Stages/Ranks/Passes.h.inc"
} // namespace mlir::heddle

using namespace mlir;
using namespace mlir::heddle;

// Requests that cannot be met go, with a warning.
static void warnOfRequests(func::FuncOp function) {
  SmallVector<flow::ShardOp> requests;
  function.walk([&](flow::ShardOp op) { requests.push_back(op); });
  for (flow::ShardOp op : requests) {
    flow::ShardingAttr sharding = op.getSharding();
    RankedTensorType type = op.getResult().getType();
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      int64_t factor = sharding.getGranule(dim).getFactor();
      if (type.isDynamicDim(dim) || type.getDimSize(dim) % factor == 0)
        continue;
      op.emitWarning() << "this sharding is not applied: it cuts dimension " << dim << " of " << type
                       << " at multiples of " << factor << ", which does not divide " << type.getDimSize(dim);
      function->setAttr(kWholeProgramAttr, UnitAttr::get(op.getContext())); // also without it
      op.getResult().replaceAllUsesWith(op.getOperand());
      op.erase();
      break;
    }
  }
}

namespace {

struct Propagate : mlir::heddle::impl::PropagateBase<Propagate> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<Attribute> notes;
    if (ArrayAttr chosen = getShardNotes(module)) // what ranks-choose-shardings said
      llvm::append_range(notes, chosen);
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isExternal() || !isWholeProgram(function))
        continue;
      warnOfRequests(function);
      propagation::splitFills(function);
      OwnValues own(function);
      flow::SizeEstimates sizes(module);
      propagation::ProgramGraph program(function, own, sizes);
      propagation::Moves moves(program);
      propagation::Solver(program.graph, moves.asCost()).run(program.seeds);
      propagation::decideArguments(function, program);
      propagation::warnOfReaders(function, program, moves);
      propagation::applyShardings(function, program);
      for (const std::string &line : propagation::reportShardings(function, program, moves))
        notes.push_back(StringAttr::get(&getContext(), line));
    }
    if (!notes.empty())
      module->setAttr(kShardingsAttr, ArrayAttr::get(&getContext(), notes));
  }
};

} // namespace
