#ifndef HEDDLE_DEVICE_DIALECT
#define HEDDLE_DEVICE_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "compiler/Dialect/Device/IR/DeviceInterfaces.td"

def Device_Dialect : Dialect {
  let name = "device";
  let cppNamespace = "::mlir::heddle::device";
  let summary = "Where: the devices a program names, and what belongs on them.";
  let description = [{
    After the stage `devices` a device is a symbol: a `device.global`. What it *is* (driver, executable formats) stands in
    its attribute and is asked only from `resolve` on, through a DeviceQuery.
  }];
  let useDefaultAttributePrinterParser = 1;
}

class Device_Attr<string name, string mnemonicName, list<Trait> traits = []>
    : AttrDef<Device_Dialect, name, traits> { let mnemonic = mnemonicName; }

// What a device.global may be set to.
class Device_InitAttr<string name, string mnemonicName>
    : Device_Attr<name, mnemonicName, [DeclareAttrInterfaceMethods<Device_InitInterface>]>;

def Device_ExecutableAttr : Device_Attr<"Executable", "executable"> {
  let summary = "A kind of code a device runs: its format, and what the format's target wants to know";
  let description = [{
    The dictionary belongs to the target that registered the format; nobody else reads it.

    `#device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>`, `#device.executable<"ptx", {arch = "sm_90"}>`
  }];
  let parameters = (ins "::mlir::StringAttr":$format, "::mlir::DictionaryAttr":$config);
  let builders = [AttrBuilderWithInferredContext<(ins "::mlir::StringAttr":$format, "::mlir::DictionaryAttr":$config), [{
    return $_get(format.getContext(), format, config);
  }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Device_TargetAttr : Device_InitAttr<"Target", "target"> {
  let summary = "A full description of a device: driver, what it must be, executables it can run";
  let description = [{
    `ordinal` counts the devices of the driver that match; without one it is any of them. The first executable that the
    device has the features for is what it runs.

    `#device.target<"cuda", {ordinal = 0}, [#device.executable<"ptx", {arch = "sm_90"}>]>`
  }];
  let parameters = (ins "::mlir::StringAttr":$driver, "::mlir::DictionaryAttr":$config,
                        OptionalArrayRefParameter<"ExecutableAttr">:$executables);
  let extraClassDeclaration = [{
    // -1: any.
    int64_t getOrdinal() const;
    static TargetAttr get(StringAttr driver, int64_t ordinal, ::llvm::ArrayRef<ExecutableAttr> executables);
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Device_AliasAttr : Device_InitAttr<"Alias", "alias"> {
  let summary = "A short name that a registered target expands";
  let description = [{
    The dictionary overrides the target's defaults.

    `#device.alias<"cuda"[0], {arch = ["sm_90"]}>`
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$ordinal, "::mlir::DictionaryAttr":$config);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Device_OrdinalAttr : Device_InitAttr<"Ordinal", "ordinal"> {
  let summary = "The N-th device given at run time, whatever it is";
  let description = [{ Code for it is made for every executable target that the module names. }];
  let parameters = (ins "int64_t":$ordinal);
  let assemblyFormat = "`<` $ordinal `>`";
  let genVerifyDecl = 1;
}

def Device_SelectAttr : Device_InitAttr<"Select", "select"> {
  let summary = "The first of these that exists at run time";
  let description = [{
    `#device.select<[#device.alias<"vulkan">, #device.fallback<@cpu>]>`
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::Attribute">:$devices);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Device_FallbackAttr : Device_InitAttr<"Fallback", "fallback"> {
  let summary = "The same device that another symbol got, not a second one of its kind";
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$device);
  let assemblyFormat = "`<` $device `>`";
}

def Device_AffinityAttr : Device_Attr<"Affinity", "affinity"> {
  let summary = "An op or value belongs on this device, and, where queues are named, on one of them";
  let description = [{ `#device.affinity<@gpu>`, `#device.affinity<@gpu, [0, 1]>`; queues are in increasing order. }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$device, OptionalArrayRefParameter<"int64_t">:$queues);
  let builders = [AttrBuilder<(ins "::mlir::FlatSymbolRefAttr":$device), [{
    return $_get($_ctxt, device, ::llvm::ArrayRef<int64_t>());
  }]>];
  let assemblyFormat = "`<` $device (`,` `[` $queues^ `]`)? `>`";
  let genVerifyDecl = 1;
}

#endif // HEDDLE_DEVICE_DIALECT
