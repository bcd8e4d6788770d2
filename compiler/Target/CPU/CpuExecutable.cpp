// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Target/CPU/CpuExecutable.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::heddle;

device::ExecutableAttr cpu::makeExecutable(MLIRContext *context, StringRef format, StringRef cpu, StringRef features) {
  Builder builder(context);
  return device::ExecutableAttr::get(
      builder.getStringAttr(format),
      builder.getDictionaryAttr({builder.getNamedAttr("cpu", builder.getStringAttr(cpu)),
                                 builder.getNamedAttr("features", builder.getStringAttr(features))}));
}

static StringRef getString(device::ExecutableAttr target, StringRef key) {
  auto text = target.getConfig().getAs<StringAttr>(key);
  return text ? text.getValue() : "";
}

StringRef cpu::getCpu(device::ExecutableAttr target) { return getString(target, "cpu"); }

StringRef cpu::getFeatureList(device::ExecutableAttr target) { return getString(target, "features"); }
