// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_HOST_DIALECT
#define HEDDLE_HOST_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def Host_Dialect : Dialect {
  let name = "host";
  let cppNamespace = "::mlir::heddle::host";
  let summary = "Memory and order: the program that runs between kernels.";
  let description = [{
    Explicit buffers, streams, events, dispatches in destination form and communication; control flow is `scf`, sizes are
    `arith` on index values. Small, verified (`VerifyHost`), printable; `package` flattens it to the artifact's
    instructions, `heddle-opt --run-host` interprets it against fake kernels.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
}

class Host_Type<string name, string mnemonicName> : TypeDef<Host_Dialect, name> { let mnemonic = mnemonicName; }

def Host_Buffer : Host_Type<"Buffer", "buffer"> {
  let summary = "Bytes on a device, or a view of them";
}
def Host_Stream : Host_Type<"Stream", "stream"> {
  let summary = "An in-order queue of a device";
}
def Host_Event : Host_Type<"Event", "event"> {
  let summary = "A point on a stream's timeline";
}

class Host_Attr<string name, string mnemonicName> : AttrDef<Host_Dialect, name> { let mnemonic = mnemonicName; }

def Host_ValueAttr : Host_Attr<"Value", "value"> {
  let summary = "An argument or result of an entry point as the model's author knows it";
  let description = [{
    `dims` has one string for each dimension: the name of a dynamic one, "" for a static one or one that has no name.
    `device` is where its buffer lies, the module's default device if absent. `state`: it is the value of this
    `flow.global` when the call begins, or ends. `donated`, of an argument: the result of this index lies in its memory.
    The program may write what is donated, and state that is a result, too. `default`, of an argument of fixed sizes: its
    value where the caller leaves it out. `sharding`: it is this rank's part of a whole (`#flow.sharding`); without one,
    each rank has its own.

    `#host.value<"input_ids", tensor<?x?xi64>, ["batch", "seq"]>`, `#host.value<"y", tensor<4xf32>, [""], @gpu>`,
    `#host.value<"n", tensor<i64>, [] state(@n)>`, `#host.value<"x", tensor<4xf32>, [""] donated(0 : i64)>`,
    `#host.value<"k", tensor<2xf32>, [""] default(dense<[1.0, 2.0]> : tensor<2xf32>)>`,
    `#host.value<"x", tensor<4xf32>, [""] sharding(#flow.sharding<@m, [["x"]]>)>`
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "::mlir::RankedTensorType":$type, "::mlir::ArrayAttr":$dims,
                        OptionalParameter<"::mlir::FlatSymbolRefAttr">:$device,
                        OptionalParameter<"::mlir::FlatSymbolRefAttr">:$state,
                        OptionalParameter<"::mlir::IntegerAttr">:$donated,
                        OptionalParameter<"::mlir::DenseElementsAttr">:$defaultValue,
                        OptionalParameter<"::mlir::Attribute">:$sharding);
  let assemblyFormat = [{
    `<` $name `,` $type `,` $dims (`,` $device^)? (`state` `(` $state^ `)`)? (`donated` `(` $donated^ `)`)?
    (`default` `(` $defaultValue^ `)`)? (`sharding` `(` $sharding^ `)`)? `>`
  }];
}

def Host_IntervalAttr : Host_Attr<"Interval", "interval"> {
  let summary = "The life of a planned buffer: indices of its first and last use in program order, both included";
  let parameters = (ins "uint32_t":$first, "uint32_t":$last);
  let assemblyFormat = "`<` $first `,` $last `>`";
}

#endif // HEDDLE_HOST_DIALECT
