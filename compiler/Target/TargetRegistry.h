// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kinds of executable targets: each is a folder compiler/Target/X with a subclass of Target and one function that
// registers it (called by compiler/Pipelines/Registration.cpp). Nothing else names a target: stages ask for the one
// that handles an executable's format.
//
//   FailureOr<const Target *> target = getTarget(op, executable);   // a diagnostic at `op` where none handles it
//   (*target)->buildPipeline(pm, options);
//
// Registered at the start of a process, then read by any thread. Targets live until the process ends.
#ifndef HEDDLE_COMPILER_TARGET_TARGETREGISTRY_H
#define HEDDLE_COMPILER_TARGET_TARGETREGISTRY_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Encoding/IR/LayoutResolver.h"
#include "compiler/Dialect/Flow/IR/Overwrites.h"
#include "compiler/Target/Forms/FormModel.h"
#include "compiler/Target/Forms/TargetFact.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::heddle {

// A short name of a device, `--target-device=NAME`.
struct DeviceAlias {
  std::string name, summary; // "local"; "processors of the machine that runs the artifact"
};

// What stands beside an alias: `cuda[0]{arch=sm_90}`.
struct AliasOptions {
  int64_t ordinal = -1;  // which device of its driver; -1: any
  DictionaryAttr config; // what the braces say; every key is one of the target's getOptions()
};

struct CodegenOptions {
  unsigned optLevel = 2; // LLVM's, 0 to 3, where a target uses LLVM
};

// What queues of a device cost that share its units, for the strategy that puts independent branches of a program side
// by side (place-overlap-branches; BranchPlan.h has the model). docs/design/branches.md says how it was measured.
struct QueueCosts {
  unsigned units = 1, queues = 1;    // where nobody states how many units a device has, and for more of them
  double gflops = 1, memoryGbps = 1; // of one unit: 10^9 operations, 10^9 bytes a second
  uint64_t launchNs = 0;             // of a dispatch
  uint64_t spreadNs = 0;             // of a dispatch on several units: handing it out, and waiting for the last
  double spreadGbps = 0;             // at which its operands come to each further unit; 0: no matter
  uint64_t handOverNs = 0;           // until another queue begins
  uint64_t joinNs = 0;               // of waiting for another queue
  uint64_t queuedNs = 0;             // of every dispatch of a program that uses several
  uint64_t leastGainNs = 0;          // below which a gain is not sure
  double leastOfProgram = 0;         // the same, of the whole program's time
  uint64_t workgroupFlops = 0, workgroupBytes = 0; // computed and written: what a workgroup has at least
};

// What decides between a convolution of a 3x3 window as it is and by fewer products (compiler/Analysis/Winograd.h), in
// multiply-adds of its products.
struct WinogradCosts {
  // Of each place of a channel's tile: to transform the operand, and the products back.
  double input = 0, output = 0;
  // A product of fewer rows takes as long as one of so many: the weights' way from memory.
  int64_t leastRows = 1;
  // The largest part of the convolution's own cost for which it pays; and of the cost of tiles of 2 for which tiles of
  // 4 do, whose errors are larger.
  double most = 1, mostOfSmall = 1;
};

class Target {
public:
  virtual ~Target() = default;

  // The folder's name in lower case: "cpu".
  virtual StringRef getName() const = 0;

  // Executable formats it makes code in, for people: "elf-x86_64, elf-aarch64".
  virtual std::string listFormats() const = 0;
  virtual bool handles(StringRef format) const = 0;

  virtual ArrayRef<DeviceAlias> getAliases() const = 0;
  // Keys that its aliases take in braces: "cpu". An alias with another key is refused before the target sees it.
  virtual ArrayRef<StringRef> getOptions() const { return {}; }
  // What one of its aliases stands for; the driver is called like the alias. Emits an error at `op` where the options
  // name nothing.
  virtual FailureOr<device::TargetAttr> expandAlias(Operation *op, StringRef alias,
                                                    const AliasOptions &options) const = 0;

