#ifndef HEDDLE_PLACE_PASSES
#define HEDDLE_PLACE_PASSES

include "mlir/Pass/PassBase.td"

def AssignAffinities : Pass<"place-assign-affinities", "::mlir::ModuleOp"> {
  let summary = "Gives every dispatch the device it runs on";
  let description = [{
    A dispatch with `heddle.affinity` keeps it; the others take the module's default device. `place-verify` refuses an
    affinity that names no device and a crossing without a transfer; `schedule` refuses a second device.
  }];
}

def VerifyPlace : Pass<"place-verify", "::mlir::ModuleOp"> {
  let summary = "Checks that every dispatch has one device and every crossing is a transfer";
}

#endif // HEDDLE_PLACE_PASSES
