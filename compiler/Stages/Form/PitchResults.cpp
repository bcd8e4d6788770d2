// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/IR/Pitch.h"
#include "compiler/Dialect/Flow/Transforms/Updates.h"
#include "compiler/Stages/Form/Parts.h"
#include "compiler/Stages/Form/Passes.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_PITCHRESULTS
#include "compiler/Stages/Form/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// A result of a dispatch and the place where it belongs.
struct Part {
  unsigned result;
  int64_t outer;
  tensor::InsertSliceOp insert;
};

// A dispatch some of whose results are parts, in their order.
struct Site {
  flow::DispatchOp dispatch;
  SmallVector<Part> parts;
};

// Sites that one executable can serve: the same dimensions of the same results are apart.
bool areAlike(const Site &a, const Site &b) {
  return a.parts.size() == b.parts.size() && llvm::all_of(llvm::zip(a.parts, b.parts), [](auto pair) {
           auto [one, other] = pair;
           return one.result == other.result && one.outer == other.outer;
         });
}

// The sizes of the destination that make the distance between runs.
SmallVector<OpFoldResult> listFactors(OpBuilder &builder, const Part &part) {
  tensor::InsertSliceOp op = part.insert;
  SmallVector<OpFoldResult> factors;
  for (int64_t d = flow::findForm(op)->cut; d < op.getDestType().getRank(); ++d)
    factors.push_back(tensor::getMixedSize(builder, op.getLoc(), flow::findMemory(op), d));
  return factors;
}

std::optional<int64_t> findElements(const Part &part) {
  tensor::InsertSliceOp op = part.insert;
  int64_t elements = 1;
  for (int64_t size : op.getDestType().getShape().drop_front(flow::findForm(op)->cut)) {
    if (ShapedType::isDynamic(size))
      return std::nullopt;
    elements *= size;
  }
  return elements;
}

struct PitchResults : mlir::heddle::impl::PitchResultsBase<PitchResults> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    llvm::MapVector<Attribute, std::vector<Site>> sites;
    llvm::DenseMap<Attribute, size_t> dispatches;
    llvm::MapVector<Operation *, SmallVector<Part>> parts;
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      func.walk([&](flow::DispatchOp dispatch) { ++dispatches[dispatch.getExecutableAttr()]; });
      func.walk([&](tensor::InsertSliceOp insert) {
        if (std::optional<Part> part = findPart(insert))
          parts[findMaker(insert)].push_back(*part);
      });
    }
    for (auto &[maker, own] : parts) {
      llvm::sort(own, [](const Part &a, const Part &b) { return a.result < b.result; });
      auto dispatch = cast<flow::DispatchOp>(maker);
      sites[dispatch.getExecutableAttr()].push_back({dispatch, std::move(own)});
    }
    for (auto &[name, all] : sites)
      while (!all.empty()) {
        std::vector<Site> alike, others;
        for (const Site &site : all)
          (areAlike(site, all.front()) ? alike : others).push_back(site);
        all = std::move(others);
        auto executable = symbols.lookup<flow::ExecutableOp>(cast<FlatSymbolRefAttr>(name).getAttr());
        size_t &left = dispatches[name];
        pitch(left == alike.size() ? executable : copy(symbols, executable), alike);
        left -= alike.size();
      }
  }

  static Operation *findMaker(tensor::InsertSliceOp insert) {
    return flow::findInserted(insert)->value.getDefiningOp();
  }

  // Moves before the dispatch what it must know of the place. None where the result is one run of bytes there.
  static std::optional<Part> findPart(tensor::InsertSliceOp insert) {
    std::optional<flow::InsertedValue> inserted = flow::findInserted(insert);
    auto dispatch = inserted ? inserted->value.getDefiningOp<flow::DispatchOp>() : flow::DispatchOp();
    if (!dispatch || flow::isArgumentUpdate(insert) || !flow::isUpdate(insert) || !parts::isPlaceable(insert, dispatch))
      return std::nullopt;
    parts::hoistPlace(insert, dispatch);
    if (inserted->outer == 0)
      return std::nullopt;
    return Part{cast<OpResult>(inserted->value).getResultNumber(), inserted->outer, insert};
  }

  static flow::ExecutableOp copy(SymbolTable &symbols, flow::ExecutableOp executable) {
    func::FuncOp function = executable.getFunction();
    auto copied = cast<flow::ExecutableOp>(executable->clone());
    auto own = copied.lookupSymbol<func::FuncOp>(function.getSymNameAttr());
    copied.setSymName((executable.getSymName() + "_pitch").str());
    own.setName(symbols.insert(copied));
    return copied;
  }

  // The executable serves these sites alone from here on. A pitch that all have is a constant of its code.
  static void pitch(flow::ExecutableOp executable, ArrayRef<Site> sites) {
    func::FuncOp function = executable.getFunction();
    for (size_t i = 0; i < sites.front().parts.size(); ++i) {
      const Part &first = sites.front().parts[i];
      std::optional<int64_t> elements = findElements(first);
      for (const Site &site : sites)
        if (findElements(site.parts[i]) != elements)
          elements.reset();
      flow::Pitch pitch{first.outer, elements, function.getNumArguments()};
      if (!elements) {
        (void)function.insertArgument(pitch.argument, IndexType::get(function.getContext()), {}, function.getLoc());
        for (const Site &site : sites)
          passPitch(site.dispatch, site.parts[i]);
      }
      flow::setPitch(function, first.result, pitch);
    }
    for (const Site &site : sites)
      flow::DispatchOp(site.dispatch).setExecutableAttr(FlatSymbolRefAttr::get(executable.getSymNameAttr()));
  }

  static void passPitch(flow::DispatchOp dispatch, const Part &part) {
    OpBuilder builder(dispatch);
    Value elements = getValueOrCreateConstantIndexOp(builder, dispatch.getLoc(), builder.getIndexAttr(1));
    for (OpFoldResult factor : listFactors(builder, part)) {
      Value size = getValueOrCreateConstantIndexOp(builder, dispatch.getLoc(), factor);
      elements = builder.createOrFold<arith::MulIOp>(dispatch.getLoc(), elements, size);
    }
    dispatch.getConstantsMutable().append(elements);
  }
};

} // namespace
