// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Target/Vulkan/Backend/LoopLimit.h"

#include "compiler/Codegen/IR/KernelOps.h"
#include "heddle/contract/KernelAbi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::heddle;

// Rounds of all loops within `region` as llvmpipe counts them, at most; kFewRounds where they are more or not known.
static int64_t countRounds(Region &region) {
  int64_t rounds = 0;
  auto add = [&](int64_t more) { rounds = std::min(rounds + more, vulkan::kFewRounds); };
  for (Operation &op : region.getOps()) {
    if (isa<scf::WhileOp>(op))
      return vulkan::kFewRounds;
    int64_t inner = 0;
    for (Region &nested : op.getRegions())
      inner = std::min(inner + countRounds(nested), vulkan::kFewRounds);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      std::optional<APInt> trips = loop.getStaticTripCount();
      if (!trips || trips->uge(vulkan::kFewRounds))
        return vulkan::kFewRounds;
      inner = trips->getSExtValue() * (inner + 1) + 1;
    }
    add(inner);
  }
  return rounds;
}

void vulkan::detectEndedLoops(func::FuncOp kernel) {
  if (countRounds(kernel.getBody()) < kFewRounds)
    return;
  Location loc = kernel.getLoc();
  OpBuilder builder(kernel.getBody().front().getTerminator());
  auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, loc, value); };
  Value zero = index(0), one = index(1);
  Value unknown = kernel::WorkgroupOp::create(builder, loc, builder.getIndexType());
  Value end = arith::OrIOp::create(builder, loc, arith::AndIOp::create(builder, loc, unknown, one), index(2));
  auto loop = scf::ForOp::create(builder, loc, zero, end, one, ValueRange{zero},
                                 [&](OpBuilder &b, Location at, Value, ValueRange carried) {
                                   Value next = arith::AddIOp::create(b, at, carried.front(), one);
                                   scf::YieldOp::create(b, at, next);
                                 });
  Value ended = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, loop.getResult(0), end);
  auto branch = scf::IfOp::create(builder, loc, ended, /*withElseRegion=*/false);
  OpBuilder inner = branch.getThenBodyBuilder();
  kernel::FailOp::create(inner, loc, HEDDLE_KERNEL_LOOP_ENDED);
}
