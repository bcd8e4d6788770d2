#include "compiler/Stages/Schedule/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_FREEBUFFERS
#include "compiler/Stages/Schedule/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// The users of a buffer and of all its views.
void collectUsers(Value buffer, SmallVectorImpl<Operation *> &users) {
  for (Operation *user : buffer.getUsers()) {
    users.push_back(user);
    if (auto view = dyn_cast<host::ViewOp>(user))
      collectUsers(view.getResult(), users);
  }
}

// Whether the value itself is handed on to a new owner by one of its users.
bool isHandedOn(Value owner) {
  return llvm::any_of(owner.getUsers(), [](Operation *user) {
    return isa<scf::YieldOp, scf::ConditionOp, scf::ForOp, scf::WhileOp>(user);
  });
}

struct FreeBuffers : heddle::impl::FreeBuffersBase<FreeBuffers> {
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
    host::FreeOp::create(builder, last ? last->getLoc() : owner.getLoc(), func.getStream(), owner);
  }
};

} // namespace
