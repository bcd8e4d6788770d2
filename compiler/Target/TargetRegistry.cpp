// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Target/TargetRegistry.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::heddle;

static std::vector<std::unique_ptr<Target>> &registered() {
  static std::vector<std::unique_ptr<Target>> targets;
  return targets;
}

void mlir::heddle::registerTarget(std::unique_ptr<Target> target) { registered().push_back(std::move(target)); }

std::vector<const Target *> mlir::heddle::getTargets() {
  std::vector<const Target *> targets;
  for (const std::unique_ptr<Target> &target : registered())
    targets.push_back(target.get());
  return targets;
}

const Target *mlir::heddle::findTarget(StringRef format) {
  for (const std::unique_ptr<Target> &target : registered())
    if (target->handles(format))
      return target.get();
  return nullptr;
}

const Target *mlir::heddle::findTargetOfAlias(StringRef alias) {
  for (const std::unique_ptr<Target> &target : registered())
    for (const DeviceAlias &known : target->getAliases())
      if (known.name == alias)
        return target.get();
  return nullptr;
}

FailureOr<const Target *> mlir::heddle::getTarget(Operation *op, device::ExecutableAttr executable) {
  if (const Target *target = findTarget(executable.getFormat().getValue())) {
    if (std::string why = target->explainInvalid(executable); !why.empty())
      return op->emitError() << executable << ": " << why;
    return target;
  }
  return op->emitError() << "unknown executable format '" << executable.getFormat().getValue()
                         << "'; known: " << listFormats();
}

std::string mlir::heddle::listAliases() {
  SmallVector<std::string> names;
  for (const std::unique_ptr<Target> &target : registered())
    for (const DeviceAlias &alias : target->getAliases())
      names.push_back(alias.name);
  return llvm::join(names, ", ");
}

std::string mlir::heddle::listFormats() {
  SmallVector<std::string> formats;
  for (const std::unique_ptr<Target> &target : registered())
    formats.push_back(target->listFormats());
  return llvm::join(formats, ", ");
}
