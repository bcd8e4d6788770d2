// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipelines/FormModelOf.h"

#include "compiler/Stages/Devices/DeviceFlags.h"
#include "compiler/Target/TargetRegistry.h"

using namespace mlir;
using namespace mlir::heddle;

static FormModel formsOf(ArrayRef<DeviceFlag> targetDevices) {
  auto isOf = [](const DeviceSpec &spec, const Target &target) {
    if (spec.kind == DeviceSpec::Alias)
      return llvm::any_of(target.getAliases(), [&](const DeviceAlias &alias) { return alias.name == spec.text; });
    SmallVector<StringRef> words; // those in quotes: the driver's name, formats
    StringRef(spec.text).split(words, '"');
    return spec.kind == DeviceSpec::Attribute &&
           llvm::any_of(words, [&](StringRef word) { return target.handles(word); });
  };
  std::optional<FormModel> forms;
  for (const DeviceFlag &flag : targetDevices)
    for (const DeviceSpec &spec : flag.specs)
      for (const Target *target : getTargets())
        if (isOf(spec, *target)) {
          FormModel asked = target->getFormModel();
          asked.shortRows |= forms && forms->shortRows;
          if (forms)
            forms->shortRows = asked.shortRows;
          else
            forms = asked;
        }
  return forms.value_or(FormModel());
}

FormModel mlir::heddle::formModelOf(const CompileOptions &options) {
  using Rounding = FormModel::Rounding;
  FormModel forms = formsOf(options.devices.targets);
  if (options.code.strictFloat)
    forms.rounding = Rounding::Never;
  else if (options.code.roundActivations && forms.rounding == Rounding::Allowed)
    forms.rounding = Rounding::Always;
  return forms;
}
