// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Analysis/Transients.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::host;

SmallVector<uint64_t> TransientMemory::liveAt(Attribute device) const {
  SmallVector<uint64_t> live(numPositions);
  for (const TransientBuffer &buffer : buffers)
    if (buffer.device == device)
      for (uint32_t position = buffer.first; position <= buffer.last; ++position)
        live[position] += buffer.bytes;
  return live;
}

namespace {

// Index values as numbers, where symbols alone tell them.
class Sizes {
public:
  Sizes(FuncOp func, DictionaryAttr expected, int64_t otherwise, SmallVectorImpl<std::string> &guessed) {
    for (auto [number, name] : llvm::enumerate(func.getSymbols().getAsValueRange<StringAttr>())) {
      auto size = expected ? expected.getAs<IntegerAttr>(name) : IntegerAttr();
      if (!size && !func.getSymbol(number).use_empty())
        guessed.push_back(name.str());
      known[func.getSymbol(number)] =
          IntegerAttr::get(IndexType::get(func.getContext()), size ? size.getInt() : otherwise);
    }
  }

  std::optional<int64_t> of(Value value) {
    auto number = dyn_cast_if_present<IntegerAttr>(evaluate(value));
    return number ? std::optional(number.getInt()) : std::nullopt;
  }

private:
  // Null where the value is not known. By a stack of its own: chains of sizes may be long.
  Attribute evaluate(Value asked) {
    SmallVector<Value> work(1, asked);
    while (!work.empty()) {
      Value value = work.back();
      Operation *op = value.getDefiningOp();
      if (known.contains(value) || !op || !isPure(op) || op->getNumRegions() != 0) {
        known.try_emplace(value, Attribute());
        work.pop_back();
        continue;
      }
      size_t before = work.size();
      for (Value operand : op->getOperands())
        if (!known.contains(operand))
          work.push_back(operand);
      if (work.size() == before)
        fold(op);
    }
    return known.lookup(asked);
  }

  void fold(Operation *op) {
    SmallVector<Attribute> operands =
        llvm::map_to_vector(op->getOperands(), [&](Value operand) { return known.lookup(operand); });
    SmallVector<OpFoldResult> results;
    Attribute constant;
    // Of known operands only: a folder may turn what it cannot fold.
    if (matchPattern(op, m_Constant(&constant)))
      results.push_back(constant);
    else if (!llvm::all_of(operands, [](Attribute operand) { return !!operand; }) ||
             failed(op->fold(operands, results)))
      results.clear();
    for (auto [number, result] : llvm::enumerate(op->getResults())) {
      OpFoldResult value = number < results.size() ? results[number] : OpFoldResult();
      auto attribute = dyn_cast_if_present<Attribute>(value);
      auto same = dyn_cast_if_present<Value>(value);
      known[result] = same ? known.lookup(same) : attribute;
    }
  }

  llvm::DenseMap<Value, Attribute> known;
};

class Measurement {
public:
  Measurement(FuncOp func, DictionaryAttr expected, int64_t otherwise)
      : sizes(func, expected, otherwise, memory.guessed) {
    block = &func.getBody().front();
    for (Operation &op : *block)
      positions[&op] = memory.numPositions++;
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      size_t number = order.size();
      order[op] = number;
    });
  }

  TransientMemory run(FuncOp func) {
    llvm::MapVector<Attribute, uint64_t> slabs;
    func.walk([&](Operation *op) {
      if (auto slab = dyn_cast<SlabOp>(op)) {
        slabs[slab.getDeviceAttr()] += count(slab.getSize());
        for (Operation *user : slab.getResult().getUsers())
          if (auto view = dyn_cast<ViewOp>(user))
            add(view.getResult(), slab.getDeviceAttr(), view.getSize());
      } else if (auto alloc = dyn_cast<AllocOp>(op)) {
        slabs.try_emplace(alloc.getDeviceAttr(), 0);
        add(alloc.getResult(), alloc.getDeviceAttr(), alloc.getSize());
      }
    });
    for (auto [device, slab] : slabs)
      memory.bytes = std::max(memory.bytes, slab + peakBeside(device));
    return std::move(memory);
  }

private:
  uint64_t count(Value size) {
    std::optional<int64_t> bytes = sizes.of(size);
    memory.isPartial |= !bytes;
    return static_cast<uint64_t>(std::max<int64_t>(bytes.value_or(0), 0));
  }

  // A place is that of one buffer after another: each begins where it is written as a whole and not read.
  void add(Value place, Attribute device, Value size) {
    uint64_t bytes = count(size);
    SmallVector<Touch> touches;
    collect(place, /*isWhole=*/true, touches);
    llvm::sort(touches, [](const Touch &a, const Touch &b) { return a.number < b.number; });
    TransientBuffer *current = nullptr;
    for (const Touch &touch : touches) {
      bool isNew = touch.position > (current ? current->last : 0);
      if (bytes && (!current || (touch.begins && isNew)))
        current =
            &memory.buffers.emplace_back(TransientBuffer{place, device, bytes, touch.position, touch.position, {}});
      if (!current)
        continue;
      current->last = touch.position;
      if (touch.writer && !llvm::is_contained(current->writers, touch.writer))
        current->writers.push_back(touch.writer);
    }
  }

  struct Touch {
    uint32_t position;
    size_t number;
    bool begins; // writes all of the place, or in a loop over streams parts of it, and reads nothing of it
    Operation *writer;
  };

  void collect(Value buffer, bool isWhole, SmallVectorImpl<Touch> &touches) {
    for (OpOperand &use : buffer.getUses()) {
      Operation *user = use.getOwner();
      if (isa<ViewOp>(user)) {
        collect(user->getResult(0), false, touches);
        continue;
      }
      Touch touch{positions.lookup(block->findAncestorOpInBlock(*user)), order.lookup(user), false, nullptr};
      if (auto dispatch = dyn_cast<DispatchOp>(user)) {
        unsigned binding = use.getOperandNumber() - dispatch.getODSOperandIndexAndLength(1).first;
        bool reads = llvm::any_of(llvm::enumerate(dispatch.getBindings()),
                                  [&](auto it) { return it.value() == buffer && dispatch.reads(it.index()); });
        if (dispatch.writes(binding))
          touch.writer = user;
        bool isAll = user->getBlock() == block ? isWhole : isa<StreamForOp>(user->getParentOp());
        touch.begins = touch.writer && !reads && isAll;
      }
      touches.push_back(touch);
    }
  }

  // Of buffers that are no place in the slab.
  uint64_t peakBeside(Attribute device) const {
    TransientMemory others;
    others.numPositions = memory.numPositions;
    llvm::copy_if(memory.buffers, std::back_inserter(others.buffers),
                  [](const TransientBuffer &buffer) { return !!buffer.buffer.getDefiningOp<AllocOp>(); });
    SmallVector<uint64_t> live = others.liveAt(device);
    return live.empty() ? 0 : *llvm::max_element(live);
  }

  TransientMemory memory;
  Sizes sizes;
  Block *block;
  llvm::DenseMap<Operation *, uint32_t> positions;
  llvm::DenseMap<Operation *, size_t> order;
};

} // namespace

TransientMemory host::measureTransients(FuncOp func, DictionaryAttr expected, int64_t otherwise) {
  return Measurement(func, expected, otherwise).run(func);
}
