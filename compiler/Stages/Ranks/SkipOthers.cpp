// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/IR/FlowCollectives.h"
#include "compiler/Dialect/Flow/IR/FlowRows.h"
#include "compiler/Stages/Ranks/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_SKIPOTHERS
#include "compiler/Stages/Ranks/Passes.h.inc"
} // namespace mlir::heddle

// The mesh that a branch's first side is for; null: it is no such branch.
static device::MeshOp findMemberMesh(Operation *op) {
  auto branch = dyn_cast<scf::IfOp>(op);
  auto member = branch ? branch.getCondition().getDefiningOp<flow::MemberOp>() : flow::MemberOp();
  return member ? flow::getMesh(op, member.getMeshAttr()) : device::MeshOp();
}

static bool isFree(device::MeshOp mesh) { return mesh.getNumRanks() == device::MeshOp::kFree; }

static int64_t endOf(device::MeshOp mesh) { return static_cast<int64_t>(mesh.getFirst()) + mesh.getNumRanks(); }

static bool holdsRanks(device::MeshOp mesh, int64_t first, int64_t end) {
  return !isFree(mesh) && static_cast<int64_t>(mesh.getFirst()) <= first && end <= endOf(mesh);
}

static bool holds(device::MeshOp outer, device::MeshOp inner) {
  return !isFree(inner) && holdsRanks(outer, inner.getFirst(), endOf(inner));
}

static SmallVector<Value> getReads(Operation *op) {
  llvm::SetVector<Value> reads(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), reads);
  return reads.takeVector();
}

// Tensors of known sizes that ranks compute on their own, or under flow.member.
static bool isSkippable(Operation *op) {
  if (op->getNumResults() == 0 || isa<arith::ConstantOp>(op) || (!isMemoryEffectFree(op) && !findMemberMesh(op)))
    return false;
  return llvm::all_of(op->getResultTypes(), [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() && Builder(op).getZeroAttr(tensor.getElementType());
  });
}

// Whether zeros do for its operands where nobody needs its results: what runs there all the same must end, and make no
// sizes of them.
static bool takesZeros(Operation *op) {
  auto hasSize = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || tensor.hasStaticShape();
  };
  return isMemoryEffectFree(op) && (isSkippable(op) || (isPure(op) && llvm::all_of(op->getResultTypes(), hasSize)));
}

namespace {

// Who needs a value: nobody so far, the ranks of a mesh, or perhaps all of them (a null mesh).
using Need = std::optional<device::MeshOp>;

class Needs {
public:
  explicit Needs(func::FuncOp function) {
    llvm::append_range(meshes, function->getParentOfType<ModuleOp>().getOps<device::MeshOp>());
    for (Operation &op : llvm::reverse(function.getBody().front()))
      add(&op);
  }

  // Of the results of an op, where only some ranks need them; null: all may, or nobody does.
  device::MeshOp of(Operation *op) const {
    Need need;
    for (Value result : op->getResults())
      need = join(need, needs.lookup(result));
    return need.value_or(device::MeshOp());
  }

private:
  // The smallest mesh with all these ranks, if there are others.
  device::MeshOp findMesh(int64_t first, int64_t end) const {
    device::MeshOp found;
    for (device::MeshOp mesh : meshes)
      if (holdsRanks(mesh, first, end) && (!found || mesh.getNumRanks() < found.getNumRanks()))
        found = mesh;
    auto isOutside = [&](device::MeshOp mesh) { return !holds(found, mesh); };
    return found && llvm::any_of(meshes, isOutside) ? found : device::MeshOp();
  }

  Need ofRanks(device::MeshOp mesh) const {
    if (!mesh || isFree(mesh))
      return device::MeshOp();
    return findMesh(mesh.getFirst(), endOf(mesh));
  }

  Need join(Need a, Need b) const {
    if (!a || !b || *a == *b)
      return a ? a : b;
    if (!*a || !*b)
      return device::MeshOp();
    return findMesh(std::min(a->getFirst(), b->getFirst()), std::max(endOf(*a), endOf(*b)));
  }

  void addAll(ValueRange values, Need need) {
    for (Value value : values)
      needs[value] = join(needs.lookup(value), need);
  }

  void add(Operation *op) {
    Need need;
    for (Value result : op->getResults())
      need = join(need, needs.lookup(result));
    if (auto collective = dyn_cast<flow::CollectiveOpInterface>(op))
      return addCollective(collective);
    if (device::MeshOp mesh = findMemberMesh(op)) {
      addAll(op->getOperands(), device::MeshOp());
      for (Region &region : op->getRegions()) {
        llvm::SetVector<Value> reads;
        getUsedValuesDefinedAbove(region, reads);
        addAll(reads.getArrayRef(), region.getRegionNumber() == 0 ? ofRanks(mesh) : Need(device::MeshOp()));
      }
      return;
    }
    addAll(getReads(op), takesZeros(op) ? need : Need(device::MeshOp()));
  }

