// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/Communicator.h"

#include "runtime/base/RankStatus.h"
#include "runtime/executor/call/MemoryAccess.h"
#include "runtime/hal/HostCommands.h"
#include "runtime/hal/Meeting.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <thread>

namespace heddle {

using collectives::Mismatch;
using collectives::Request;

namespace {

// Of Dispatch::workgroups in place of a collective's index.
constexpr int64_t kAgreement = -1;
// What a collective's dispatch has for constants.
enum Constant : size_t { kCount = hal::Meeting::kConstants, kGroup, kOrder, kSourceDevice, kTargetDevice, kConstants };
// Behind them the numbers of its cuts, as they lie in memory.
// The words of an agreement, and behind them the sizes of symbols.
enum Word : size_t { kRefused, kEntryPoint, kWords };
constexpr size_t kMostRefusalBytes = 1024; // that travel of what a rank says
constexpr size_t kCutNumbers = sizeof(contract::Cut) / sizeof(int64_t);

Status invalid(std::string message) { return Status(StatusCode::InvalidArgument, std::move(message)); }

} // namespace

// What a queue's thread does the collectives with.
class Communicator::Worker final : public hal::HostCommands {
public:
  explicit Worker(std::shared_ptr<Communicator> communicator)
      : communicator_(std::move(communicator)), commands_(communicator_->module_.devices().size()) {}
  Status dispatch(const hal::Dispatch &dispatch) override { return communicator_->dispatch(dispatch, *this); }

