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
    else if (!llvm::all_of(operands, [](Attribute operand) { return !!operand; }) || failed(op->fold(operands, results)))
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
    for (Operation &op : func.getBody().front())
      positions[&op] = memory.numPositions++;
    block = &func.getBody().front();
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

  void add(Value buffer, Attribute device, Value size) {
    TransientBuffer one{buffer, device, count(size), memory.numPositions, 0, {}};
    follow(buffer, one);
    if (one.first <= one.last && one.bytes)
      memory.buffers.push_back(std::move(one));
  }

  void follow(Value buffer, TransientBuffer &one) {
    for (OpOperand &use : buffer.getUses()) {
      Operation *user = use.getOwner();
      uint32_t position = positions.lookup(block->findAncestorOpInBlock(*user));
      one.first = std::min(one.first, position);
      one.last = std::max(one.last, position);
      if (auto dispatch = dyn_cast<DispatchOp>(user)) {
        unsigned binding = use.getOperandNumber() - dispatch.getODSOperandIndexAndLength(1).first;
        if (dispatch.writes(binding) && !llvm::is_contained(one.writers, user))
          one.writers.push_back(user);
      } else if (isa<ViewOp>(user)) {
        follow(user->getResult(0), one);
      }
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
};

} // namespace

TransientMemory host::measureTransients(FuncOp func, DictionaryAttr expected, int64_t otherwise) {
  return Measurement(func, expected, otherwise).run(func);
}
