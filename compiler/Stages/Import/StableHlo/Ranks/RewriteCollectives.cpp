// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/Ranks/RewriteCollectives.h"

#include "compiler/Stages/Import/StableHlo/Assembly/Attributes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringSet.h"

#include <deque>
#include <map>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

bool mlir::heddle::hlo::tellsRanksApart(Operation *op) {
  static const llvm::StringSet<> names = {"all_gather",           "all_reduce",         "all_to_all",
                                          "collective_broadcast", "collective_permute", "collective_reduce",
                                          "partition_id",         "reduce_scatter",     "replica_id"};
  StringRef name = op->getName().getStringRef();
  return name.consume_front("stablehlo.") && names.contains(name);
}

//===--- Several operands ----------------------------------------------------------------------------------------===//

static void splitOperands(Operation *op) {
  static const llvm::StringSet<> names = {"all_gather", "all_reduce", "all_to_all", "collective_broadcast",
                                          "collective_reduce"};
  StringRef name = op->getName().getStringRef();
  if (!name.consume_front("stablehlo.") || !names.contains(name) || op->getNumOperands() < 2 ||
      op->getNumOperands() != op->getNumResults())
    return;
  OpBuilder builder(op);
  for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults())) {
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(operand);
    state.addTypes(result.getType());
    state.attributes = op->getDiscardableAttrDictionary();
    state.propertiesAttr = op->getPropertiesAsAttribute();
    for (Region &region : op->getRegions()) {
      IRMapping mapping;
      region.cloneInto(state.addRegion(), mapping);
    }
    result.replaceAllUsesWith(builder.create(state)->getResult(0));
  }
  op->erase();
}

//===--- Coordinates ---------------------------------------------------------------------------------------------===//

// Operand 1 of an op of this name, an integer constant; nothing if the op is something else.
static std::optional<int64_t> constantOperand(Operation *op, StringRef name) {
  if (op->getName().getStringRef() != name || op->getNumOperands() != 2 || op->getNumResults() != 1)
    return std::nullopt;
  Operation *made = op->getOperand(1).getDefiningOp();
  Attribute value =
      made && made->getName().getStringRef() == "stablehlo.constant" ? made->getAttr("value") : Attribute();
  std::optional<SmallVector<int64_t>> ints = value ? readInts(value) : std::nullopt;
  return ints && ints->size() == 1 ? std::optional(ints->front()) : std::nullopt;
}

// The readers of the result that have it as operand 0, a constant as operand 1, and this name.
static SmallVector<std::pair<Operation *, int64_t>> readersOf(Operation *op, StringRef name) {
  SmallVector<std::pair<Operation *, int64_t>> readers;
  for (Operation *reader : op->getResult(0).getUsers())
    if (std::optional<int64_t> constant = constantOperand(reader, name);
        constant && reader->getOperand(0) == op->getResult(0))
      readers.emplace_back(reader, *constant);
  return readers;
}

static void replaceByCoordinate(Operation *op, StringRef mesh, StringRef axis) {
  OpBuilder builder(op);
  OperationState state(op->getLoc(), "stablehlo.partition_id");
  state.addTypes(op->getResultTypes());
  state.addAttribute(kAxisAttr, builder.getStrArrayAttr({mesh, axis}));
  op->replaceAllUsesWith(builder.create(state));
  op->erase();
}

static bool isIntegerScalar(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0 && isa<IntegerType>(tensor.getElementType()) &&
         tensor.getElementType().getIntOrFloatBitWidth() >= 32;
}

