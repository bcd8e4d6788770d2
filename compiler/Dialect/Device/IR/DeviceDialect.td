#ifndef HEDDLE_DEVICE_DIALECT
#define HEDDLE_DEVICE_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

def Device_Dialect : Dialect {
  let name = "device";
  let cppNamespace = "::mlir::heddle::device";
  let summary = "Where: the devices a program names, and what belongs on them.";
  let description = [{
    After the stage `devices` a device is a symbol: a `device.global`. What it *is* (driver, executable formats) stands in
    its attribute and is asked only from `resolve` on.
  }];
  let useDefaultAttributePrinterParser = 1;
}

class Device_Attr<string name, string mnemonicName> : AttrDef<Device_Dialect, name> { let mnemonic = mnemonicName; }

def Device_ExecutableAttr : Device_Attr<"Executable", "executable"> {
  let summary = "A kind of code a device runs: format and what it needs";
  let description = [{
    `cpu` is the name LLVM gives the processor level, `features` the CPU features beyond it, as LLVM spells them.

    `#device.executable<"elf-x86_64", cpu = "x86-64-v4", features = "">`
  }];
  let parameters = (ins "::mlir::StringAttr":$format, "::mlir::StringAttr":$cpu, "::mlir::StringAttr":$features);
  let assemblyFormat = "`<` $format `,` `cpu` `=` $cpu `,` `features` `=` $features `>`";
}

def Device_TargetAttr : Device_Attr<"Target", "target"> {
  let summary = "A full description of a device: runtime driver, ordinal (-1: any), executables it can run";
  let description = [{
    `#device.target<"local", ordinal = -1, [#device.executable<"elf-x86_64", cpu = "x86-64-v4", features = "">]>`
  }];
  let parameters = (ins "::mlir::StringAttr":$driver, "int64_t":$ordinal,
                        OptionalArrayRefParameter<"ExecutableAttr">:$executables);
  let assemblyFormat = "`<` $driver `,` `ordinal` `=` $ordinal `,` `[` (`]`) : ($executables^ `]`)? `>`";
  let genVerifyDecl = 1;
}

def Device_AffinityAttr : Device_Attr<"Affinity", "affinity"> {
  let summary = "An op or value belongs on this device";
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$device);
  let assemblyFormat = "`<` $device `>`";
}

#endif // HEDDLE_DEVICE_DIALECT
