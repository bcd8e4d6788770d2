// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Package/Passes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_FLATTENSTREAMLOOPS
#include "compiler/Stages/Package/Passes.h.inc"
} // namespace mlir::heddle

namespace {

class StreamLoop {
public:
  explicit StreamLoop(host::StreamForOp loop) : loop(loop), builder(loop), loc(loop.getLoc()) {}

  void flatten() {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
    checkStreams(zero);
    Value used = arith::MinSIOp::create(builder, loc, loop.getTrips(), loop.getStreams());
    Value start = host::RecordOp::create(builder, loc, loop.getIssue());
    auto forEachStream = [&](llvm::function_ref<void(Value)> visit) {
      auto each = scf::ForOp::create(builder, loc, zero, used, one);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(each.getBody());
      visit(stream(each.getInductionVar()));
    };
    forEachStream([&](Value mine) { host::WaitOp::create(builder, loc, mine, start); });
    flattenBody(scf::ForOp::create(builder, loc, zero, loop.getTrips(), one,
                                   loop.getOrdered() ? ValueRange(start) : ValueRange()));
    forEachStream([&](Value mine) {
      host::WaitOp::create(builder, loc, loop.getIssue(), host::RecordOp::create(builder, loc, mine));
    });
    loop.erase();
  }

private:
  void checkStreams(Value zero) {
    if (getConstantIntValue(loop.getStreams()))
      return; // by the op's verifier
    Value some = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, loop.getStreams(), zero);
    host::CheckOp::create(builder, loc, some,
                          builder.getStringAttr("a loop over streams takes turns on one stream or more"));
  }

  Value stream(Value slot) {
    if (loop.getFirst() != 0)
      slot = arith::AddIOp::create(builder, loc, slot, arith::ConstantIndexOp::create(builder, loc, loop.getFirst()));
    return host::StreamAtOp::create(builder, loc, loop.getDeviceAttr(), slot);
  }

  void flattenBody(scf::ForOp flat) {
    OpBuilder::InsertionGuard guard(builder);
    Block &from = loop.getBody().front(), &into = *flat.getBody();
    builder.setInsertionPointToStart(&into);
    Value slot = arith::RemSIOp::create(builder, loc, flat.getInductionVar(), loop.getStreams());
    Value mine = stream(slot);
    if (loop.getOrdered())
      host::WaitOp::create(builder, loc, mine, flat.getRegionIterArg(0));
    loop.getIndex().replaceAllUsesWith(flat.getInductionVar());
    loop.getSlot().replaceAllUsesWith(slot);
    loop.getMine().replaceAllUsesWith(mine);
    from.getTerminator()->erase();
    // A loop that carries nothing has its yield already.
    into.getOperations().splice(loop.getOrdered() ? into.end() : Block::iterator(into.getTerminator()),
                                from.getOperations());
    if (!loop.getOrdered())
      return;
    builder.setInsertionPointToEnd(&into);
    scf::YieldOp::create(builder, loc, ValueRange(host::RecordOp::create(builder, loc, mine).getResult()));
  }

  host::StreamForOp loop;
  OpBuilder builder;
  Location loc;
};

struct FlattenStreamLoops : mlir::heddle::impl::FlattenStreamLoopsBase<FlattenStreamLoops> {
  void runOnOperation() override {
    SmallVector<host::StreamForOp> loops; // inner ones first
    getOperation().walk([&](host::StreamForOp loop) { loops.push_back(loop); });
    for (host::StreamForOp loop : loops)
      StreamLoop(loop).flatten();
  }
};

} // namespace
