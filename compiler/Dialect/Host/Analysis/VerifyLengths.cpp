// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// That buffers of collectives hold what their counts say, for all sizes. Left to the call, where each collective is
// asked once more: sizes that control flow carries or that no formula tells, formulas of other values than the count's
// (a check of the call may make them equal), and a member's own part of uneven pieces.
#include "compiler/Dialect/Host/Analysis/Formulas.h"
#include "compiler/Dialect/Host/Analysis/Regions.h"
#include "compiler/Dialect/Host/Analysis/Verifier.h"
#include "compiler/Dialect/Host/IR/ElementTypes.h"

#include <set>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::host;
namespace contract = ::heddle::contract;

namespace {

class LengthVerifier {
public:
  LengthVerifier(FuncOp func, CollectiveOp op) : func(func), op(op), spec(op.getSpec()) {}

  LogicalResult verify() {
    if (!op.isCut())
      return success(check(op.getSource(), "source", contract::hasSourcePieces(spec.kind)) &&
                     check(op.getTarget(), "target", contract::hasTargetPieces(spec.kind)));
    // All of the parts together; alone they depend on the rank's place.
    if (contract::cutsOf(spec.kind) != 1)
      return success();
    return success(contract::hasSourcePieces(spec.kind) ? checkWhole(op.getSource(), "source")
                                                        : checkWhole(op.getTarget(), "target"));
  }

private:
  Polynomial formula(Value value) { return formulas.of(value, nullptr, Instance::Later); }
  std::optional<Polynomial> bytesOf(Value buffer);
  std::optional<Polynomial> bytesOfArgument(BlockArgument argument);
  SmallVector<Polynomial> members();
  bool check(Value buffer, StringRef which, bool hasPieces);
  bool checkWhole(Value buffer, StringRef which);
  bool holds(Value buffer, StringRef which, ArrayRef<Polynomial> elements);
  Polynomial sizeOf(Value value) {
    Polynomial size = formula(value);
    formulas.assumeNonNegative(size);
    return size;
  }

  FuncOp func;
  CollectiveOp op;
  contract::CollectiveSpec spec;
  Formulas formulas;
};

} // namespace

std::optional<Polynomial> LengthVerifier::bytesOfArgument(BlockArgument argument) {
  ValueAttr value = argument.getOwner()->getParentOp() == func ? func.describe(argument) : ValueAttr();
  if (!value)
    return std::nullopt;
  Polynomial bytes(contract::byteSize(getElementType(value.getType().getElementType())));
  for (auto [size, name] : llvm::zip_equal(value.getType().getShape(), value.getDims())) {
    if (!ShapedType::isDynamic(size)) {
      bytes = bytes * Polynomial(size);
      continue;
    }
    auto symbols = func.getSymbolsAttr();
    auto found = llvm::find(symbols, name);
    if (found == symbols.end())
      return std::nullopt;
    bytes = bytes * sizeOf(func.getSymbol(found - symbols.begin()));
  }
  return bytes;
}

// Null: no formula tells.
std::optional<Polynomial> LengthVerifier::bytesOf(Value buffer) {
  if (auto view = buffer.getDefiningOp<ViewOp>()) {
    if (view.getRuns().empty())
      return sizeOf(view.getSize());
    return std::nullopt;
  }
  if (auto argument = dyn_cast<BlockArgument>(buffer))
    return bytesOfArgument(argument);
  if (auto alloc = buffer.getDefiningOp<AllocOp>())
    return sizeOf(alloc.getSize());
  if (auto result = buffer.getDefiningOp<ResultOp>())
    return sizeOf(result.getSize());
  return std::nullopt;
}

// The number of members of a group: one formula for each way in which the program names a free size.
SmallVector<Polynomial> LengthVerifier::members() {
  device::MeshOp mesh = op.lookupMesh();
  ArrayRef<int64_t> sizes = mesh.getSizes();
  if (!spec.group.groups.empty()) {
    int64_t size = contract::groupSize(spec.group, {sizes.data(), sizes.size()});
    return size == contract::kFreeSize ? SmallVector<Polynomial>() : SmallVector<Polynomial>{Polynomial(size)};
  }
  SmallVector<Polynomial> all{Polynomial(1)};
  for (uint32_t axis : spec.group.axes) {
    SmallVector<Polynomial> factors;
    if (sizes[axis] != contract::kFreeSize)
      factors.push_back(Polynomial(sizes[axis]));
    else
      func.walk([&](MeshSizeOp asked) {
        if (asked.getMesh() == mesh.getSymName() && *mesh.findAxis(asked.getAxis()) == axis)
          factors.push_back(sizeOf(asked.getResult()));
      });
    SmallVector<Polynomial> products;
    for (const Polynomial &one : all)
      for (const Polynomial &factor : factors)
        products.push_back(one * factor);
    all = std::move(products);
  }
  return all;
}

static std::set<void *> termsOf(const Polynomial &formula) {
  std::set<void *> terms;
  for (const auto &entry : formula.getTerms())
    terms.insert(entry.first.begin(), entry.first.end());
  return terms;
}

bool LengthVerifier::holds(Value buffer, StringRef which, ArrayRef<Polynomial> elements) {
  std::optional<Polynomial> bytes = bytesOf(buffer);
  if (!bytes || elements.empty())
    return true;
  int64_t width = contract::byteSize(spec.type);
  for (const Polynomial &needed : elements)
    if (termsOf(needed) != termsOf(*bytes) || formulas.isNonNegative(*bytes - needed * Polynomial(width)))
      return true;
  op.emitOpError() << "has a " << which
                   << " that need not hold the elements that it moves: its size is another formula "
                   << "than count, pieces and " << width << " bytes an element";
  return false;
}

bool LengthVerifier::check(Value buffer, StringRef which, bool hasPieces) {
  Polynomial count = sizeOf(op.getCount());
  if (!hasPieces)
    return holds(buffer, which, count);
  SmallVector<Polynomial> elements;
  for (const Polynomial &size : members())
    elements.push_back(count * size);
  return holds(buffer, which, elements);
}

// Of pieces that are all parts of a whole: from the first on, as many as members.
bool LengthVerifier::checkWhole(Value buffer, StringRef which) {
  Value granules = op.getCut()[0], granule = op.getCut()[1];
  Polynomial first = formula(op.getCut()[2]), parts = formula(op.getCut()[3]);
  if (first.getConstant() != 0 || !llvm::is_contained(members(), parts))
    return true;
  return holds(buffer, which, sizeOf(granules) * sizeOf(granule) * sizeOf(op.getCount()));
}

LogicalResult mlir::heddle::host::verifyLengths(FuncOp func, CollectiveOp op) {
  return LengthVerifier(func, op).verify();
}
