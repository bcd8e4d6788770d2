// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/IR/Overwrites.h"
#include "compiler/Dialect/Host/Analysis/Accesses.h"
#include "compiler/Dialect/Host/Analysis/Verifier.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::host;

// Whether the op's executable promises that binding `result` may lie over binding `operand`.
static bool mayOverwrite(Operation *op, size_t operand, size_t result) {
  auto dispatch = dyn_cast<DispatchOp>(op);
  Operation *executable = dispatch ? SymbolTable::lookupNearestSymbolFrom(op, dispatch.getExecutableAttr()) : nullptr;
  flow::Overwrite pair{static_cast<int64_t>(operand), static_cast<int64_t>(result)};
  return executable && llvm::is_contained(flow::getOverwrites(executable), pair);
}

static std::string nameOf(Operation *op, size_t access) {
  if (isa<DispatchOp>(op))
    return "binding " + std::to_string(access);
  return access == 0 ? "its source" : "its target";
}

// The regions that one may be whose root an undecided arith.select chooses; itself where none does.
static void collectChoices(const BufferRegion &region, const Assumptions &assumptions,
                           SmallVectorImpl<BufferRegion> &choices) {
  if (!region.root.getDefiningOp<arith::SelectOp>())
    return choices.push_back(region);
  for (Value source : sourcesOf(region.root, assumptions)) {
    BufferRegion chosen = regionOf(source, assumptions);
    chosen.offset = chosen.offset + region.offset;
    if (region.size)
      chosen.size = region.size;
    collectChoices(chosen, assumptions, choices);
  }
}

// Whether two regions of one op have no byte in common.
static bool areApart(const BufferRegion &a, const BufferRegion &b, const Assumptions &assumptions) {
  if (!mayAlias(a.root, b.root, assumptions))
    return true;
  SmallVector<BufferRegion> ofA, ofB;
  collectChoices(a, assumptions, ofA);
  collectChoices(b, assumptions, ofB);
  return llvm::all_of(ofA, [&](const BufferRegion &left) {
    return llvm::all_of(ofB, [&](const BufferRegion &right) {
      return left.root == right.root ? !mayOverlap(left, right, nullptr)
                                     : !mayAlias(left.root, right.root, assumptions);
    });
  });
}

static LogicalResult verifyOp(Operation *op, const Assumptions &assumptions) {
  SmallVector<Access> all = accessesOf(op, assumptions);
  for (auto [i, write] : llvm::enumerate(all)) {
    for (auto [k, other] : llvm::enumerate(all)) {
      if (i == k || !write.writes || areApart(write.region, other.region, assumptions))
        continue;
      bool isSame = write.region.root == other.region.root && write.region.offset == other.region.offset &&
                    write.region.size == other.region.size;
      if (isSame && !other.writes && mayOverwrite(op, k, i))
        continue;
      return reportViolation(op,
                             "writes " + nameOf(op, i) + ", which may overlap " + nameOf(op, k) +
                                 (isSame ? "; its executable does not promise to read that first" : ""),
                             assumptions);
    }
  }
  return success();
}

LogicalResult mlir::heddle::host::verifyOverlap(FuncOp func, const Assumptions &assumptions) {
  WalkResult walk = func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // What the assumptions exclude does not run.
    if (op->getParentRegion() && assumptions.excludes(*op->getParentRegion()))
      return WalkResult::skip();
    return failed(verifyOp(op, assumptions)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}
