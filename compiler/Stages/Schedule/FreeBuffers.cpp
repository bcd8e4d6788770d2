// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Host/Analysis/Accesses.h"
#include "compiler/Dialect/Host/Analysis/Regions.h"
#include "compiler/Stages/Schedule/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_FREEBUFFERS
#include "compiler/Stages/Schedule/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// The users of a buffer, of all its views, and of what may be it.
void collectUsers(Value buffer, SmallVectorImpl<Operation *> &users) {
  for (Operation *user : buffer.getUsers()) {
    users.push_back(user);
    if (isa<host::ViewOp, arith::SelectOp>(user))
      collectUsers(user->getResult(0), users);
  }
}

// The device that an owned buffer was allocated on.
FlatSymbolRefAttr deviceOf(Value owner) {
  llvm::DenseSet<Value> seen;
  for (SmallVector<Value> open{owner}; !open.empty();) {
    Value next = host::regionOf(open.pop_back_val()).root;
    if (auto alloc = next.getDefiningOp<host::AllocOp>())
      return alloc.getDeviceAttr();
    if (seen.insert(next).second)
      llvm::append_range(open, host::sourcesOf(next, host::Assumptions()));
  }
  return {};
}

// The extra stream that alone writes the buffer; null where it is the call's, or there are several.
Value findWriter(Value owner) {
  SmallVector<Operation *> users;
  collectUsers(owner, users);
  llvm::SetVector<Value> writers;
  for (Operation *user : users)
    for (const host::Access &access : host::accessesOf(user))
      if (access.writes && host::regionOf(access.buffer).root == owner)
        writers.insert(user->getOperand(0));
  return writers.size() == 1 && writers.front().getDefiningOp<host::StreamOp>() ? writers.front() : Value();
}

// Whether the value itself is handed on to a new owner by one of its users.
bool isHandedOn(Value owner) {
  return llvm::any_of(owner.getUsers(), [](Operation *user) {
    return isa<scf::YieldOp, scf::ConditionOp, scf::ForOp, scf::WhileOp>(user);
  });
}

struct FreeBuffers : mlir::heddle::impl::FreeBuffersBase<FreeBuffers> {
  void runOnOperation() override {
    host::FuncOp func = getOperation();
    SmallVector<Value> owners;
    func.walk([&](Operation *op) {
      if (isa<host::AllocOp>(op) || isa<scf::SCFDialect>(op->getDialect()))
        llvm::append_range(owners, op->getResults());
      if (!isa<scf::SCFDialect>(op->getDialect()))
        return;
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::append_range(owners, block.getArguments());
    });
    for (Value owner : owners)
      if (isa<host::BufferType>(owner.getType()) && !isHandedOn(owner))
        insertFree(owner);
  }

  void insertFree(Value owner) {
    host::FuncOp func = getOperation();
    Block *block = owner.getParentBlock();
    SmallVector<Operation *> users;
    collectUsers(owner, users);
    if (llvm::any_of(users, [](Operation *user) { return isa<host::FreeOp>(user); }))
      return;
    OpBuilder builder(func.getContext());
    Operation *last = owner.getDefiningOp();
    for (Operation *user : users)
      if (Operation *here = block->findAncestorOpInBlock(*user); !last || last->isBeforeInBlock(here))
        last = here;
    if (!last)
      builder.setInsertionPointToStart(block);
    else if (last->hasTrait<OpTrait::IsTerminator>())
      builder.setInsertionPoint(last);
    else
      builder.setInsertionPointAfter(last);
    host::FreeOp::create(builder, last ? last->getLoc() : owner.getLoc(), streamOf(owner), owner);
  }

  // That of the extra queue which alone writes it, if one does: it is then written and freed in one order. Else the
  // device's own stream if the program names one, else the call's.
  Value streamOf(Value owner) {
    host::FuncOp func = getOperation();
    if (Operation *alloc = owner.getDefiningOp())
      if (auto loop = alloc->getParentOfType<host::StreamForOp>())
        return loop.getMine();
    if (Value writer = findWriter(owner))
      return writer;
    device::GlobalOp defaultDevice = device::getDefaultDevice(func->getParentOfType<ModuleOp>());
    FlatSymbolRefAttr device = deviceOf(owner);
    if (defaultDevice && device && device.getValue() == defaultDevice.getSymName())
      return func.getStream();
    for (auto stream : func.getBody().front().getOps<host::StreamOp>())
      if (stream.getIndex() == 0 && stream.getDeviceAttr() == device)
        return stream;
    return func.getStream();
  }
};

} // namespace
