#ifndef HEDDLE_DEVICE_OPS
#define HEDDLE_DEVICE_OPS

include "compiler/Dialect/Device/IR/DeviceDialect.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/SymbolInterfaces.td"

class Device_Op<string mnemonic, list<Trait> traits = []> : Op<Device_Dialect, mnemonic, traits>;

def Device_GlobalOp : Device_Op<"global", [Symbol]> {
  let summary = "A device the program names";
  let description = [{
    ```mlir
    device.global @device_0 = #device.target<"local", ordinal = -1, [#device.executable<…>]>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Device_TargetAttr:$target);
  let assemblyFormat = "$sym_name `=` $target attr-dict";
}

#endif // HEDDLE_DEVICE_OPS