  StatusOr<hal::Commands *> commandsOf(uint32_t device);
  // Where the host sees the view: where it is, or in `staging`, which is made large enough.
  static StatusOr<std::byte *> hostSide(const hal::View &view, hal::BufferRef &staging);
  hal::BufferRef sourceStaging, targetStaging; // kept from call to call

private:
  std::shared_ptr<Communicator> communicator_;
  std::vector<std::unique_ptr<hal::Commands>> commands_; // by device, made on first use
};

Communicator::Communicator(const Module &module, const Function &function, Clock &clock)
    : module_(module), function_(function), ranks_(*module.ranks()), clock_(clock), met_(ranks_.channels()) {}

hal::HostWork Communicator::work(std::shared_ptr<Communicator> communicator) {
  uint32_t atOnce = communicator->ranks_.atOnce();
  return {[communicator = std::move(communicator)] { return std::make_unique<Worker>(communicator); }, atOnce};
}

Status Communicator::begin() {
  HEDDLE_RETURN_IF_ERROR(ranks_.world().failure(ranks_.member()));
  ranks_.world().setInterrupt(ranks_.member(), [](void *clock) { static_cast<Clock *>(clock)->cancel(); }, &clock_);
  met_.assign(met_.size(), 0);
  return {};
}

// Nothing else of this rank's calls uses the group meanwhile: it is this one's turn, and its stream is empty.
Status Communicator::refuse(Status cause) {
  HEDDLE_RETURN_IF_ERROR(begin());
  ranks_.world().limit(ranks_.all(), clock_.deadlineNs());
  const uint64_t words[kWords] = {1, entryPoint()};
  std::optional<Mismatch> found;
  Status status = ranks_.all().agree(words, [&](const Mismatch &mismatch) {
    found = mismatch;
    return cause.message();
  });
  if (found && found->word == kRefused)
    status = shareRefusal(found->value ? found->rank : 0, cause);
  agreedToFail_ = ranks_.all().failure().ok();
  release();
  return agreedToFail_ ? std::move(cause) : ranks_.world().attribute(ranks_.member(), std::move(status));
}

Status Communicator::shareRefusal(uint32_t rank, const Status &own) {
  char text[kMostRefusalBytes] = {};
  if (ranks_.rank() == rank)
    own.message().copy(text, sizeof(text) - 1);
  Request request;
  request.kind = contract::CollectiveKind::Broadcast;
  request.type = contract::ElementType::U8;
  request.root = rank;
  request.count = sizeof(text);
  request.source = request.target = text;
  request.name = "of what a rank refuses";
  HEDDLE_RETURN_IF_ERROR(ranks_.all().run(request));
  return invalid("rank " + std::to_string(rank) + " refuses the call: " + text);
}

uint64_t Communicator::entryPoint() const { return static_cast<uint64_t>(&function_ - *module_.entryPoints().begin()); }

Status Communicator::agree(hal::Commands &stream, std::span<const int64_t> scalars) {
  size_t symbols = function_.source->symbols() ? function_.source->symbols()->size() : 0;
  words_.assign(kWords, 0);
  words_[kEntryPoint] = static_cast<int64_t>(entryPoint());
  words_.insert(words_.end(), scalars.begin(), scalars.begin() + static_cast<ptrdiff_t>(symbols));
  for (uint32_t symbol : function_.ownSymbols)
    words_[kWords + symbol] = 0;
  hal::Dispatch dispatch;
  dispatch.workgroups = kAgreement;
  dispatch.constants = words_;
  return stream.dispatch(dispatch);
}

Status Communicator::collective(hal::Commands &stream, uint32_t index, const PlacedBuffer &source,
                                const PlacedBuffer &target, int64_t count, std::span<const contract::Cut> cuts,
                                CallStatistics &statistics) {
  const BoundCollective &bound = ranks_.collective(index);
  if (count < 0 || count > contract::kMostElements)
    return invalid(bound.title + ": a piece has " + std::to_string(count) + " elements");
  Request request = bound.request;
  request.count = static_cast<uint64_t>(count);
  request.cuts = cuts.empty() ? nullptr : cuts.data();
  if (bound.group && request.cuts)
    HEDDLE_RETURN_IF_ERROR(collectives::checkSizes(request, bound.members));
  uint32_t rank = bound.group ? bound.group->rank() : 0;
  // Who is in no group reads nothing and gets zeros, as many as there is memory for.
  uint64_t sourceBytes = bound.group ? collectives::sourceBytes(request, rank, bound.members) : 0;
  uint64_t targetBytes = bound.group ? collectives::targetBytes(request, rank, bound.members)
                                     : static_cast<uint64_t>(std::max<int64_t>(target.bytes, 0));
  auto fit = [&](const char *which, const PlacedBuffer &buffer, uint64_t bytes, uint32_t needed) -> Status {
    if ((buffer.flags & needed) == needed && bytes <= static_cast<uint64_t>(buffer.bytes))
      return {};
    if (!(buffer.flags & kDefined))
      return invalid(bound.title + ": the " + which + " is used before it is set");
    if ((buffer.flags & needed) != needed)
      return invalid(bound.title + ": the " + which + " is an argument or a parameter");
    return invalid(bound.title + ": the " + which + " has " + std::to_string(buffer.bytes) + " bytes, " +
                   std::to_string(bytes) + " are needed among " + std::to_string(bound.members) + " ranks");
  };
  HEDDLE_RETURN_IF_ERROR(fit("source", source, sourceBytes, kDefined));
  HEDDLE_RETURN_IF_ERROR(fit("target", target, targetBytes, kDefined | kWritable));
  // Of no element anywhere nothing moves, so nobody meets: an empty piece costs nothing.
  if (bound.group && count == 0 && cuts.empty()) {
    ++statistics.collectives;
    return {};
  }
  hal::BoundView views[] = {{source.view(), false}, {target.view(), true}};
  views[0].view.bytes = sourceBytes;
  views[1].view.bytes = targetBytes;
  int64_t constants[kConstants + contract::kMostCuts * kCutNumbers];
  hal::Meeting meeting{bound.meeting,
                       ranks_.rank(),
                       bound.group ? bound.members : 0,
                       static_cast<int64_t>(request.kind),
                       bound.group ? static_cast<int64_t>(collectives::pieceBytes(request)) : 0,
                       nullptr,
                       nullptr};
  meeting.put(constants);
  constants[kCount] = count;
  constants[kGroup] = met_[bound.channel]++ % bound.groups.size();
  constants[kOrder] = static_cast<int64_t>(++order_);
  constants[kSourceDevice] = MemoryAccess::owner(source.flags);
  constants[kTargetDevice] = MemoryAccess::owner(target.flags);
  if (request.cuts)
    std::memcpy(constants + kConstants, cuts.data(), cuts.size_bytes());
  hal::Dispatch dispatch;
  dispatch.workgroups = index;
  dispatch.constants = std::span(constants, kConstants + cuts.size() * kCutNumbers);
  dispatch.views = views;
  ++statistics.collectives;
  statistics.collectiveBytes += sourceBytes + targetBytes;
  return stream.dispatch(dispatch);
}

Status Communicator::cause() const {
  if (!agreedToFail_)
    return ranks_.world().attribute(ranks_.member(), ranks_.all().failure());
  std::lock_guard lock(mutex_);
  return failure_.clone();
}

Status Communicator::end(Status status) {
  if (status.ok())
    return status;
  bool isLate = status.code() == StatusCode::DeadlineExceeded;
  bool mayBeTheirs = isLate || status.code() == StatusCode::Cancelled;
  // A collective that ends with the call's deadline, or because the world did, knows more: who did not come, and where.
  for (int i = 0; i < 100 && mayBeTheirs && working_ && (isLate || !cause().ok()); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  Status cause = this->cause();
  if (cause.ok())
    ranks_.world().abort(ranks_.member(), status);
  if (cause.ok() || !mayBeTheirs)
    return status;
  std::lock_guard lock(mutex_);
  return failure_.ok() ? std::move(cause) : failure_.clone();
}

bool Communicator::takeAgreedFailure() {
  std::lock_guard lock(mutex_);
  failure_ = {};
  return agreedToFail_.exchange(false);
}

// ---- On the queue's threads

Status Communicator::dispatch(const hal::Dispatch &dispatch, Worker &worker) {
  ++working_;
  bool isAgreement = dispatch.workgroups == kAgreement;
  Status status = isAgreement ? runAgreement(dispatch.constants) : runCollective(dispatch, worker);
  if (!status.ok()) {
    {
      std::lock_guard lock(mutex_);
      if (failure_.ok())
        failure_ = status.clone();
    }
    agreedToFail_ = isAgreement && ranks_.all().failure().ok();
    if (cause().ok())
      ranks_.world().abort(ranks_.member(), status);
    clock_.cancel(); // the program need not go on
  }
  --working_;
  return status;
}

Status Communicator::runAgreement(std::span<const int64_t> words) {
  collectives::Group &all = ranks_.all();
  ranks_.world().limit(all, clock_.deadlineNs());
  std::span<const uint64_t> given(reinterpret_cast<const uint64_t *>(words.data()), words.size());
  std::optional<Mismatch> refused;
  Status status = all.agree(given, [&](const Mismatch &mismatch) {
    if (mismatch.word != kRefused)
      return describe(mismatch);
    refused = mismatch;
    return std::string();
  });
  if (refused)
    status = shareRefusal(refused->value ? refused->rank : 0, {});
  return ranks_.world().attribute(ranks_.member(), std::move(status));
}

std::string Communicator::describe(const Mismatch &mismatch) const {
  std::string rank = "rank " + std::to_string(mismatch.rank);
  std::string values = std::to_string(static_cast<int64_t>(mismatch.value)) + ", rank 0 has " +
                       std::to_string(static_cast<int64_t>(mismatch.expected));
  if (mismatch.word < kWords || mismatch.word == Mismatch::kCount)
    return rank + " calls another entry point than rank 0; calls of all ranks have one order";
  const fb::Symbol &symbol = *function_.source->symbols()->Get(static_cast<uint32_t>(mismatch.word - kWords));
  if (symbol.drawn())
    return rank + " draws another random number than rank 0; give all ranks the same seed, and the same calls";
  return "dimension '" + (symbol.name() ? symbol.name()->str() : "?") + "': " + rank + " has the size " + values +
         "; sizes of named dimensions are equal on all ranks";
}

StatusOr<hal::Commands *> Communicator::Worker::commandsOf(uint32_t device) {
  std::unique_ptr<hal::Commands> &commands = commands_[device];
  if (!commands) {
    StatusOr<std::unique_ptr<hal::Commands>> made = communicator_->module_.devices()[device].device->createInline();
    if (!made.ok())
      return made.takeStatus();
    commands = std::move(*made);
  }
  return commands.get();
}

StatusOr<std::byte *> Communicator::Worker::hostSide(const hal::View &view, hal::BufferRef &staging) {
  if (view.address() || !view.bytes)
    return view.address();
  if (!staging || staging->bytes() < view.bytes) {
    staging = {};
    StatusOr<hal::BufferRef> made = hal::allocateHostBuffer(view.bytes);
    if (!made.ok())
      return made.takeStatus();
    staging = std::move(*made);
  }
  return staging->address();
}

template <typename Run> Status Communicator::meet(const BoundCollective &bound, collectives::Group &group, Run &&run) {
  const collectives::Group::Clock::time_point deadline = ranks_.world().deadline(clock_.deadlineNs());
  group.setDeadline(deadline);
  arrive(bound);
  Status status = ranks_.world().attribute(ranks_.member(), run(deadline));
  leave(bound);
  if (status.ok())
    return {};
  if (!status.message().starts_with(bound.title))
    status = std::move(status).prefix(bound.title + ": ");
  return bound.where.empty() ? std::move(status) : std::move(status).note("the collective comes from " + bound.where);
}

Status Communicator::runCollective(const hal::Dispatch &dispatch, Worker &worker) {
  const BoundCollective &bound = ranks_.collective(static_cast<uint32_t>(dispatch.workgroups));
  const hal::View &source = dispatch.views[0].view, &target = dispatch.views[1].view;
  Request request = bound.request;
  request.count = static_cast<uint64_t>(dispatch.constants[kCount]);
  request.order = static_cast<uint64_t>(dispatch.constants[kOrder]);
  contract::Cut cuts[contract::kMostCuts];
  if (std::span<const int64_t> numbers = dispatch.constants.subspan(kConstants); !numbers.empty()) {
    std::memcpy(cuts, numbers.data(), numbers.size_bytes());
    request.cuts = cuts;
  }
  if (uint64_t *begin = hal::Meeting::placeOf(dispatch.constants[hal::Meeting::kBegin]))
    HEDDLE_RETURN_IF_ERROR(worker.stamp(begin));
  HEDDLE_RETURN_IF_ERROR(bound.device && bound.device->takes(request)
                             ? meet(bound, *bound.group,
                                    [&](auto deadline) { return bound.device->run(request, source, target, deadline); })
                             : meetOnHost(dispatch, bound, request, worker));
  uint64_t *end = hal::Meeting::placeOf(dispatch.constants[hal::Meeting::kEnd]);
  return end ? worker.stamp(end) : Status();
}

Status Communicator::meetOnHost(const hal::Dispatch &dispatch, const BoundCollective &bound, Request &request,
                                Worker &worker) {
  const hal::View &source = dispatch.views[0].view, &target = dispatch.views[1].view;
  StatusOr<std::byte *> from = worker.hostSide(source, worker.sourceStaging),
                        to = worker.hostSide(target, worker.targetStaging);
  if (!from.ok() || !to.ok())
    return (from.ok() ? to : from).takeStatus().prefix(bound.title + ": ");
  if (bound.group && *from != source.address()) {
    StatusOr<hal::Commands *> commands = worker.commandsOf(static_cast<uint32_t>(dispatch.constants[kSourceDevice]));
    if (!commands.ok())
      return commands.takeStatus();
    HEDDLE_RETURN_IF_ERROR((*commands)->copy(hal::View::ofHost(*from, source.bytes), source));
  }
  request.source = *from;
  request.target = *to;
  if (bound.group) {
    collectives::Group &group = *bound.groups[static_cast<size_t>(dispatch.constants[kGroup])];
    HEDDLE_RETURN_IF_ERROR(meet(bound, group, [&](auto) { return group.run(request); }));
  } else if (target.bytes) {
    std::memset(*to, 0, target.bytes);
  }
  if (*to != target.address()) {
    StatusOr<hal::Commands *> commands = worker.commandsOf(static_cast<uint32_t>(dispatch.constants[kTargetDevice]));
    if (!commands.ok())
      return commands.takeStatus();
    HEDDLE_RETURN_IF_ERROR((*commands)->copy(target, hal::View::ofHost(*to, target.bytes)));
  }
  return {};
}

void Communicator::arrive(const BoundCollective &collective) {
  std::lock_guard lock(mutex_);
  inFlight_.push_back(&collective);
  rankstatus::enter(ranks_.rank(), collective.title, collective.where);
}

// Of those that stay the oldest is what the rank waits for.
void Communicator::leave(const BoundCollective &collective) {
  std::lock_guard lock(mutex_);
  inFlight_.erase(std::find(inFlight_.begin(), inFlight_.end(), &collective));
  rankstatus::leave(ranks_.rank());
  if (!inFlight_.empty())
    rankstatus::enter(ranks_.rank(), inFlight_[0]->title, inFlight_[0]->where, /*isNew=*/false);
}

} // namespace heddle
