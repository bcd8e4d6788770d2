// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Simplify/ElementwiseGroups.h"

#include "compiler/Analysis/Structure.h"
#include "compiler/Dialect/BodyCost.h"

#include "compiler/Evaluation/Evaluator.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"

#include <deque>
#include <set>
#include <vector>

using namespace mlir;
using namespace mlir::heddle;

using LoopList = SmallVector<unsigned, 4>;

static bool reduces(Operation *op) {
  auto structured = dyn_cast_or_null<linalg::LinalgOp>(op);
  return structured && structured.getNumReductionLoops() > 0;
}

// An elementwise op whose elements are what they are wherever they are computed: nothing but its inputs counts.
static bool isElementwise(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumReductionLoops() > 0 || op.getNumDpsInits() == 0)
    return false;
  return llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return op.getMatchingIndexingMap(&init).isPermutation() && !op.payloadUsesValueFromOperand(&init);
  });
}

static unsigned elementBits(Value value) {
  Type type = getElementTypeOrSelf(value);
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
}

static bool mayTakeProducers(linalg::GenericOp op) {
  return op.hasPureTensorSemantics() && op.getNumReductionLoops() <= 1 && !isContraction(op);
}

namespace {

// Grows groups from the first op to the last: each takes in the groups of those producers that nothing else reads. A
// group is known by its root. Which group an op is in, and how its loops are the root's, is a path of parents that
// find() shortens.
class Grouper {
public:
  explicit Grouper(Block &block) {
    for (Operation &op : block)
      if (isa<linalg::LinalgOp>(op)) {
        index[&op] = nodes.size();
        nodes.emplace_back(&op, nodes.size());
      }
    for (Node &node : nodes)
      for (Value result : node.op->getResults())
        node.uses += std::distance(result.use_begin(), result.use_end());
  }

  SmallVector<ElementwiseGroup> run() {
    for (unsigned root = 0; root < nodes.size(); ++root)
      grow(root);
    std::vector<bool> isLarge(nodes.size());
    for (unsigned node = 0; node < nodes.size(); ++node)
      if (nodes[node].parent != node)
        isLarge[find(node)] = true;
    SmallVector<ElementwiseGroup> groups;
    for (unsigned root = 0; root < nodes.size(); ++root)
      if (isLarge[root])
        groups.push_back({orderMembers(root)});
    return groups;
  }

private:
  struct Node {
    Node(Operation *op, unsigned self)
        : op(op), generic(dyn_cast<linalg::GenericOp>(op)), parent(self), members{self} {}

    Operation *op;
    linalg::GenericOp generic; // none for other structured ops, which are only read
    size_t uses = 0;           // of all results
    unsigned parent;           // itself: a root
    LoopList loops;            // by loop of this op: the parent's
    // Of a root only:
    std::vector<unsigned> members;           // swapped by pointers, however few the other has
    llvm::MapVector<unsigned, size_t> reads; // how often the members read, as inputs, a node that is no member
    unsigned reducedBits = 0;                // of the widest elements that the members read of a reduction
    std::optional<bool> constant;
  };

  const Node *nodeOf(Value value) const {
    auto found = index.find(value.getDefiningOp());
    return found == index.end() ? nullptr : &nodes[found->second];
  }

  // The root of a node's group; then the node's parent is that root.
  unsigned find(unsigned node) {
    SmallVector<unsigned> path;
    for (unsigned at = node; nodes[at].parent != at; at = nodes[at].parent)
      path.push_back(at);
    if (path.size() < 2)
      return nodes[node].parent;
    unsigned root = nodes[path.back()].parent;
    for (unsigned at : llvm::reverse(ArrayRef(path).drop_back())) {
      const LoopList &outer = nodes[nodes[at].parent].loops;
      for (unsigned &loop : nodes[at].loops)
        loop = outer[loop];
      nodes[at].parent = root;
    }
    return root;
  }

  void grow(unsigned root) {
    Node &consumer = nodes[root];
    if (!consumer.generic)
      return;
    std::deque<unsigned> open;
    for (OpOperand *input : consumer.generic.getDpsInputOperands())
      if (const Node *producer = nodeOf(input->get())) {
        unsigned node = producer - nodes.data();
        ++consumer.reads[node];
        open.push_back(node);
        if (reduces(producer->op))
          consumer.reducedBits = std::max(consumer.reducedBits, elementBits(input->get()));
      }
    if (!mayTakeProducers(consumer.generic))
      return;
    for (; !open.empty(); open.pop_front()) {
      unsigned node = open.front();
      auto read = consumer.reads.find(node);
      if (read == consumer.reads.end() || read->second != nodes[node].uses)
        continue;
      if (std::optional<LoopList> loops = loopsIn(node, root); loops && mayJoin(node, root, *loops))
        for (unsigned next : join(node, root, *loops))
          open.push_back(next);
    }
  }

