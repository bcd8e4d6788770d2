#ifndef HEDDLE_PLACE_PASSES
#define HEDDLE_PLACE_PASSES

include "mlir/Pass/PassBase.td"

def AssignAffinities : Pass<"place-assign-affinities", "::mlir::ModuleOp"> {
  let summary = "Gives every dispatch the device it runs on";
  let description = [{
    A dispatch with `heddle.affinity` keeps it; the others take the module's default device. An affinity that names no
    device is an error, and so are two different devices in one program: transfers between devices are not planned yet.
  }];
}

def VerifyPlace : Pass<"place-verify", "::mlir::ModuleOp"> {
  let summary = "Checks that every dispatch has one device and every crossing is a transfer";
}

#endif // HEDDLE_PLACE_PASSES
