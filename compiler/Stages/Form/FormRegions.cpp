#include "compiler/Stages/Form/Fusion.h"
#include "compiler/Stages/Form/Passes.h"
#include "compiler/Stages/Form/Segmenter.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_FORMREGIONS
#include "compiler/Stages/Form/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// The tensor ops of one block as a graph, and the regions made of it.
class BlockFormer {
public:
  explicit BlockFormer(Block &block) : block(block) {}

  LogicalResult run() {
    collect();
    if (ops.empty())
      return success();
    auto segments = segment(graph(), [&](ArrayRef<unsigned> producer, ArrayRef<unsigned> consumer) {
      return fusion::shouldMerge(select(producer), select(consumer));
    });
    for (const std::vector<unsigned> &members : segments)
      if (failed(materialise(select(members))))
        return failure();
    // Clones left their originals behind.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
    return success();
  }

private:
  void collect() {
    for (Operation &op : block)
      if (fusion::isCompute(&op) && !fusion::isCloned(&op)) {
        index[&op] = ops.size();
        ops.push_back(&op);
      }
  }

  SmallVector<Operation *> select(ArrayRef<unsigned> members) const {
    return llvm::map_to_vector(members, [&](unsigned i) { return ops[i]; });
  }

  // An edge also runs through clones, views and host arithmetic between two compute ops, so that segments stay acyclic.
  SegmentGraph graph() {
    SegmentGraph result;
    result.nodes = ops.size();
    DenseMap<Operation *, SmallVector<unsigned>> sources; // compute ops each op depends on, nearest first
    for (Operation &op : block) {
      SmallVector<unsigned> &list = sources[&op];
      for (Value operand : fusion::getOperands(&op))
        if (Operation *def = operand.getDefiningOp(); def && def->getBlock() == &block) {
          if (auto it = index.find(def); it != index.end())
            list.push_back(it->second);
          else
            list.append(sources.lookup(def));
        }
      llvm::sort(list);
      list.erase(llvm::unique(list), list.end());
      if (auto it = index.find(&op); it != index.end())
        for (unsigned source : list)
          result.edges.emplace_back(source, it->second);
    }
    return result;
  }

  // Moves the members into a flow.region at the last one's place.
  LogicalResult materialise(ArrayRef<Operation *> members) {
    Operation *root = members.back();
    OpBuilder builder(root);
    SmallVector<Value> dims;
    for (OpResult result : root->getResults())
      if (failed(fusion::getDynamicSizes(builder, result, dims)))
        return failure();
    auto region =
        flow::RegionOp::create(builder, root->getLoc(), root->getResultTypes(), ValueRange(), ValueRange(), dims);
    Block &body = region.getBody().emplaceBlock();
    root->replaceAllUsesWith(region.getOutputs());
    for (Operation *op : members)
      op->moveBefore(&body, body.end());
    builder.setInsertionPointToEnd(&body);
    flow::ReturnOp::create(builder, root->getLoc(), root->getResults());
    fusion::cloneIn(region);
    return success();
  }

  Block &block;
  SmallVector<Operation *> ops;
  DenseMap<Operation *, unsigned> index;
};

struct FormRegions : heddle::impl::FormRegionsBase<FormRegions> {
  void runOnOperation() override {
    SmallVector<Block *> blocks;
    for (auto func : getOperation().getOps<func::FuncOp>())
      collectBlocks(func.getOperation(), blocks);
    for (Block *block : blocks)
      if (failed(BlockFormer(*block).run()))
        return signalPassFailure();
  }

  // Blocks of functions and of scf ops on tensors; bodies of compute ops belong to them.
  static void collectBlocks(Operation *op, SmallVectorImpl<Block *> &blocks) {
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        blocks.push_back(&block);
        for (Operation &inner : block)
          if (!fusion::isCompute(&inner))
            collectBlocks(&inner, blocks);
      }
  }
};

} // namespace
