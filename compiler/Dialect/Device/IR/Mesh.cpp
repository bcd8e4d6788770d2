// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// device.mesh: its text and what it must be.
#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Device/IR/MeshAxes.h"

#include "heddle/contract/Collectives.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::heddle::device;
namespace contract = ::heddle::contract;

static_assert(MeshOp::kFree == contract::kFreeSize);

// Used by the generated code of DeviceOps.cpp.inc: `[x = 8, "y z" = ?]`.
ParseResult mlir::heddle::device::parseAxes(OpAsmParser &parser, ArrayAttr &axes, DenseI64ArrayAttr &sizes) {
  SmallVector<Attribute> names;
  SmallVector<int64_t> numbers;
  auto parseAxis = [&]() -> ParseResult {
    std::string name;
    if (parser.parseKeywordOrString(&name) || parser.parseEqual())
      return failure();
    names.push_back(parser.getBuilder().getStringAttr(name));
    numbers.push_back(MeshOp::kFree);
    return succeeded(parser.parseOptionalQuestion()) ? success() : parser.parseInteger(numbers.back());
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseAxis))
    return failure();
  axes = parser.getBuilder().getArrayAttr(names);
  sizes = parser.getBuilder().getDenseI64ArrayAttr(numbers);
  return success();
}

static void writeAxes(raw_ostream &os, ArrayAttr axes, ArrayRef<int64_t> sizes,
                      function_ref<void(StringRef)> printName) {
  os << '[';
  llvm::interleaveComma(llvm::zip(axes.getAsValueRange<StringAttr>(), sizes), os, [&](auto axis) {
    auto [name, size] = axis;
    printName(name);
    os << " = ";
    if (size == MeshOp::kFree)
      os << '?';
    else
      os << size;
  });
  os << ']';
}

void mlir::heddle::device::printAxes(OpAsmPrinter &printer, Operation *, ArrayAttr axes, DenseI64ArrayAttr sizes) {
  writeAxes(printer.getStream(), axes, sizes, [&](StringRef name) { printer.printKeywordOrString(name); });
}

std::string MeshOp::describe() {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeAxes(os, getAxes(), getSizes(), [&](StringRef name) { os << name; });
  return text;
}

std::optional<unsigned> MeshOp::findAxis(StringRef name) {
  for (auto [i, axis] : llvm::enumerate(getAxes().getAsValueRange<StringAttr>()))
    if (axis == name)
      return i;
  return std::nullopt;
}

int64_t MeshOp::getNumRanks() { return contract::ranksOf(getSizes()).value_or(kFree); }

bool mlir::heddle::device::areOfSameRanks(MeshOp a, MeshOp b) {
  return a.getNumRanks() != MeshOp::kFree && a.getNumRanks() == b.getNumRanks() && a.getFirst() == b.getFirst();
}

bool mlir::heddle::device::mayDiffer(MeshOp mesh, unsigned axis, MeshOp other, unsigned along) {
  if (!areOfSameRanks(mesh, other))
    return true;
  // By how much numbers of ranks differ along an axis at least, and at most.
  auto strideOf = [](MeshOp mesh, unsigned axis) {
    int64_t stride = 1;
    for (int64_t size : mesh.getSizes().drop_front(axis + 1))
      stride *= size;
    return std::pair(stride, stride * mesh.getSizes()[axis]);
  };
  auto [inner, outer] = strideOf(mesh, axis);
  auto [otherInner, otherOuter] = strideOf(other, along);
  return inner % otherOuter != 0 && otherInner % outer != 0;
}

LogicalResult MeshOp::verify() {
  if (getAxes().empty() || getAxes().size() != getSizes().size())
    return emitOpError() << "needs one axis or more, each with a size, got " << getAxes() << " and sizes ["
                         << getSizes() << "]";
  llvm::StringSet<> names;
  for (auto [name, size] : llvm::zip(getAxes().getAsValueRange<StringAttr>(), getSizes())) {
    if (name.empty())
      return emitOpError() << "has an axis without a name";
    if (!names.insert(name).second)
      return emitOpError() << "has two axes '" << name << "'";
    if (size < 1 && size != kFree)
      return emitOpError() << "has axis '" << name << "' of size " << size << "; a size is at least 1, or '?'";
  }
  int64_t first = getFirst();
  if (first < 0)
    return emitOpError() << "begins at rank " << first << "; ranks count from 0";
  // Free sizes count as 1 here: what they are is checked at load.
  SmallVector<int64_t> least = llvm::map_to_vector(getSizes(), [](int64_t size) { return size == kFree ? 1 : size; });
  std::optional<int64_t> ranks = contract::ranksOf(least);
  if (!ranks || first > contract::kMaxRanks - *ranks)
    return emitOpError() << "has more ranks than a world can: " << describe() << " from rank " << first
                         << " on; at most " << contract::kMaxRanks;
  return success();
}
