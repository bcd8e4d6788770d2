// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_ENCODING_DIALECT
#define HEDDLE_ENCODING_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/TensorEncoding.td"

def Encoding_Dialect : Dialect {
  let name = "encoding";
  let cppNamespace = "::mlir::heddle::encoding";
  let summary = "How laid out: what a tensor is laid out for, and the layouts devices choose.";
  let description = [{
    An encoding stands in a tensor's type: `tensor<64x32xf32, #encoding.contraction<…>>`. Abstract ones say what the
    value is used for; `resolve` replaces each by what its device chose: a layout, or the identity. Equal attributes
    mean equal bytes. What may touch an encoded type: docs/design/encoding.md.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = "void registerAttributes();";
}

class Encoding_Attr<string name, string mnemonicName, list<Trait> traits = []>
    : AttrDef<Encoding_Dialect, name, traits> { let mnemonic = mnemonicName; }

def Encoding_ContractionAttr : Encoding_Attr<"Contraction", "contraction",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "Abstract: an operand or the result of a contraction, with all a resolver needs to choose";
  let description = [{
    `types`, and `maps` from the loops to each tensor's dimensions, stand for lhs, rhs and acc in that order; `sizes` are
    the loops' trip counts, `?` if not known. Batch dimensions, transposes and broadcasts are in the maps. `constant`:
    this operand is known at compile time, so laying it out costs nothing per call.

    ```mlir
    #encoding.contraction<role = rhs, types = [f32, f32, f32],
        maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
        sizes = [?, 64, 32], constant>
    ```
  }];
  let parameters = (ins "::mlir::heddle::encoding::Role":$role, ArrayRefParameter<"::mlir::Type">:$types,
                        ArrayRefParameter<"::mlir::AffineMap">:$maps, ArrayRefParameter<"int64_t">:$sizes,
                        DefaultValuedParameter<"bool", "false">:$constant);
  let assemblyFormat = [{
    `<` `role` `=` $role `,` `types` `=` `[` $types `]` `,` `maps` `=` `[` custom<Maps>($maps) `]` `,`
    `sizes` `=` `[` custom<Sizes>($sizes) `]` `` custom<Constant>($constant) `` `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    // The map and element type of the tensor that has this encoding.
    ::mlir::AffineMap getOperandMap() { return getMaps()[static_cast<unsigned>(getRole())]; }
    ::mlir::Type getOperandElementType() { return getTypes()[static_cast<unsigned>(getRole())]; }
  }];
}

def Encoding_ConvolutionAttr : Encoding_Attr<"Convolution", "convolution",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "Abstract: an operand or the result of a convolution, with all a resolver needs to choose";
  let description = [{
    As a contraction, for input, filter and result in that order. The input's map has the window: stride times position
    plus dilation times tap. The others are projected permutations.

    ```mlir
    #encoding.convolution<role = filter, types = [f32, f32, f32],
        maps = [affine_map<(n, o, f, k, c) -> (n, o * 2 + k, c)>, affine_map<(n, o, f, k, c) -> (k, c, f)>,
                affine_map<(n, o, f, k, c) -> (n, o, f)>], sizes = [?, 28, 64, 3, 32], constant>
    ```
  }];
  let parameters = (ins "::mlir::heddle::encoding::ConvolutionRole":$role, ArrayRefParameter<"::mlir::Type">:$types,
                        ArrayRefParameter<"::mlir::AffineMap">:$maps, ArrayRefParameter<"int64_t">:$sizes,
                        DefaultValuedParameter<"bool", "false">:$constant);
  let assemblyFormat = [{
    `<` `role` `=` $role `,` `types` `=` `[` $types `]` `,` `maps` `=` `[` custom<Maps>($maps) `]` `,`
    `sizes` `=` `[` custom<Sizes>($sizes) `]` `` custom<Constant>($constant) `` `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    // The map and element type of the tensor that has this encoding.
    ::mlir::AffineMap getOperandMap() { return getMaps()[static_cast<unsigned>(getRole())]; }
    ::mlir::Type getOperandElementType() { return getTypes()[static_cast<unsigned>(getRole())]; }
  }];
}

def Encoding_QuantizedAttr : Encoding_Attr<"Quantized", "quantized",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "Abstract: what is stored of quantised weights, constant operands of a product that decodes them";
  let description = [{
    `role` is which operand it is: `codes`, `scales` or `zeros`. `code` is the type of the codes, those of at most 4 bits
    stand two in a byte. The tensor's last dimension are the product's columns, those before it are summed along. All
    operands of a product are laid out alike along the columns; laying them out costs nothing per call. `grouped`: sums
    take neighbours along the dimension before the columns together, as dot products of bytes do.

    `#encoding.quantized<role = codes, code = ui4, grouped>`
  }];
  let parameters = (ins "::mlir::heddle::encoding::QuantizedRole":$role, "::mlir::Type":$code,
                        DefaultValuedParameter<"bool", "false">:$grouped);
  let assemblyFormat = "`<` `role` `=` $role `,` `code` `=` $code `` custom<Grouped>($grouped) `` `>`";
  let genVerifyDecl = 1;
}