static void nameCoordinates(Operation *op, const Ranks &ranks) {
  // Numbers of partitions count the coordinates only where they are those of ranks.
  if (op->getName().getStringRef() != "stablehlo.partition_id" || op->getNumResults() != 1 || ranks.replicas != 1 ||
      !ranks.processes().empty())
    return;
  const RankMesh &mesh = ranks.main();
  for (auto [divide, stride] : readersOf(op, "stablehlo.divide")) {
    for (auto [rest, size] : readersOf(divide, "stablehlo.remainder")) {
      const auto *axis = llvm::find_if(mesh.text.axes, [&, stride = stride, size = size](const MeshAxis &candidate) {
        return candidate.size == size && size > 1 && strideOf(mesh.text, candidate.name) == stride;
      });
      if (axis == mesh.text.axes.end() || !isIntegerScalar(rest->getResult(0).getType()))
        continue;
      for (Operation *reader : llvm::make_early_inc_range(rest->getResult(0).getUsers()))
        if (reader->getName().getStringRef() == "stablehlo.convert" && reader->getNumOperands() == 1 &&
            reader->getNumResults() == 1 && isIntegerScalar(reader->getResult(0).getType()))
          replaceByCoordinate(reader, mesh.symbol, axis->name);
      if (rest->use_empty())
        rest->erase();
      else
        replaceByCoordinate(rest, mesh.symbol, axis->name);
    }
    if (divide->use_empty())
      divide->erase();
  }
  if (op->use_empty())
    op->erase();
}

static SmallVector<Operation *> findCollectives(ModuleOp module) {
  SmallVector<Operation *> found;
  module.walk([&](Operation *op) {
    if (tellsRanksApart(op))
      found.push_back(op);
  });
  return found;
}

bool mlir::heddle::hlo::hasCollectives(ModuleOp module) { return !findCollectives(module).empty(); }

void mlir::heddle::hlo::rewriteCollectives(ModuleOp module, const Ranks &ranks) {
  for (Operation *op : findCollectives(module))
    nameCoordinates(op, ranks);
  for (Operation *op : findCollectives(module))
    splitOperands(op);
}

//===--- send and recv -------------------------------------------------------------------------------------------===//

// Values of a send or recv, then a token on either side.
static std::optional<int64_t> channelBetweenDevices(Operation *op) {
  std::optional<Fields> fields =
      op->hasAttr("channel_handle") ? readFields(op->getAttr("channel_handle"), "channel_handle") : std::nullopt;
  auto isHost = op->getAttrOfType<BoolAttr>("is_host_transfer");
  if (!fields || (isHost && isHost.getValue()) || op->getNumRegions() != 0)
    return std::nullopt;
  return fields->integer("handle");
}

static void joinSend(Operation *send, Operation *recv) {
  OpBuilder builder(recv);
  for (auto [operand, result] : llvm::zip(send->getOperands().drop_back(), recv->getResults().drop_back())) {
    OperationState state(recv->getLoc(), "stablehlo.collective_permute");
    state.addOperands(operand);
    state.addTypes(result.getType());
    state.addAttribute("source_target_pairs", send->getAttr("source_target_pairs"));
    state.addAttribute("channel_handle", send->getAttr("channel_handle"));
    result.replaceAllUsesWith(builder.create(state)->getResult(0));
  }
  recv->getResults().back().replaceAllUsesWith(recv->getOperand(0));
  send->getResult(0).replaceAllUsesWith(send->getOperands().back());
  recv->erase();
  send->erase();
}

void mlir::heddle::hlo::joinSends(ModuleOp module) {
  std::map<std::pair<Block *, int64_t>, std::deque<Operation *>> open;
  SmallVector<std::pair<Operation *, Operation *>> pairs;
  module.walk([&](Operation *op) {
    bool isSend = op->getName().getStringRef() == "stablehlo.send";
    std::optional<int64_t> channel;
    if (isSend || op->getName().getStringRef() == "stablehlo.recv")
      channel = channelBetweenDevices(op);
    if (!channel)
      return;
    std::deque<Operation *> &sends = open[{op->getBlock(), *channel}];
    if (isSend) {
      if (op->getNumOperands() > 0 && op->getNumResults() == 1 && op->hasAttr("source_target_pairs"))
        sends.push_back(op);
      return;
    }
    if (sends.empty() || op->getNumOperands() != 1 || op->getNumResults() != sends.front()->getNumOperands())
      return;
    pairs.emplace_back(sends.front(), op);
    sends.pop_front();
  });
  for (auto [send, recv] : pairs)
    joinSend(send, recv);
}