  // The loops of the producer as loops of the group that reads it; none where it is not read, by all and always, at
  // the element that the root is at.
  std::optional<LoopList> loopsIn(unsigned producer, unsigned root) {
    linalg::GenericOp op = nodes[producer].generic;
    if (!op || !isElementwise(op))
      return std::nullopt;
    std::optional<LoopList> known;
    for (OpResult result : op->getResults()) {
      AffineMap write = op.getIndexingMapMatchingResult(result);
      for (OpOperand &use : result.getUses()) {
        auto reader = cast<linalg::GenericOp>(use.getOwner());
        AffineMap read = reader.getMatchingIndexingMap(&use);
        if (!read.isPermutation())
          return std::nullopt;
        unsigned node = index[reader];
        find(node);
        LoopList loops(op.getNumLoops());
        for (unsigned dim = 0; dim < loops.size(); ++dim) {
          unsigned loop = read.getDimPosition(dim);
          loops[write.getDimPosition(dim)] = node == root ? loop : nodes[node].loops[loop];
        }
        if (known && *known != loops)
          return std::nullopt;
        known = loops;
      }
    }
    return known;
  }

  bool mayJoin(unsigned producer, unsigned root, const LoopList &loops) {
    if (narrows(producer) && hasOtherReduction(root, producer))
      return false;
    if (nodes[root].generic.getNumReductionLoops() > 0 && !givesBounds(producer, root, loops))
      return false;
    // A constant is computed at compile time, once.
    std::optional<bool> &constant = nodes[producer].constant;
    if (!constant)
      constant = evaluation::isConstantExpression(nodes[producer].op->getResult(0));
    return !*constant;
  }

  // Whether the group makes smaller elements of a reduction's: an epilogue that saves memory.
  bool narrows(unsigned root) const {
    return !reduces(nodes[root].op) && nodes[root].reducedBits > elementBits(nodes[root].op->getResult(0));
  }

  bool hasOtherReduction(unsigned root, unsigned producer) {
    return llvm::any_of(nodes[root].reads, [&](auto read) {
      auto [node, count] = read;
      return node != producer && count == nodes[node].uses && (reduces(nodes[node].op) || narrows(node));
    });
  }

  // Whether the inputs that are left tell how far the loops of a reduction go.
  bool givesBounds(unsigned producer, unsigned root, const LoopList &loops) {
    llvm::BitVector covered(nodes[root].generic.getNumLoops());
    auto cover = [&](unsigned group, unsigned member, OpOperand &operand) {
      for (AffineExpr expr : nodes[member].generic.getMatchingIndexingMap(&operand).getResults())
        if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
          unsigned loop = dim.getPosition();
          if (member != group)
            loop = nodes[member].loops[loop];
          covered.set(group == root ? loop : loops[loop]);
        }
    };
    for (OpOperand &init : nodes[root].generic.getDpsInitsMutable())
      cover(root, root, init);
    for (unsigned group : {producer, root})
      for (unsigned member : nodes[group].members) {
        if (covered.all())
          return true;
        find(member);
        for (OpOperand *input : nodes[member].generic.getDpsInputOperands()) {
          const Node *read = nodeOf(input->get());
          unsigned reader = read ? find(read - nodes.data()) : nodes.size();
          if (reader != producer && reader != root)
            cover(group, member, *input);
        }
      }
    return covered.all();
  }

  // Makes the producer's group part of the root's; gives the nodes that both read, and no one else does.
  SmallVector<unsigned> join(unsigned producer, unsigned root, const LoopList &loops) {
    Node &from = nodes[producer], &to = nodes[root];
    from.parent = root;
    from.loops = loops;
    to.reads[producer] = 0; // a member now
    to.reducedBits = std::max(to.reducedBits, from.reducedBits);
    if (from.members.size() > to.members.size())
      std::swap(from.members, to.members);
    to.members.insert(to.members.end(), from.members.begin(), from.members.end());
    if (from.reads.size() > to.reads.size())
      std::swap(from.reads, to.reads);
    SmallVector<unsigned> candidates;
    for (auto [node, count] : from.reads)
      if ((to.reads[node] += count) == nodes[node].uses)
        candidates.push_back(node);
    from.members.clear();
    from.reads.clear();
    return candidates;
  }