  // All members of the mesh meet it; who sends nothing needs no operand, but for its sizes.
  void addCollective(flow::CollectiveOpInterface op) {
    device::MeshOp mesh = flow::getMesh(op, op.getMeshAttr());
    addAll(op->getOperands(), ofRanks(mesh));
    auto permute = dyn_cast<flow::PermuteOp>(op.getOperation());
    if (!permute || !permute.getPairs() || permute.getPairs()->empty() || op.getGroupsAttr() ||
        mesh.getAxes().size() != 1 || !permute.getOperand().hasOneUse())
      return; // where positions are ranks, and nobody else reads it
    ArrayRef<int64_t> pairs = *permute.getPairs();
    int64_t first = pairs[0], last = pairs[0];
    for (size_t i = 0; i < pairs.size(); i += 2) {
      first = std::min(first, pairs[i]);
      last = std::max(last, pairs[i]);
    }
    int64_t begin = mesh.getFirst();
    needs[permute.getOperand()] = findMesh(begin + first, begin + last + 1);
  }

  SmallVector<device::MeshOp> meshes;
  llvm::DenseMap<Value, Need> needs;
};

// Ops one after the other that the ranks of one mesh need alone.
class Group {
public:
  explicit Group(device::MeshOp mesh) : mesh(mesh) {}

  device::MeshOp getMesh() const { return mesh; }
  void add(Operation *op) {
    ops.insert(op);
    hasEffects |= !isMemoryEffectFree(op);
  }

  // Whether the op, which is not in it, must stay behind or in front of it.
  bool isBarrier(Operation *op) const {
    bool isRead = llvm::any_of(getReads(op), [&](Value value) { return ops.contains(value.getDefiningOp()); });
    return isRead || (hasEffects && !isMemoryEffectFree(op));
  }

  // Under `flow.member`, where that saves work.
  void skipOnOthers() {
    SmallVector<Value> given;
    for (Operation *op : ops)
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !isInside(user); }))
          given.push_back(result);
    if (given.empty() || llvm::none_of(ops, isWork))
      return;
    OpBuilder builder(ops.back());
    Location loc = ops.front()->getLoc();
    Value member = flow::MemberOp::create(builder, loc, builder.getI1Type(), mesh.getSymName());
    auto branch = scf::IfOp::create(builder, loc, ValueRange(given).getTypes(), member, /*withElseRegion=*/true);
    for (auto [value, result] : llvm::zip_equal(given, branch.getResults()))
      value.replaceUsesWithIf(result, [&](OpOperand &use) { return !isInside(use.getOwner()); });
    OpBuilder other = branch.getElseBodyBuilder();
    scf::YieldOp::create(other, loc, llvm::map_to_vector(given, [&](Value value) { return zeros(other, value); }));
    for (Operation *op : ops)
      op->moveBefore(branch.thenBlock(), branch.thenBlock()->end());
    OpBuilder inside = OpBuilder::atBlockEnd(branch.thenBlock());
    scf::YieldOp::create(inside, loc, given);
  }

private:
  bool isInside(Operation *user) const {
    Operation *here = ops.front()->getBlock()->findAncestorOpInBlock(*user);
    return here && ops.contains(here);
  }

  static bool isWork(Operation *op) {
    return (isa<linalg::LinalgOp>(op) && !isa<linalg::FillOp>(op)) || isa<linalg::SoftmaxOp, flow::RowsOp>(op) ||
           (op->getNumRegions() && isa<scf::SCFDialect>(op->getDialect()));
  }

  static Value zeros(OpBuilder &builder, Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    Value empty = tensor::EmptyOp::create(builder, value.getLoc(), type.getShape(), type.getElementType());
    Value zero = arith::ConstantOp::create(builder, value.getLoc(), builder.getZeroAttr(type.getElementType()));
    return linalg::FillOp::create(builder, value.getLoc(), zero, empty)->getResult(0);
  }

  device::MeshOp mesh;
  llvm::SetVector<Operation *> ops;
  bool hasEffects = false;
};

struct SkipOthers : mlir::heddle::impl::SkipOthersBase<SkipOthers> {
  void runOnOperation() override {
    auto meshes = getOperation().getOps<device::MeshOp>();
    if (llvm::range_size(meshes) < 2)
      return;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        skip(function);
  }

private:
  void skip(func::FuncOp function) {
    Needs needs(function);
    SmallVector<Group> groups;
    bool isOpen = false;
    for (Operation &op : function.getBody().front()) {
      device::MeshOp mesh = isSkippable(&op) ? needs.of(&op) : device::MeshOp();
      // All whom a branch is for meet the collectives in it.
      if (device::MeshOp inside = findMemberMesh(&op); mesh && inside && !holds(mesh, inside))
        mesh = {};
      if (isOpen && groups.back().getMesh() != mesh && groups.back().isBarrier(&op))
        isOpen = false;
      if (!mesh)
        continue;
      if (!isOpen || groups.back().getMesh() != mesh)
        groups.emplace_back(mesh);
      isOpen = true;
      groups.back().add(&op);
    }
    for (Group &group : groups)
      group.skipOnOthers();
  }
};

} // namespace
