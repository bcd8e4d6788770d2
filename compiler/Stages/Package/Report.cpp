// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Package/Report.h"

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Host/Analysis/Accesses.h"
#include "compiler/Dialect/Host/Analysis/BindingTimes.h"

#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::heddle;

// What the op is about: its executable or parameter, else the model's name for it.
static std::string nameOf(Operation *op) {
  if (auto dispatch = dyn_cast<host::DispatchOp>(op))
    return dispatch.getExecutable().str();
  if (auto parameter = dyn_cast<host::ParameterOp>(op))
    return parameter.getParameter().str();
  if (auto pack = dyn_cast<host::PackOp>(op))
    return pack.getParameter().str();
  if (auto bind = dyn_cast<host::BindOp>(op))
    return bind.getName().str();
  if (auto bound = dyn_cast<host::BoundOp>(op))
    return bound.getName().str();
  if (auto named = op->getLoc()->findInstanceOf<NameLoc>())
    return named.getName().str();
  return "";
}

// Ops on a stream run on its device: that of the stream's op, else the default one. A stream that control flow carries
// is named by the first that it may be.
static std::string deviceOf(Operation *op, StringRef defaultDevice) {
  if (auto device = op->getAttrOfType<FlatSymbolRefAttr>("device"))
    return device.getValue().str();
  for (Value operand : op->getOperands())
    if (isa<host::StreamType>(operand.getType())) {
      StringRef device = host::devicesOf(operand).front();
      return device.empty() ? defaultDevice.str() : device.str();
    }
  return "";
}

static llvm::json::Array listOps(ModuleOp module) {
  llvm::json::Array list;
  device::GlobalOp defaultDevice = device::getDefaultDevice(module);
  for (auto func : module.getOps<host::FuncOp>()) {
    host::BindingTimes times(func);
    func.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<scf::YieldOp, scf::ConditionOp>(op) || op->hasTrait<OpTrait::ConstantLike>())
        return;
      llvm::json::Object entry{{"function", func.getSymName()},
                               {"op", op->getName().getStringRef()},
                               {"name", nameOf(op)},
                               {"binding", host::stringify(times.of(op))}};
      if (std::string device = deviceOf(op, defaultDevice ? defaultDevice.getSymName() : ""); !device.empty())
        entry["device"] = device;
      list.push_back(std::move(entry));
    });
  }
  return list;
}

FailureOr<std::string> mlir::heddle::buildReport(ModuleOp module, StringRef report) {
  auto parsed = llvm::json::parse(report);
  if (!parsed) {
    module.emitError() << "the compile report must be JSON, got: " << llvm::toString(parsed.takeError());
    return failure();
  }
  llvm::json::Object *object = parsed->getAsObject();
  if (!object) {
    module.emitError() << "the compile report must be a JSON object";
    return failure();
  }
  (*object)["host"] = listOps(module);
  std::string text;
  llvm::raw_string_ostream(text) << *parsed;
  return text;
}
