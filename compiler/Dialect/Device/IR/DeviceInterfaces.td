// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_DEVICE_INTERFACES
#define HEDDLE_DEVICE_INTERFACES

include "mlir/IR/OpBase.td"

def Device_InitInterface : AttrInterface<"DeviceInitAttr"> {
  let cppNamespace = "::mlir::heddle::device";
  let description = [{
    What a `device.global` may be set to. A project downstream adds its own kind of selection by an attribute that
    implements it: nothing else of the compiler has to know the attribute, and after the stage `devices` it is gone.
  }];
  let methods = [InterfaceMethod<[{
    Appends, in the order of preference, what the device may turn out to be: #device.target, #device.ordinal,
    #device.fallback, and #device.alias as long as the aliases are not expanded. Never another selection.
  }], "void", "getAlternatives", (ins "::llvm::SmallVectorImpl<::mlir::Attribute> &":$alternatives)>];
}

#endif // HEDDLE_DEVICE_INTERFACES
