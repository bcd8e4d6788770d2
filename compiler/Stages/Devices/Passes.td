#ifndef HEDDLE_DEVICES_PASSES
#define HEDDLE_DEVICES_PASSES

include "mlir/Pass/PassBase.td"

def AssignTargets : Pass<"devices-assign-targets", "::mlir::ModuleOp"> {
  let summary = "Turns the device flags into device.global ops";
  let description = [{
    A module without a `device.global` gets one for each flag, `@device_0`, `@device_1`, …; without flags the host CPU.
    A module that declares its devices is taken as it is; flags beside that are an error.
  }];
  let options = [
    ListOption<"targets", "targets", "std::string", "device specs, in order; known: local">,
    Option<"cpu", "cpu", "std::string", "\"host\"", "processor of local devices: host, or a name LLVM knows">];
  let dependentDialects = ["::mlir::heddle::device::DeviceDialect"];
}

def VerifyDevices : Pass<"devices-verify", "::mlir::ModuleOp"> {
  let summary = "Checks that the drivers and executable formats of all devices are known";
}

#endif // HEDDLE_DEVICES_PASSES
