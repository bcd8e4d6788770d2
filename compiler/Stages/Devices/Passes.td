#ifndef HEDDLE_DEVICES_PASSES
#define HEDDLE_DEVICES_PASSES

include "mlir/Pass/PassBase.td"

def AssignTargets : Pass<"devices-assign-targets", "::mlir::ModuleOp"> {
  let summary = "Turns the device flags into device.global ops";
  let description = [{
    A module without a `device.global` gets one for each flag, `@device_0`, `@device_1`, …; without flags the host CPU.
    With several processors, the runtime takes the code of the one that asks for most of what the machine has.
    A module that declares its devices is taken as it is; flags beside that are an error.
  }];
  let options = [
    ListOption<"targets", "targets", "std::string", "device specs, in order; known: local">,
    ListOption<"cpus", "cpu", "std::string", "processors of local devices, each [ARCHITECTURE:]CPU[+FEATURE]…; code is "
                                             "made for each. Without any: host">];
  let dependentDialects = ["::mlir::heddle::device::DeviceDialect"];
}

def VerifyDevices : Pass<"devices-verify", "::mlir::ModuleOp"> {
  let summary = "Checks that the drivers and executable formats of all devices are known";
}

#endif // HEDDLE_DEVICES_PASSES
