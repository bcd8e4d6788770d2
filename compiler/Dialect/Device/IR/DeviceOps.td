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

def Device_MeshOp : Device_Op<"mesh", [Symbol]> {
  let summary = "An array of ranks that run this program together";
  let description = [{
    A rank is one member of the program, on the device named (the default one without). Its coordinates are those of its
    number, from the mesh's first rank `at` on (0 without), in row-major order: the first axis is the slowest. A size of
    `?` is known when the module is loaded. A program may have several meshes; they are parts of one world.

    ```mlir
    device.mesh @m = [x = 8, y = ?] of @gpu
    device.mesh @tail = [stage = 4] at 16 of @gpu
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$axes, DenseI64ArrayAttr:$sizes,
                       DefaultValuedAttr<I64Attr, "0">:$first, OptionalAttr<FlatSymbolRefAttr>:$device);
  let assemblyFormat = "$sym_name `=` custom<Axes>($axes, $sizes) (`at` $first^)? (`of` $device^)? attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    // The size of an axis that is known only when the module is loaded.
    static constexpr int64_t kFree = -1;
    // The place of an axis; none: no axis has the name.
    std::optional<unsigned> findAxis(::llvm::StringRef name);
    // Of a known axis; kFree: known only when the module is loaded.
    int64_t getSize(::llvm::StringRef axis) { return getSizes()[*findAxis(axis)]; }
    // How many ranks; kFree where a size is.
    int64_t getNumRanks();
    // "[x = 8, y = ?]": for messages.
    std::string describe();
  }];
}

#endif // HEDDLE_DEVICE_OPS