  // Producers first. An op's last operand is computed before its first: so registers are free again early where the
  // operands before it are simple.
  SmallVector<GroupMember> orderMembers(unsigned root) {
    SmallVector<GroupMember> order;
    SmallVector<std::pair<unsigned, bool>> stack{{root, false}};
    DenseSet<unsigned> seen;
    while (!stack.empty()) {
      auto [node, isDone] = stack.pop_back_val();
      if (isDone) {
        find(node);
        LoopList loops = nodes[node].loops;
        if (node == root)
          loops = llvm::to_vector<4>(llvm::seq<unsigned>(0, nodes[node].generic.getNumLoops()));
        order.push_back({nodes[node].generic, loops});
        continue;
      }
      if (!seen.insert(node).second)
        continue;
      stack.emplace_back(node, true);
      for (OpOperand *input : nodes[node].generic.getDpsInputOperands())
        if (const Node *producer = nodeOf(input->get()))
          if (unsigned other = producer - nodes.data(); find(other) == root)
            stack.emplace_back(other, false);
    }
    return order;
  }

  std::vector<Node> nodes;
  DenseMap<Operation *, unsigned> index;
};

} // namespace

SmallVector<ElementwiseGroup> mlir::heddle::groupElementwise(Block &block) { return Grouper(block).run(); }

//===--- Pieces --------------------------------------------------------------------------------------------------===//

// Beyond this LLVM, whose time grows faster than a kernel, takes too long.
static constexpr size_t kMostOps = 512, kMostTensors = 64;

namespace {

// Looks for the end of the piece that begins at a member.
class PieceEnd {
public:
  PieceEnd(ArrayRef<GroupMember> members, const DenseMap<Operation *, unsigned> &position)
      : members(members), position(position) {}

  unsigned find(unsigned begin) {
    llvm::SmallDenseSet<Value> inputs;
    std::multiset<unsigned> lastReads; // of the piece's values
    unsigned best = begin + 1;
    size_t ops = 1, fewest = SIZE_MAX;
    for (unsigned at = begin; at < members.size(); ++at) {
      linalg::GenericOp op = members[at].op;
      ops += countBodyOps(*op.getBlock()) - 1;
      if (at > begin && ops > kMostOps)
        break;
      for (OpOperand *input : op.getDpsInputOperands())
        if (auto found = position.find(input->get().getDefiningOp()); found == position.end() || found->second < begin)
          inputs.insert(input->get());
      for (Value result : op->getResults())
        lastReads.insert(lastRead(result));
      while (!lastReads.empty() && *lastReads.begin() <= at)
        lastReads.erase(lastReads.begin());
      if (at + 1 == members.size() && inputs.size() + op->getNumResults() <= kMostTensors)
        return members.size();
      // Pieces are full or at least half full, so that there are few; where they end few values go to memory.
      size_t kept = lastReads.size();
      if (inputs.size() + kept <= kMostTensors && (2 * ops <= kMostOps || kept <= fewest)) {
        best = at + 1;
        if (2 * ops > kMostOps)
          fewest = kept;
      }
    }
    return best;
  }

private:
  // The position of the last member that reads the value. What leaves the group counts as the root's.
  unsigned lastRead(Value value) const {
    unsigned last = 0;
    for (Operation *user : value.getUsers()) {
      auto found = position.find(user);
      last = std::max<unsigned>(last, found == position.end() ? members.size() : found->second);
    }
    return last;
  }

  ArrayRef<GroupMember> members;
  const DenseMap<Operation *, unsigned> &position;
};

} // namespace

SmallVector<ArrayRef<GroupMember>> mlir::heddle::cutIntoPieces(const ElementwiseGroup &group) {
  DenseMap<Operation *, unsigned> position;
  for (auto [at, member] : llvm::enumerate(group.members))
    position[member.op] = at;
  SmallVector<ArrayRef<GroupMember>> pieces;
  PieceEnd pieceEnd(group.members, position);
  for (unsigned begin = 0; begin < group.members.size();) {
    unsigned end = pieceEnd.find(begin);
    pieces.push_back(ArrayRef(group.members).slice(begin, end - begin));
    begin = end;
  }
  return pieces;
}
