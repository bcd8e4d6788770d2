// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Calls.h"

#include "Interrupts.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nb = nanobind;

namespace heddle::python {
namespace {

// Seconds as a caller gives them; 0: no limit.
uint64_t nanoseconds(nb::handle timeout) {
  if (timeout.is_none())
    return 0;
  double seconds = PyFloat_AsDouble(timeout.ptr());
  if (seconds == -1.0 && PyErr_Occurred())
    throw nb::python_error();
  if (!(seconds > 0))
    invalid("timeout is in seconds and positive, or None, got " + std::string(nb::str(timeout).c_str()));
  return seconds > 1e9 ? 0 : std::max<uint64_t>(1, static_cast<uint64_t>(std::ceil(seconds * 1e9)));
}

bool overlap(const heddle_tensor &a, const heddle_tensor &b) {
  auto *x = static_cast<const char *>(a.data), *y = static_cast<const char *>(b.data);
  return x < y + b.bytes && y < x + a.bytes;
}

} // namespace

Frame::Frame(const Module &module, uint32_t entryPoint) {
  const heddle_entry_point_info &info = module.entryPoint(entryPoint);
  arguments.resize(info.argument_count);
  given.resize(info.argument_count);
  kept.resize(info.argument_count);
  results.resize(info.result_count);
  storage.resize(info.result_count);
  argumentViews.resize(info.argument_count);
  resultViews.resize(info.result_count);
  check(heddle_invocation_create(module.raw(), entryPoint, &invocation));
}

Frame::~Frame() {
  for (heddle_tensor &result : results)
    heddle_tensor_reset(&result);
  heddle_invocation_release(invocation);
}

static heddle_view viewOf(const heddle_tensor &tensor) {
  heddle_view view{};
  view.data = tensor.data;
  view.bytes = tensor.bytes;
  view.type = tensor.type;
  view.rank = tensor.rank;
  std::copy_n(tensor.dims, HEDDLE_MAX_RANK, view.dims);
  return view;
}

void Frame::fillViews(uint32_t resultDevice) {
  for (size_t i = 0; i < arguments.size(); ++i)
    if (!argumentViews[i].buffer)
      argumentViews[i] = viewOf(arguments[i]);
  for (size_t i = 0; i < results.size(); ++i)
    if (!resultViews[i].buffer) {
      resultViews[i] = viewOf(results[i]);
      resultViews[i].device = resultDevice;
    }
}

heddle_status *Frame::call() {
  auto argumentCount = static_cast<uint32_t>(arguments.size()), resultCount = static_cast<uint32_t>(results.size());
  if (hasViews)
    return heddle_invocation_call_views(invocation, argumentViews.data(), argumentCount, resultViews.data(),
                                        resultCount);
  return heddle_invocation_call(invocation, arguments.data(), argumentCount, results.data(), resultCount);
}

heddle_status *Frame::start(std::span<heddle_event *const> waits, heddle_event **done) {
  auto argumentCount = static_cast<uint32_t>(arguments.size()), resultCount = static_cast<uint32_t>(results.size());
  auto waitCount = static_cast<uint32_t>(waits.size());
  if (!hasViews)
    return heddle_invocation_start(invocation, arguments.data(), argumentCount, results.data(), resultCount,
                                   waits.data(), waitCount, nullptr, done);
  heddle_start_options options{};
  options.struct_size = sizeof(options);
  options.events = waits.data();
  options.event_count = waitCount;
  return heddle_invocation_start_views(invocation, argumentViews.data(), argumentCount, resultViews.data(), resultCount,
                                       &options, done);
}

struct Function::Options {
  nb::handle out = Py_None, on = Py_None, timeout = Py_None, after = Py_None, state = Py_None;
  bool start = false;
};

Function::Function(Module module, uint32_t index)
    : module_(std::move(module)), index_(index), info_(&module_.entryPoint(index)) {
  for (uint32_t i = 0; i < info_->argument_count; ++i)
    positions_[info_->arguments[i].name] = i;
  hasState_ = heddle_module_global_count(module_.raw()) > 0;
  meets_ = heddle_module_mesh_count(module_.raw()) > 0;
  donors_.resize(info_->result_count, HEDDLE_NO_RESULT);
  for (uint32_t i = 0; i < info_->argument_count; ++i) {
    donations_.push_back(heddle_module_donation(module_.raw(), index, i));
    if (donations_[i] != HEDDLE_NO_RESULT)
      donors_[donations_[i]] = i;
  }
}

void resetState(heddle_state *state) {
  heddle_status *status = nullptr;
  {
    nb::gil_scoped_release unlocked;
    status = heddle_state_reset(state);
  }
  check(status);
}

void Function::setState(Frame &frame, nb::handle state) const {
  if (!nb::isinstance<ModuleState>(state))
    invalid("state takes what new_state() of the module gave, or None, got an object of type " +
            std::string(nb::str(state.type().attr("__name__")).c_str()));
  check(heddle_invocation_set_state(frame.invocation, nb::cast<ModuleState &>(state).state.raw()));
  frame.state = nb::borrow(state);
}

bool Function::takeOption(nb::handle key, nb::handle value, Options &options) const {
  if (PyUnicode_CompareWithASCIIString(key.ptr(), "out") == 0)
    options.out = value;
  else if (PyUnicode_CompareWithASCIIString(key.ptr(), "on") == 0)
    options.on = value;
  else if (PyUnicode_CompareWithASCIIString(key.ptr(), "timeout") == 0)
    options.timeout = value;
  else if (hasState_ && PyUnicode_CompareWithASCIIString(key.ptr(), "state") == 0)
    options.state = value;
  else if (options.start && PyUnicode_CompareWithASCIIString(key.ptr(), "after") == 0)
    options.after = value;
  else
    return false;
  return true;
}

bool Function::isOption(nb::handle key, bool start) const {
  Options none;
  none.start = start;
  return PyUnicode_Check(key.ptr()) && takeOption(key, nb::none(), none);
}

void Function::refuseName(nb::handle key, bool areOptions) const {
  if (areOptions)
    invalid("with a dictionary of arguments only options may be given, got '" + std::string(nb::str(key).c_str()) +
            "'; put it into the dictionary");
  std::string nearest = didYouMean(key, positions_), all;
  for (uint32_t i = 0; i < info_->argument_count; ++i)
    all += (i == 0 ? "; it has '" : ", '") + std::string(info_->arguments[i].name) + "'";
  invalid("'" + std::string(info_->name) + "' has no argument '" + nb::str(key).c_str() + "'" +
          (nearest.empty() ? all : nearest));
}

void Function::refuseClash(nb::handle key) const {
  std::string name = nb::str(key).c_str();
  invalid("'" + name + "' is an argument of '" + info_->name +
          "' and an option of calls; give the arguments in a dictionary, {'" + name + "': …}, and options as keywords");
}

void Function::refuseCount(const Frame &frame, size_t got) const {
  std::string missing;
  for (uint32_t i = 0; i < info_->argument_count; ++i)
    if (!frame.given[i].is_valid() && !heddle_module_default(module_.raw(), index_, i))
      missing += (missing.empty() ? "; '" : ", '") + std::string(info_->arguments[i].name) + "'";
  bool several = missing.find(',') != std::string::npos;
  invalid("'" + std::string(info_->name) + "' takes " + std::to_string(info_->argument_count) +
          (info_->argument_count == 1 ? " argument" : " arguments") + ", got " + std::to_string(got) +
          (missing.empty() ? "" : missing + (several ? " are missing" : " is missing")));
}

void Function::bind(Frame &frame, const nb::args &arguments, const nb::kwargs &named, Options &options) const {
  // A dictionary alone is all arguments by name, so that these may be called as options are.
  const bool areOptions = arguments.size() == 1 && PyDict_Check(PyTuple_GetItem(arguments.ptr(), 0));
  const size_t unnamed = areOptions ? 0 : arguments.size();
  size_t count = unnamed;
  std::vector<nb::handle> clashes; // options that are called as arguments are
  PyObject *key = nullptr, *value = nullptr;
  auto take = [&] {
    PyObject *position = PyDict_GetItemWithError(positions_.ptr(), key);
    if (!position)
      refuseName(key, false);
    frame.given[PyLong_AsSize_t(position)] = nb::borrow(value);
    ++count;
  };
  for (Py_ssize_t at = 0; PyDict_Next(named.ptr(), &at, &key, &value);) {
    if (!takeOption(key, value, options)) {
      areOptions ? refuseName(key, true) : take();
    } else if (PyDict_Contains(positions_.ptr(), key) == 1) [[unlikely]] {
      clashes.emplace_back(key);
    }
  }
  if (areOptions) [[unlikely]]
    for (Py_ssize_t at = 0; PyDict_Next(PyTuple_GetItem(arguments.ptr(), 0), &at, &key, &value);)
      take();
  // What is not named fills the places left, in order.
  uint32_t next = 0;
  for (size_t i = 0; i < unnamed; ++i) {
    while (next < info_->argument_count && frame.given[next].is_valid())
      ++next;
    if (next == info_->argument_count)
      refuseCount(frame, count);
    frame.given[next] = nb::borrow(PyTuple_GetItem(arguments.ptr(), static_cast<Py_ssize_t>(i)));
  }
  for (nb::handle clash : clashes)
    if (!frame.given[nb::cast<size_t>(positions_[clash])].is_valid())
      refuseClash(clash);
  for (uint32_t i = 0; count < info_->argument_count && i < info_->argument_count; ++i)
    if (!frame.given[i].is_valid() && !heddle_module_default(module_.raw(), index_, i))
      refuseCount(frame, count);
  for (uint32_t i = 0; i < info_->argument_count; ++i) {
    const heddle_value_info &argument = info_->arguments[i];
    if (!frame.given[i].is_valid()) [[unlikely]] { // its default
      frame.arguments[i] = {};
      continue;
    }
    if (PyObject *given = frame.given[i].ptr(); !isArray(given) && readView(frame, i)) [[unlikely]]
      continue;
    if (donations_[i] == HEDDLE_NO_RESULT) [[likely]]
      readArgument(frame.given[i], argument.type, argument.rank, argument.name, frame.arguments[i], frame.kept[i]);
    else
      readDonated(frame.given[i], argument.type, argument.name, frame.arguments[i]);
  }
}

// An argument that is used where it lies.
bool Function::readView(Frame &frame, uint32_t index) const {
  const DeviceTensor *tensor =
      findDeviceTensor(frame.given[index], module_, info_->arguments[index].name, frame.kept[index]);
  if (!tensor)
    return false;
  frame.hasViews = true;
  frame.arguments[index] = {};
  frame.argumentViews[index] = tensor->view.raw();
  return true;
}

void Function::readStorages(Frame &frame, nb::handle out) const {
  bool single = info_->result_count == 1 && !PyTuple_Check(out.ptr()) && !PyList_Check(out.ptr());
  nb::object all = single ? nb::make_tuple(out) : nb::borrow(out);
  if (!PySequence_Check(all.ptr()) || nb::len(all) != info_->result_count)
    invalid("out takes an array or None for each of the " + std::to_string(info_->result_count) + " results of '" +
            info_->name + "', in a tuple or list");
  for (uint32_t i = 0; i < info_->result_count; ++i) {
    nb::object array = all[i];
    if (array.is_none())
      continue;
    heddle_tensor &tensor = frame.results[i];
    if (nb::isinstance<DeviceTensor>(array)) { // the runtime looks whether it overlaps
      frame.hasViews = true;
      frame.resultViews[i] = nb::cast<DeviceTensor &>(array).view.raw();
      frame.storage[i] = std::move(array);
      continue;
    }
    readStorage(array, info_->results[i].type, info_->results[i].name, tensor);
    for (uint32_t a = 0; a < info_->argument_count; ++a)
      if (overlap(tensor, frame.arguments[a]))
        invalid("result '" + std::string(info_->results[i].name) + "': its storage overlaps argument '" +
                info_->arguments[a].name + "'; give other memory");
    for (uint32_t r = 0; r < i; ++r)
      if (overlap(tensor, frame.results[r]))
        invalid("result '" + std::string(info_->results[i].name) + "': its storage overlaps that of result '" +
                info_->results[r].name + "'; give other memory");
    frame.storage[i] = std::move(array);
  }
}

std::unique_ptr<Frame> Function::takeFrame() {
  if (idle_.empty())
    return std::make_unique<Frame>(module_, index_);
  std::unique_ptr<Frame> frame = std::move(idle_.back());
  idle_.pop_back();
  return frame;
}

std::unique_ptr<Frame> Function::prepare(const nb::args &arguments, const nb::kwargs &named, nb::object *after) {
  std::unique_ptr<Frame> frame = takeFrame();
  try {
    Options options;
    options.start = after != nullptr;
    bind(*frame, arguments, named, options);
    if (!options.out.is_none())
      readStorages(*frame, options.out);
    uint32_t device = HEDDLE_HOST;
    if (!options.on.is_none()) {
      device = deviceOf(module_, options.on);
      frame->hasViews = true;
    }
    if (frame->hasViews) [[unlikely]]
      frame->fillViews(device);
    if (!options.state.is_none())
      setState(*frame, options.state);
    if (after)
      *after = nb::borrow(options.after);
    uint64_t timeout = nanoseconds(options.timeout);
    if (timeout != frame->timeoutNs) {
      heddle_invocation_set_timeout(frame->invocation, timeout);
      frame->timeoutNs = timeout;
    }
  } catch (...) {
    recycle(std::move(frame));
    throw;
  }
  return frame;
}

void Function::refuse(const std::string &why) {
  if (!meets_)
    return;
  std::unique_ptr<Frame> frame = takeFrame();
  heddle_status *status = nullptr;
  {
    nb::gil_scoped_release unlocked;
    status = heddle_invocation_refuse(frame->invocation, why.c_str());
  }
  recycle(std::move(frame));
  heddle_status_release(status); // the next call says it
}

void Function::startRefusal(const std::string &why) {
  if (!meets_)
    return;
  const auto isTold = [](const Refusal &refusal) { return heddle_event_query(refusal.told.raw()) != 0; };
  for (Refusal &refusal : refusals_)
    if (isTold(refusal))
      recycle(std::move(refusal.frame));
  std::erase_if(refusals_, [](const Refusal &refusal) { return !refusal.frame; });
  std::unique_ptr<Frame> frame = takeFrame();
  heddle_event *told = nullptr;
  heddle_status_release(
      heddle_invocation_start_refusal(frame->invocation, why.c_str(), &told)); // the next call says it
  if (told)
    refusals_.push_back({std::move(frame), Event(told)});
  else
    recycle(std::move(frame));
}

nb::object Function::call(const nb::args &arguments, const nb::kwargs &named) {
  std::unique_ptr<Frame> frame;
  try {
    frame = prepare(arguments, named);
  } catch (const std::exception &error) {
    if (meets_) // the other ranks make the call
      refuse(messageOf(error));
    throw;
  }
  heddle_status *status = nullptr;
  {
    Interruptible guard(frame->invocation);
    nb::gil_scoped_release unlocked;
    status = frame->call();
  }
  nb::object results;
  if (!status)
    results = collect(*frame);
  recycle(std::move(frame));
  checkCall(status);
  return results;
}

// A heddle.Tensor, but for what lies in memory of the host that nobody asked to have as one.
nb::object Function::collectView(Frame &frame, uint32_t i) {
  heddle_view &view = frame.resultViews[i];
  nb::handle storage = frame.storage[i];
  if (storage.is_valid() && nb::isinstance<DeviceTensor>(storage)) {
    const DeviceTensor &given = nb::cast<const DeviceTensor &>(storage);
    bool same = std::ranges::equal(given.view.dims(), std::span<const int64_t>(view.dims, view.rank));
    if (same && given.view.bytes() == view.bytes)
      return nb::borrow(storage);
    heddle_buffer_retain(view.buffer);
    return nb::cast(DeviceTensor(View(view)));
  }
  heddle_view taken = std::exchange(view, {});
  bool donated = donors_[i] != HEDDLE_NO_RESULT && nb::isinstance<DeviceTensor>(frame.given[donors_[i]]);
  if (taken.buffer && (taken.device != HEDDLE_HOST || donated))
    return nb::cast(DeviceTensor(View(taken)));
  heddle_tensor &tensor = frame.results[i];
  tensor.data = taken.data;
  tensor.bytes = taken.bytes;
  tensor.type = taken.type;
  tensor.rank = taken.rank;
  std::copy_n(taken.dims, HEDDLE_MAX_RANK, tensor.dims);
  tensor.owner = taken.buffer;
  if (storage.is_valid())
    return resultIn(storage, tensor);
  return takeResult(tensor, donors_[i] == HEDDLE_NO_RESULT ? nb::handle() : frame.given[donors_[i]]);
}

nb::object Function::collect(Frame &frame) {
  auto result = [&](uint32_t i) {
    if (frame.hasViews) [[unlikely]]
      return collectView(frame, i);
    if (frame.storage[i].is_valid())
      return resultIn(frame.storage[i], frame.results[i]);
    return takeResult(frame.results[i], donors_[i] == HEDDLE_NO_RESULT ? nb::handle() : frame.given[donors_[i]]);
  };
  if (info_->result_count == 1)
    return result(0);
  nb::object tuple = nb::steal(PyTuple_New(info_->result_count));
  for (uint32_t i = 0; i < info_->result_count; ++i)
    PyTuple_SetItem(tuple.ptr(), i, result(i).release().ptr());
  return tuple;
}

heddle_statistics Function::statistics() const {
  heddle_statistics statistics{};
  statistics.struct_size = sizeof(statistics);
  if (!idle_.empty())
    heddle_invocation_get_statistics(idle_.back()->invocation, &statistics);
  return statistics;
}

void Function::recycle(std::unique_ptr<Frame> frame) {
  if (frame->hasViews) {
    frame->hasViews = false;
    for (heddle_view &view : frame->argumentViews)
      view = {};
    for (size_t i = 0; i < frame->resultViews.size(); ++i) {
      if (!frame->storage[i].is_valid())
        heddle_view_reset(&frame->resultViews[i]); // of a call whose results nobody took
      frame->resultViews[i] = {};
    }
  }
  for (nb::object &object : frame->given)
    object.reset();
  for (nb::object &object : frame->kept)
    object.reset();
  for (nb::object &object : frame->storage)
    object.reset();
  for (heddle_tensor &result : frame->results)
    heddle_tensor_reset(&result);
  if (frame->state.is_valid()) {
    check(heddle_invocation_set_state(frame->invocation, nullptr));
    frame->state.reset();
  }
  idle_.push_back(std::move(frame));
}

} // namespace heddle::python
