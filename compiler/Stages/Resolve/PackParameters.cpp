// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Dialect/Encoding/IR/PhysicalLayout.h"
#include "compiler/Dialect/Host/IR/ElementBytes.h"
#include "compiler/Stages/Resolve/Passes.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Threading.h"
#include "llvm/ADT/MapVector.h"

#include <atomic>

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_PACKPARAMETERS
#include "compiler/Stages/Resolve/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// A value to write in a layout, for all parameters that have both.
struct Packing {
  RankedTensorType type; // with the layout
  ElementsAttr value;
  SmallVector<flow::ParameterOp> parameters;
  AsmResourceBlob packed;
};

AsmResourceBlob *blobOf(ElementsAttr value) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  return resource ? resource.getRawHandle().getBlob() : nullptr;
}

} // namespace

static bool isPacked(flow::ParameterOp parameter) {
  auto type = cast<RankedTensorType>(parameter.getType());
  return parameter.getValue().getShapedType() == encoding::getPhysicalType(type);
}

static LogicalResult pack(Packing &packing) {
  flow::ParameterOp parameter = packing.parameters.front();
  encoding::LayoutAttr layout = encoding::getLayout(packing.type);
  if (layout.getInnerDims().empty())
    return parameter.emitError() << "has a layout without tiles, whose values cannot be told from plain ones: "
                                 << packing.type;
  host::ElementBytes bytes;
  FailureOr<std::span<const std::byte>> source = bytes.of(packing.value, parameter);
  if (failed(source))
    return failure();
  size_t width = storageBytes(packing.type.getElementType());
  std::optional<int64_t> needed = tensorBytes(encoding::getPhysicalType(packing.type));
  if (!needed)
    return parameter.emitError() << "has more bytes in its layout than 63 bits count: " << packing.type;
  packing.packed = HeapAsmResourceBlob::allocate(*needed, 64, /*dataIsMutable=*/true);
  MutableArrayRef<char> target = packing.packed.getMutableData();
  ArrayRef<int64_t> shape = packing.type.getShape();
  std::string reason =
      ::heddle::contract::packBytes(encoding::toTiling(layout), width, {shape.data(), shape.size()}, *source,
                                    std::as_writable_bytes(std::span(target.data(), target.size())));
  if (!reason.empty())
    return parameter.emitError() << "cannot be written in its layout: " << reason;
  return success();
}

namespace {

struct PackParameters : mlir::heddle::impl::PackParametersBase<PackParameters> {
  using PackParametersBase::PackParametersBase;

  void runOnOperation() override {
    eraseUnused();
    std::vector<Packing> packings = collect();
    if (sizesOnly) {
      for (const Packing &packing : packings)
        for (flow::ParameterOp parameter : packing.parameters)
          parameter.setValueAttr(makeZeros(packing.type));
      return;
    }
    packAll(packings);
  }

  static ElementsAttr makeZeros(RankedTensorType type) {
    ShapedType physical = encoding::getPhysicalType(type);
    return SplatElementsAttr::get(physical, Builder(type.getContext()).getZeroAttr(physical.getElementType()));
  }

  // What has lost its last reader among them is freed.
  void packAll(std::vector<Packing> &packings) {
    llvm::DenseMap<AsmResourceBlob *, int> readers = countReaders(packings);
    std::vector<std::atomic<int>> left(packings.size());
    llvm::DenseMap<AsmResourceBlob *, std::atomic<int> *> leftOf;
    for (auto [packing, count] : llvm::zip_equal(packings, left))
      if (AsmResourceBlob *blob = blobOf(packing.value); blob && readers.contains(blob)) {
        count = readers[blob];
        leftOf.try_emplace(blob, &count);
      }
    LogicalResult packed = failableParallelForEach(&getContext(), packings, [&](Packing &packing) {
      if (failed(pack(packing)))
        return failure();
      AsmResourceBlob *blob = blobOf(packing.value);
      auto count = leftOf.find(blob);
      if (count != leftOf.end() && --*count->second == 0)
        *blob = AsmResourceBlob(); // frees the plain bytes
      return success();
    });
    if (failed(packed))
      return signalPassFailure();
    for (Packing &packing : packings)
      replace(packing);
  }

  // In the order of the parameters, each value and layout once.
  std::vector<Packing> collect() {
    llvm::MapVector<std::pair<Type, Attribute>, SmallVector<flow::ParameterOp>> found;
    for (auto parameter : getOperation().getOps<flow::ParameterOp>())
      if (encoding::getLayout(parameter.getType()) && !isPacked(parameter))
        found[{parameter.getType(), parameter.getValue()}].push_back(parameter);
    std::vector<Packing> packings;
    for (auto &[key, parameters] : found)
      packings.push_back(
          {cast<RankedTensorType>(key.first), cast<ElementsAttr>(key.second), std::move(parameters), {}});
    return packings;
  }

  // Of resources that only packings read: how many.
  llvm::DenseMap<AsmResourceBlob *, int> countReaders(ArrayRef<Packing> packings) {
    llvm::DenseMap<AsmResourceBlob *, int> readers;
    for (const Packing &packing : packings)
      if (AsmResourceBlob *blob = blobOf(packing.value))
        ++readers[blob];
    getOperation().walk([&](Operation *op) {
      auto parameter = dyn_cast<flow::ParameterOp>(op);
      bool packs = parameter && encoding::getLayout(parameter.getType()) && !isPacked(parameter);
      for (NamedAttribute attribute : op->getAttrs())
        if (auto value = dyn_cast<DenseResourceElementsAttr>(attribute.getValue()); value && !packs)
          readers.erase(blobOf(value));
    });
    return readers;
  }

  void replace(Packing &packing) {
    flow::ParameterOp kept = packing.parameters.front();
    auto &manager = DenseResourceElementsHandle::getManagerInterface(&getContext());
    auto handle = manager.insert((kept.getSymName() + ".packed").str(), std::move(packing.packed));
    auto value = DenseResourceElementsAttr::get(encoding::getPhysicalType(packing.type), handle);
    kept.setValueAttr(value);
    for (flow::ParameterOp other : ArrayRef(packing.parameters).drop_front())
      merge(other, kept, value);
  }

  // The other parameter's loads become the kept one's, where no name from outside depends on it.
  void merge(flow::ParameterOp other, flow::ParameterOp kept, ElementsAttr value) {
    if (!other.isPrivate() || other.getScopeAttr() != kept.getScopeAttr() ||
        failed(SymbolTable::replaceAllSymbolUses(other, kept.getSymNameAttr(), getOperation()))) {
      other.setValueAttr(value);
      return;
    }
    other.erase();
  }

  void eraseUnused() {
    llvm::DenseSet<Attribute> used;
    getOperation().walk([&](flow::ParameterLoadOp load) { used.insert(load.getParameterAttr().getAttr()); });
    for (auto parameter : llvm::make_early_inc_range(getOperation().getOps<flow::ParameterOp>()))
      if (parameter.isPrivate() && !used.contains(parameter.getSymNameAttr()))
        parameter.erase();
  }
};

} // namespace