def Encoding_LayoutAttr : Encoding_Attr<"Layout", "layout",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "Resolved: the order of bytes";
  let description = [{
    As `linalg.pack`: dimensions `inner_dims` are cut into tiles of `inner_tiles` elements, padded at the end; the tiles'
    dimensions stand innermost, in the order of `inner_dims` permuted by `swizzle`; the outer ones in the order `perm`.

    `#encoding.layout<perm = [1, 0], inner_dims = [1, 0], inner_tiles = [16, 1], swizzle = [0, 1]>`
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$perm, OptionalArrayRefParameter<"int64_t">:$inner_dims,
                        OptionalArrayRefParameter<"int64_t">:$inner_tiles,
                        OptionalArrayRefParameter<"int64_t">:$swizzle);
  let assemblyFormat = [{
    `<` `perm` `=` `[` $perm `]` `,` `inner_dims` `=` `[` (`]`) : ($inner_dims^ `]`)? `,`
    `inner_tiles` `=` `[` (`]`) : ($inner_tiles^ `]`)? `,` `swizzle` `=` `[` (`]`) : ($swizzle^ `]`)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    // The tile of a dimension of the tensor, 1 where it has none: slices of the value are made of whole ones.
    int64_t getGranule(int64_t dimension);
  }];
}

def Encoding_IdentityAttr : Encoding_Attr<"Identity", "identity"> {
  let summary = "Resolved: plain row-major";
}

def Encoding_ByDeviceAttr : Encoding_Attr<"ByDevice", "by_device",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "Resolved: one layout for each alternative of a device, known when the device is";
  let description = [{
    The n-th entry is the layout when `device` resolved to its n-th alternative. Where all agree, the layout itself is
    used instead.

    `#encoding.by_device<@gpu, [#encoding.layout<…>, #encoding.identity]>`
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$device, ArrayRefParameter<"::mlir::Attribute">:$layouts);
  let assemblyFormat = "`<` $device `,` `[` $layouts `]` `>`";
  let genVerifyDecl = 1;
}

def Encoding_ByTargetAttr : Encoding_Attr<"ByTarget", "by_target",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "Resolved: one layout for each executable target, inside an executable";
  let description = [{
    A `flow.executable` is one function for several targets; what its dispatches pass is laid out as the target they run
    on likes it. The n-th entry is the layout in the variant for the n-th target. Where all agree, the layout itself is
    used instead. `codegen` takes each variant's own.

    `#encoding.by_target<[#device.executable<…>, #device.executable<…>], [#encoding.layout<…>, #encoding.identity]>`
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::Attribute">:$targets,
                        ArrayRefParameter<"::mlir::Attribute">:$layouts);
  let assemblyFormat = "`<` `[` $targets `]` `,` `[` $layouts `]` `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    // Null where the target is not among them.
    ::mlir::Attribute getLayout(::mlir::Attribute target);
  }];
}

#endif // HEDDLE_ENCODING_DIALECT
