// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points as callables. All here needs the GIL, which is given up while the runtime works: it is what guards the
// lists below, so any number of threads may call one entry point, each call on an invocation of its own.
#ifndef HEDDLE_PYTHON_CALLS_H
#define HEDDLE_PYTHON_CALLS_H

#include "Tensors.h"
#include "heddle/ranks.h"

#include <memory>
#include <vector>

namespace heddle::python {

// What one call at a time uses; reused by later ones.
struct Frame {
  explicit Frame(const Module &module, uint32_t entryPoint);
  ~Frame();
  Frame(const Frame &) = delete;
  // Views of what is given as tensors, behind all else.
  void fillViews(uint32_t resultDevice);
  heddle_status *call();
  heddle_status *start(std::span<heddle_event *const> waits, heddle_event **done);

  heddle_invocation *invocation = nullptr;
  std::vector<heddle_tensor> arguments, results;
  std::vector<nanobind::object> given;   // by argument: what the caller gave
  std::vector<nanobind::object> kept;    // by argument: what owns the memory, where that is something else
  std::vector<nanobind::object> storage; // by result: the caller's array, or invalid
  // A call in which some tensor is a heddle.Tensor is one of views: of those here, and of the others as tensors. Their
  // buffers are those of `given`, `kept` and `storage`.
  bool hasViews = false;
  std::vector<heddle_view> argumentViews, resultViews;
  nanobind::object state; // a ModuleState that the invocation is set to, or invalid: the module's own
  uint64_t timeoutNs = 0; // that the invocation is set to
};

// What a module keeps between calls, apart from the module's own one.
struct ModuleState {
  explicit ModuleState(Module of) : module(std::move(of)), state(module) {}
  Module module;
  State state;
};

// Waits for the calls that were made before, without the GIL.
void resetState(heddle_state *state);

class Function {
public:
  Function(Module module, uint32_t index);
  Function(const Function &) = delete;

  // module(*arguments, out=, on=, timeout=, state=, **by_name), or module({name: argument}, out=, …): results as the
  // Python page says. Blocks without the GIL. Arguments that do not fit are refused on all ranks.
  nanobind::object call(const nanobind::args &arguments, const nanobind::kwargs &named);

  // A frame with arguments and storage filled in from what a caller gave; `named` may have options of `start` only
  // where `after` is not null, which then gets its value or None.
  std::unique_ptr<Frame> prepare(const nanobind::args &arguments, const nanobind::kwargs &named,
                                 nanobind::object *after = nullptr);
  // In place of a call that this rank cannot make: those of the others fail with it, and the next ones work.
  void refuse(const std::string &why);
  // The same in place of a call that would be started: returns at once, and the others are told in this rank's turn.
  void startRefusal(const std::string &why);
  // Whether calls take it as an option, not as an argument.
  bool isOption(nanobind::handle key, bool start) const;
  // The results of a call that ended well: one array, or a tuple of none or several.
  nanobind::object collect(Frame &frame);
  // Lets go of arguments and results, and keeps the rest for the next call.
  void recycle(std::unique_ptr<Frame> frame);

  // Of the last call that ended, on any thread: heddle_statistics::boundary_bytes.
  uint64_t boundaryBytes() const { return statistics().boundary_bytes; }
  heddle_statistics statistics() const;
  const heddle_entry_point_info &info() const { return *info_; }
  const Module &module() const { return module_; }
  uint32_t index() const { return index_; }

private:
  struct Options;
  nanobind::object collectView(Frame &frame, uint32_t index);
  bool readView(Frame &frame, uint32_t index) const;
  void setState(Frame &frame, nanobind::handle state) const;
  bool takeOption(nanobind::handle key, nanobind::handle value, Options &options) const;
  void bind(Frame &frame, const nanobind::args &arguments, const nanobind::kwargs &named, Options &options) const;
  void readStorages(Frame &frame, nanobind::handle out) const;
  std::unique_ptr<Frame> takeFrame();
  [[noreturn]] void refuseName(nanobind::handle key, bool areOptions) const;
  [[noreturn]] void refuseClash(nanobind::handle key) const;
  [[noreturn]] void refuseCount(const Frame &frame, size_t got) const;

  Module module_;
  uint32_t index_;
  const heddle_entry_point_info *info_;
  nanobind::dict positions_;        // name of an argument → its index
  bool hasState_ = false;           // the module keeps something between calls
  bool meets_ = false;              // the module is one of several ranks
  std::vector<uint32_t> donations_; // by argument: the result in its memory, or HEDDLE_NO_RESULT
  std::vector<uint32_t> donors_;    // by result: the argument in whose memory it lies, or HEDDLE_NO_RESULT
  std::vector<std::unique_ptr<Frame>> idle_;
  struct Refusal {
    std::unique_ptr<Frame> frame;
    Event told;
  };
  std::vector<Refusal> refusals_; // that the other ranks may not have heard of yet
};

} // namespace heddle::python

#endif // HEDDLE_PYTHON_CALLS_H
