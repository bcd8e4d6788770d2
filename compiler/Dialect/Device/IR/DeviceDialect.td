// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    // On the module: what flags or its author ask for, in the order given: an array of what a device can be, or of
    // #device.named; or a dictionary of names. The stage `devices` makes a device.global of each.
    static constexpr ::llvm::StringLiteral kTargetsAttr = "device.targets";
    // On the module: the device of everything without an affinity: #device.affinity; before `devices` also a name
    // (string, promise) or a position (integer).
    static constexpr ::llvm::StringLiteral kDefaultAttr = "device.default";
    // On the module: #device.topology.
    static constexpr ::llvm::StringLiteral kTopologyAttr = "device.topology";
  }];
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

def Device_PromiseAttr : Device_Attr<"Promise", "promise"> {
  let summary = "The affinity to a device of this name, written before any is declared";
  let description = [{ Importers and users write it; the stage `devices` makes it a #device.affinity. }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$device, OptionalArrayRefParameter<"int64_t">:$queues);
  let assemblyFormat = "`<` $device (`,` `[` $queues^ `]`)? `>`";
  let genVerifyDecl = 1;
}

def Device_OptimalAttr : Device_Attr<"Optimal", "optimal"> {
  let summary = "Any one of these affinities: the compiler picks, and reports why";
  let parameters = (ins ArrayRefParameter<"::mlir::Attribute">:$affinities);
  let assemblyFormat = "`<` `[` $affinities `]` `>`";
  let genVerifyDecl = 1;
}

def Device_NamedAttr : Device_Attr<"Named", "named"> {
  let summary = "What a device can be, and the name it is to have";
  let description = [{ `#device.named<"gpu", #device.alias<"vulkan">>` }];
  let parameters = (ins "::mlir::StringAttr":$name, "::mlir::Attribute":$device);
  let assemblyFormat = "`<` $name `,` $device `>`";
  let genVerifyDecl = 1;
}

def Device_LinkAttr : Device_Attr<"Link", "link"> {
  let summary = "What one device's memory is to another, in one direction";
  let description = [{
    `unified`: the device `to` uses buffers of `from` in place. `transparent`: it can, but a copy is faster. Without
    either, data is copied. `bandwidth_gbps` (10^9 bytes a second) and `latency_us` are what a copy costs.

    `#device.link<@gpu -> @cpu, {unified, bandwidth_gbps = 25, latency_us = 10}>`
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$from, "::mlir::FlatSymbolRefAttr":$to,
                        "::mlir::DictionaryAttr":$config);
  let extraClassDeclaration = [{
    bool isUnified() const { return getConfig().contains("unified"); }
    bool isTransparent() const { return getConfig().contains("transparent"); }
    // None where the topology does not say.
    std::optional<double> getBandwidth() const; // bytes a second
    std::optional<double> getLatency() const;   // seconds
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Device_TopologyAttr : Device_Attr<"Topology", "topology"> {
  let summary = "The links between the devices; a missing one means that nothing is shared";
  let description = [{
    A device is unified with itself, without a link. Two ordinals of one kind are two devices. Each direction has one
    link. Code asks a Topology (Topology.h).
  }];
  let parameters = (ins OptionalArrayRefParameter<"LinkAttr">:$links);
  let assemblyFormat = "`<` `[` (`]`) : ($links^ `]`)? `>`";
  let genVerifyDecl = 1;
}

#endif // HEDDLE_DEVICE_DIALECT
