// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_DEVICE_OPS
#define HEDDLE_DEVICE_OPS

include "compiler/Dialect/Device/IR/DeviceDialect.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/SymbolInterfaces.td"

class Device_Op<string mnemonic, list<Trait> traits = []> : Op<Device_Dialect, mnemonic, traits>;

def Device_GlobalOp : Device_Op<"global", [Symbol]> {
  let summary = "A device the program names";
  let description = [{
    Set to any attribute that implements DeviceInitAttr. After the stage `devices`: a #device.target, #device.ordinal,
    #device.fallback, or a #device.select of those.

    ```mlir
    device.global @cpu = #device.target<"local", [#device.executable<…>]>
    device.global @gpu = #device.select<[#device.alias<"vulkan">, #device.fallback<@cpu>]>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, AnyAttr:$device);
  let assemblyFormat = "$sym_name `=` $device attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    // In the order of preference; see DeviceInitAttr. At least one.
    ::llvm::SmallVector<::mlir::Attribute> getAlternatives();
  }];
}

#endif // HEDDLE_DEVICE_OPS