  // "elf_x86_64_x86_64_v4": a symbol for what runs on the target. Equal only for equal executable targets.
  virtual std::string getVariantName(device::ExecutableAttr executable) const = 0;
  // The target for people, much as it was asked for: "x86-64-v3".
  virtual std::string spell(device::ExecutableAttr executable) const = 0;
  // Strings: what a device must have to run a variant, in the words of runtime/match. Null: each
  // program says itself what its code needs, by the attribute `kernel.features` when it is compiled.
  virtual ArrayAttr getRequiredFeatures(device::ExecutableAttr executable) const = 0;
  // The symbol under which the driver finds the kernel in a variant's object.
  virtual StringRef getEntryPoint() const { return "kernel"; }

  // Which forms of ops its kernels run faster, as importers ask.
  virtual FormModel getFormModel() const { return {}; }

  // "" when the executable target's dictionary is such as code can be made for; else what is wrong: "workgroup is …".
  virtual std::string explainInvalid(device::ExecutableAttr) const { return ""; }

  // The layouts its kernels read best. Fails with a diagnostic at `op`.
  virtual FailureOr<std::unique_ptr<encoding::LayoutResolver>>
  createLayoutResolver(Operation *op, device::ExecutableAttr executable) const = 0;

  // "" when `function`, that of an executable on tensors with resolved layouts, can be compiled; else why not, a clause
  // that begins with what is in the way: "tensor.scatter is …". Pure and cheap: asked before any code is generated.
  virtual std::string explainUnsupported(func::FuncOp function, device::ExecutableAttr executable) const = 0;

  // None where nothing is known, with a diagnostic at `op` where no code can be made for the executable target.
  virtual std::vector<TargetFact> getFacts(Operation * /*op*/, device::ExecutableAttr) const { return {}; }

  // Whether each unit of its devices works on several workgroups at the same time: parts of a reduction are smaller,
  // and more, as the device says how many.
  virtual bool sharesUnits() const { return false; }

  // None where nothing is known, or queues of one device gain nothing.
  virtual std::optional<QueueCosts> getQueueCosts() const { return std::nullopt; }

  // Pairs of an operand and a result of `function` (as above) that may be one memory: its kernels read what they
  // overwrite before. To be held to by `flow.overwrites` (Overwrites.h). None where nothing is known.
  virtual SmallVector<flow::Overwrite> findOverwrites(func::FuncOp, device::ExecutableAttr) const { return {}; }

  // Executable targets that say more of a device than `executable` does, and for which code for `function` (as above)
  // may be better. Each gets a variant beside that of `executable`, which requires of a device what is said; of those
  // that a device can run, the one with most features is loaded. A pipeline that finds that such code gains nothing
  // erases
  // @kernel, and there is no variant.
  virtual SmallVector<device::ExecutableAttr> getRefinements(func::FuncOp, device::ExecutableAttr) const { return {}; }

  // None: its kernels compute convolutions as they are.
  virtual std::optional<WinogradCosts> getWinogradCosts() const { return std::nullopt; }

  // Passes on kernel.program: from the function @kernel on tensors to `object`, @workgroups and @scratch; of a target
  // that shares code to @kernel in the LLVM dialect, of which the passes of buildEmission make `object`.
  virtual void buildPipeline(OpPassManager &pm, const CodegenOptions &options) const = 0;
  // What comes after codegen-share-code: for each program that stands for others, `kernel.objects`.
  virtual void buildEmission(OpPassManager &, const CodegenOptions &) const {}
};

// Once for each target, before any thread asks. Two targets handle no format in common and share no alias.
void registerTarget(std::unique_ptr<Target> target);

// In the order of registration.
std::vector<const Target *> getTargets();

// Null where no target handles the format.
const Target *findTarget(StringRef format);
// Null where no target has the alias.
const Target *findTargetOfAlias(StringRef alias);

// Emits an error at `op` where no target handles the executable's format, or its target finds it invalid.
FailureOr<const Target *> getTarget(Operation *op, device::ExecutableAttr executable);

// All of them, for errors and help: "local, vulkan"; "elf-x86_64, spirv".
std::string listAliases();
std::string listFormats();

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_TARGET_TARGETREGISTRY_H
