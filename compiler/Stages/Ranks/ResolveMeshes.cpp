// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/IR/FlowShardings.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Suggest.h"
#include "compiler/Stages/Ranks/Passes.h"
#include "heddle/contract/Collectives.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_RESOLVEMESHES
#include "compiler/Stages/Ranks/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct ResolveMeshes : mlir::heddle::impl::ResolveMeshesBase<ResolveMeshes> {
  using ResolveMeshesBase::ResolveMeshesBase;

  void runOnOperation() override {
    if (declare && getOperation().getOps<device::MeshOp>().empty() && failed(declareMesh()))
      return signalPassFailure();
    for (const std::string &list : sizes)
      for (StringRef size : llvm::split(list, ','))
        if (failed(setSize(size)))
          return signalPassFailure();
    for (auto mesh : getOperation().getOps<device::MeshOp>())
      if (failed(setDevice(mesh)))
        return signalPassFailure();
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (failed(verifyShardings(func)) || failed(resolveOps(func)))
        return signalPassFailure();
  }

private:
  // Of the axes that the sizes name; what is no size is reported when they are set.
  LogicalResult declareMesh() {
    SmallVector<Attribute> axes;
    for (const std::string &list : sizes)
      for (StringRef size : llvm::split(list, ','))
        axes.push_back(StringAttr::get(&getContext(), size.rsplit('=').first));
    if (axes.empty())
      return success();
    OpBuilder builder = OpBuilder::atBlockBegin(getOperation().getBody());
    SmallVector<int64_t> free(axes.size(), device::MeshOp::kFree);
    auto mesh = device::MeshOp::create(builder, getOperation().getLoc(), builder.getStringAttr("ranks"),
                                       builder.getArrayAttr(axes), builder.getDenseI64ArrayAttr(free),
                                       builder.getI64IntegerAttr(0), FlatSymbolRefAttr());
    return mesh.verify();
  }

  // `AXIS=SIZE` or `MESH.AXIS=SIZE`.
  LogicalResult setSize(StringRef text) {
    ModuleOp module = getOperation();
    auto [name, number] = text.rsplit('=');
    int64_t size = 0;
    if (name.empty() || number.getAsInteger(10, size) || size < 1)
      return module.emitError() << "--mesh: expected AXIS=SIZE, such as x=2, with a size of 1 or more, got '" << text
                                << "'";
    std::vector<std::string> known;
    bool found = false;
    for (auto mesh : module.getOps<device::MeshOp>())
      for (auto [i, axis] : llvm::enumerate(mesh.getAxes().getAsValueRange<StringAttr>())) {
        std::string full = (mesh.getSymName() + "." + axis).str();
        known.push_back(axis.str());
        if (name != axis && name != full)
          continue;
        found = true;
        SmallVector<int64_t> values(mesh.getSizes());
        if (values[i] != device::MeshOp::kFree && values[i] != size)
          return mesh.emitError() << "--mesh: axis '" << axis << "' has size " << values[i] << ", got " << text;
        values[i] = size;
        if (!::heddle::contract::ranksOf(values))
          return mesh.emitError() << "--mesh: more ranks than a world can have, at most "
                                  << ::heddle::contract::kMaxRanks << ", got " << text;
        mesh.setSizes(values);
      }
    if (found)
      return success();
    if (known.empty())
      return module.emitError() << "--mesh: the program has no device.mesh, got '" << text << "'";
    return module.emitError() << "--mesh: no mesh has an axis '" << name << "'; axes: " << listNames(known)
                              << didYouMean(name, known);
  }

  LogicalResult setDevice(device::MeshOp mesh) {
    ModuleOp module = getOperation();
    if (!mesh.getDevice()) {
      if (device::GlobalOp global = device::getDefaultDevice(module))
        mesh.setDevice(global.getSymName());
      return success();
    }
    if (!module.lookupSymbol<device::GlobalOp>(*mesh.getDevice()))
      return mesh.emitError() << "is of @" << *mesh.getDevice() << ", which is not a device.global"
                              << device::explainUndeclared(module, *mesh.getDevice());
    return success();
  }

  LogicalResult verifySharding(func::FuncOp func, StringRef what, unsigned index, Type type,
                               flow::ShardingAttr sharding) {
    device::MeshOp mesh = flow::getMesh(func, sharding.getMesh());
    auto report = [&] { return func.emitError() << what << " " << index << " "; };
    if (failed(flow::verifySharding(sharding, sharding.getRank(), mesh, report)))
      return failure();
    SmallVector<int64_t> wholes(sharding.getRank());
    for (int64_t dim = 0; dim < sharding.getRank(); ++dim)
      wholes[dim] = sharding.getWhole(dim) == -1 ? ShapedType::kDynamic : sharding.getWhole(dim);
    auto part = cast<RankedTensorType>(type);
    RankedTensorType expected = flow::getPartType(RankedTensorType::get(wholes, part.getElementType()), sharding, mesh);
    for (int64_t dim = 0; dim < part.getRank(); ++dim)
      if (sharding.getWhole(dim) != -1 && !part.isDynamicDim(dim) && part.getDimSize(dim) != expected.getDimSize(dim))
        return report() << "is " << part << ", but by its sharding dimension " << dim << " of a rank's part is "
                        << (expected.isDynamicDim(dim) ? "not of one size; say '?'"
                                                       : std::to_string(expected.getDimSize(dim)));
    return success();
  }

  LogicalResult verifyShardings(func::FuncOp func) {
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      if (auto sharding = func.getArgAttrOfType<flow::ShardingAttr>(i, kShardingAttr))
        if (failed(verifySharding(func, "argument", i, func.getArgumentTypes()[i], sharding)))
          return failure();
    for (unsigned i = 0; i < func.getNumResults(); ++i)
      if (auto sharding = dyn_cast_if_present<flow::ShardingAttr>(func.getResultAttr(i, kShardingAttr)))
        if (failed(verifySharding(func, "result", i, func.getResultTypes()[i], sharding)))
          return failure();
    return success();
  }

  LogicalResult setAffinity(flow::CollectiveOpInterface op) {
    device::MeshOp mesh = flow::getMesh(op, op.getMeshAttr());
    if (!mesh.getDeviceAttr())
      return success();
    auto affinity = device::AffinityAttr::get(&getContext(), mesh.getDeviceAttr());
    auto stated = op->getAttrOfType<device::AffinityAttr>(kAffinityAttr);
    if (stated && stated.getDevice() != affinity.getDevice())
      return op->emitError() << "belongs on " << stated.getDevice() << ", and its mesh @" << mesh.getSymName()
                             << " is of " << affinity.getDevice() << "; collectives run on their mesh's device";
    op->setAttr(kAffinityAttr, affinity);
    return success();
  }

  static void replaceBy(Operation *op, int64_t value) {
    OpBuilder builder(op);
    op->replaceAllUsesWith(arith::ConstantIndexOp::create(builder, op->getLoc(), value));
    op->erase();
  }

  LogicalResult resolveOps(func::FuncOp func) {
    WalkResult walked = func.walk([&](Operation *op) -> WalkResult {
      if (auto collective = dyn_cast<flow::CollectiveOpInterface>(op))
        return setAffinity(collective);
      if (auto size = dyn_cast<flow::MeshSizeOp>(op)) {
        int64_t value = flow::getMesh(op, size.getMeshAttr()).getSize(size.getAxis());
        if (value != device::MeshOp::kFree)
          replaceBy(op, value);
      } else if (auto coordinate = dyn_cast<flow::CoordinateOp>(op)) {
        if (flow::getMesh(op, coordinate.getMeshAttr()).getSize(coordinate.getAxis()) == 1)
          replaceBy(op, 0);
      }
      return WalkResult::advance();
    });
    return failure(walked.wasInterrupted());
  }
};

} // namespace
