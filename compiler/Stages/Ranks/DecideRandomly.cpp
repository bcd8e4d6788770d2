// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Passes.h"
#include "compiler/Stages/Ranks/Propagation/OwnValues.h"

#include "compiler/Dialect/Flow/IR/FlowShardings.h"
#include "compiler/Dialect/Flow/Transforms/Factors.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/Shards.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <random>

using namespace mlir;
using namespace mlir::heddle;
using flow::GranuleAttr;
using flow::ShardingAttr;

namespace mlir::heddle {
#define GEN_PASS_DEF_DECIDERANDOMLY
#include "compiler/Stages/Ranks/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// Draws shardings. The same seed gives the same ones on every machine.
class Dice {
public:
  Dice(ModuleOp module, uint64_t seed) : meshes(module.getOps<device::MeshOp>()), generator(seed) {}

  bool hasMesh() const { return !meshes.empty(); }
  // A number below `count`.
  uint64_t draw(uint64_t count) { return generator() % count; }

  // A sharding of dimensions with these sizes (dynamic ones are not known), of which some may be cut.
  ShardingAttr drawSharding(ArrayRef<int64_t> sizes, ArrayRef<bool> canBeCut) {
    device::MeshOp mesh = meshes[draw(meshes.size())];
    MLIRContext *context = mesh.getContext();
    SmallVector<SmallVector<Attribute>> axes(sizes.size());
    SmallVector<Attribute> names(mesh.getAxes().begin(), mesh.getAxes().end());
    while (!names.empty()) {
      Attribute *name = names.begin() + draw(names.size());
      size_t dim = draw(sizes.size() + 1); // or nowhere
      if (dim < sizes.size() && canBeCut[dim])
        axes[dim].push_back(*name);
      names.erase(name);
    }
    SmallVector<ArrayAttr> lists;
    SmallVector<GranuleAttr> granules;
    for (auto [dim, list] : llvm::enumerate(axes)) {
      lists.push_back(ArrayAttr::get(context, list));
      granules.push_back(GranuleAttr::get(context, list.empty() ? 1 : drawDivisor(sizes[dim]), {}));
    }
    return ShardingAttr::getNormalized(FlatSymbolRefAttr::get(mesh.getSymNameAttr()), lists, granules);
  }

private:
  int64_t drawDivisor(int64_t size) {
    if (ShapedType::isDynamic(size) || size == 0 || draw(2))
      return 1;
    int64_t divisor = 1 + draw(size);
    return size % divisor ? 1 : divisor;
  }

  SmallVector<device::MeshOp> meshes;
  std::mt19937_64 generator;
};

struct DecideRandomly : mlir::heddle::impl::DecideRandomlyBase<DecideRandomly> {
  using DecideRandomlyBase::DecideRandomlyBase;

  void runOnOperation() override {
    Dice dice(getOperation(), seed);
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || !dice.hasMesh() || !isWholeProgram(function))
        continue;
      OwnValues own(function);
      function.walk([&](Operation *op) {
        if (op->getNumResults() == 0 || own.readBy(op) || dice.draw(4) == 0)
          return;
        if (isa<scf::ForOp, scf::IfOp, scf::IndexSwitchOp, scf::WhileOp>(op)) {
          op->setAttr(kShardCarriedAttr, drawCarried(dice, op->getResults()));
          if (auto loop = dyn_cast<scf::WhileOp>(op); loop && !loop.getInits().empty())
            op->setAttr(kShardCarriedInAttr, drawCarried(dice, loop.getBeforeArguments()));
          return;
        }
        decide(dice, op);
      });
    }
  }

private:
  static ArrayAttr drawCarried(Dice &dice, ValueRange values) {
    SmallVector<Attribute> list;
    for (Value value : values) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      list.push_back(type ? Attribute(dice.drawSharding(type.getShape(), SmallVector<bool>(type.getRank(), true)))
                          : Attribute(UnitAttr::get(value.getContext())));
    }
    return ArrayAttr::get(values.front().getContext(), list);
  }

  // Now and then a linear op computes on partial sums, along an axis that cuts none of its loops.
  static void decidePartial(Dice &dice, Operation *op, flow::ShardingAttr loops) {
    if (op->getNumOperands() == 0 || dice.draw(2))
      return;
    SmallVector<unsigned> operands = flow::linearWith(op, dice.draw(op->getNumOperands()));
    SmallVector<StringAttr> free;
    for (StringAttr axis : flow::getMesh(op, loops.getMesh()).getAxes().getAsRange<StringAttr>())
      if (llvm::none_of(loops.getAxes(), [&](ArrayAttr axes) { return llvm::is_contained(axes, Attribute(axis)); }))
        free.push_back(axis);
    if (operands.empty() || free.empty())
      return;
    SmallVector<flow::GranuleAttr> granules;
    for (int64_t loop = 0; loop < loops.getRank(); ++loop)
      granules.push_back(loops.getGranule(loop));
    StringAttr axis = free[dice.draw(free.size())];
    op->setAttr(kShardLoopsAttr, flow::ShardingAttr::getNormalized(loops.getMesh(), loops.getAxes(), granules, axis));
    op->setAttr(
        kShardPartialAttr,
        DenseI64ArrayAttr::get(op->getContext(), SmallVector<int64_t>(llvm::map_range(operands, [](unsigned operand) {
                                 return static_cast<int64_t>(operand);
                               }))));
  }

  static void decide(Dice &dice, Operation *op) {
    std::optional<flow::Factors> factors = flow::findFactors(op);
    if (!factors)
      return;
    SmallVector<int64_t> sizes;
    SmallVector<bool> canBeCut;
    for (const flow::Factor &factor : factors->factors) {
      std::optional<int64_t> known;
      for (const flow::Extent &extent : factor.extents)
        known = known ? known : extent.getConstant();
      sizes.push_back(known.value_or(ShapedType::kDynamic));
      canBeCut.push_back(factor.canBeCut());
    }
    flow::ShardingAttr loops = dice.drawSharding(sizes, canBeCut);
    op->setAttr(kShardLoopsAttr, loops);
    decidePartial(dice, op, loops);
  }
};

} // namespace
