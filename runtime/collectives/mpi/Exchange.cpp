// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/collectives/mpi/Exchange.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace heddle::collectives {

namespace {

constexpr uint64_t kMostOfAMessage = uint64_t(1) << 30; // MPI counts in int

// Not 0 where there are cuts.
uint32_t hashOf(const Request &request) {
  uint64_t hash = 0;
  for (const contract::Cut &cut : request.allCuts())
    for (int64_t number : {cut.granules, cut.granule, cut.first, cut.parts})
      hash = (hash + uint64_t(number) + 1) * 0x9e3779b97f4a7c15;
  return request.allCuts().empty() ? 0 : uint32_t(hash >> 32) | 1;
}

} // namespace

// Sent as far as the name goes; what travels beside it is behind that.
struct Exchange::Header {
  uint64_t bytes, count;          // bytes: of the part
  uint32_t operation, step, cuts; // the last bits of two numbers; a hash, 0: pieces are of one size
  uint32_t chunk;                 // what the part is sent in (sizeOfChunk)
  int32_t root;
  CollectiveKind kind;
  Reduction reduction;
  ElementType type;
  uint8_t nameBytes; // with the zero, and some more so that what follows is aligned
  char name[60];

  uint64_t size() const { return offsetof(Header, name) + nameBytes; }

  Request request() const {
    Request request;
    request.kind = kind, request.reduction = reduction, request.type = type;
    request.count = count, request.root = root, request.name = name;
    return request;
  }
};

Exchange::Exchange(MpiWorld &world, std::vector<uint32_t> worldRanks, int tag)
    : world_(world), worldRanks_(std::move(worldRanks)), tag_(tag), messages_(world.library().messages()) {}

void Exchange::begin(uint64_t operation, const Request &request) {
  operation_ = operation, step_ = 0;
  request_ = request;
  cuts_ = hashOf(request);
}

std::byte *Exchange::slot(size_t part) { return slots_.data() + part * (sizeof(Header) + kInline); }

Exchange::Header Exchange::headerOf(const Part &part) const {
  constexpr size_t kAligned = 8;
  Header header;
  header.bytes = part.bytes, header.count = request_.count;
  header.operation = uint32_t(operation_), header.step = uint32_t(step_), header.cuts = cuts_;
  header.chunk = uint32_t(chunk_);
  header.root = int32_t(request_.root);
  header.kind = request_.kind, header.type = request_.type;
  header.reduction = request_.type == ElementType::None ? Reduction::Sum : request_.reduction;
  const size_t length = strnlen(request_.name, sizeof(header.name) - 1);
  const size_t end = (offsetof(Header, name) + length) / kAligned * kAligned + kAligned;
  header.nameBytes = uint8_t(end - offsetof(Header, name));
  std::memset(header.name, 0, header.nameBytes);
  std::memcpy(header.name, request_.name, length);
  return header;
}

// The header, and what fits beside it.
int Exchange::postHeader(Part &part, std::byte *slot) {
  const int peer = int(worldRanks_[part.member]);
  part.firstMessage = messages_->size();
  if (!part.isSend) // as much as there may be, so that a message of another collective is still read
    return messages_->receive(slot, int(sizeof(Header) + kInline), peer, tag_, Messages::Channel::Data);
  Header header = headerOf(part);
  std::memcpy(slot, &header, header.size());
  const uint64_t beside = part.bytes <= kInline ? part.bytes : 0;
  if (beside)
    std::memcpy(slot + header.size(), part.memory, beside);
  return messages_->send(slot, int(header.size() + beside), peer, tag_, Messages::Channel::Data);
}

// Of the chunk from `begin` on. MPI shares the link between all that are on their way: the first are smaller, so that
// they come through one after the other, and others follow without a gap.
uint64_t Exchange::sizeOfChunk(const Part &part, uint64_t most, uint64_t number) {
  constexpr uint64_t kSteps = 8;
  return std::min(most < kMostOfAMessage ? most * std::min(number + 1, kSteps) / kSteps : most,
                  part.bytes - part.begun);
}

// What is too large for that: room for the first chunk of what comes, which is all of it unless its header says
// otherwise. This one's are sent later (goOn()).
int Exchange::postRest(Part &part) {
  if (part.bytes <= kInline)
    return 0;
  if (!part.isSend)
    return messages_->receive(part.memory, int(std::min(kMostOfAMessage, part.bytes)), int(worldRanks_[part.member]),
                              tag_, Messages::Channel::Data);
  for (uint64_t number = 0; part.begun < part.bytes; ++number) {
    const uint64_t bytes = sizeOfChunk(part, chunk_, number);
    chunks_.push_back({int(worldRanks_[part.member]), part.memory + part.begun, bytes, 0});
    part.begun += bytes;
  }
  return 0;
}

// Room for the other chunks, when the header has come.
int Exchange::receiveChunks(Part &part, const Header &header) {
  const uint64_t most = std::clamp<uint64_t>(header.chunk, Turns::kLeastChunk, kMostOfAMessage);
  int error = 0;
  for (uint64_t number = 0; part.begun < part.bytes && !error; ++number) {
    const uint64_t bytes = sizeOfChunk(part, most, number);
    if (number)
      error = messages_->receive(part.memory + part.begun, int(bytes), int(worldRanks_[part.member]), tag_,
                                 Messages::Channel::Data);
    part.begun += bytes;
  }
  return error;
}

// Notes which chunks have come through, and sends or receives others.
bool Exchange::goOn(int &error) {
  const Group::Clock::time_point now = Group::Clock::now();
  const size_t before = messages_->size();
  bool isAll = true;
  for (size_t i = 0; i < parts_.size(); ++i) {
    Part &part = parts_[i];
    if (part.isSend || part.bytes <= kInline || part.begun == part.bytes)
      continue;
    isAll = false;
    if (error || !messages_->isDone(part.firstMessage))
      continue;
    Header header;
    std::memcpy(&header, slot(i), sizeof(Header));
    header.name[sizeof(header.name) - 1] = 0;
    if (explain(header, part).empty())
      error = receiveChunks(part, header);
    part.begun = part.bytes; // what does not fit fails the wait
  }
  for (; ended_ < sent_ && messages_->isDone(chunks_[ended_].message); ++ended_)
    world_.turns().cameThrough(transfer_, chunks_[ended_].bytes, now);
  while (!error && sent_ < chunks_.size() && world_.turns().maySend(transfer_, now)) {
    Chunk &chunk = chunks_[sent_++];
    chunk.message = messages_->size();
    world_.turns().sent(transfer_, chunk.bytes, now);
    error = messages_->send(chunk.memory, int(chunk.bytes), chunk.peer, tag_, Messages::Channel::Data);
  }
  return isAll && sent_ == chunks_.size() && messages_->size() == before && !error;
}

std::string Exchange::what() const { return request_.type == ElementType::None ? "an agreement" : titleOf(request_); }

// The ranks whose part has not come.
std::vector<uint32_t> Exchange::absent() {
  std::vector<uint32_t> ranks;
  for (const Part &part : parts_)
    if (!part.isSend && !messages_->isDone(part.firstMessage))
      ranks.push_back(worldRanks_[part.member]);
  return ranks;
}

// "" where the header is of this step of this collective.
std::string Exchange::explain(const Header &got, const Part &part) const {
  const bool isRequest = got.type != ElementType::None && request_.type != ElementType::None;
  const bool isSameOperation = got.operation == uint32_t(operation_);
  const bool fits = isSameOperation && got.step == uint32_t(step_) && got.nameBytes <= sizeof(got.name) &&
                    got.bytes == part.bytes && got.kind == request_.kind && got.reduction == request_.reduction &&
                    got.type == request_.type;
  if (fits && got.count == request_.count && got.root == request_.root && got.cuts == cuts_)
    return "";
  const std::string theirs = "rank " + std::to_string(worldRanks_[part.member]),
                    mine = " as rank " + std::to_string(world_.rank());
  Request uncut = request_; // the header has the hash of cuts only
  uncut.cuts = nullptr;
  if (isRequest)
    if (std::string why = explainDifference(got.request(), uncut); !why.empty())
      return theirs + " runs " + why + mine;
  if (isRequest && got.cuts != cuts_ && isSameOperation)
    return theirs + " cuts " + what() + " in other pieces than" + mine.substr(3);
  return fits ? ""
              : theirs + " does not run " + what() + mine + " does, but its operation " + std::to_string(got.operation);
}

Status Exchange::post() {
  isPosted_ = true;
  slots_.resize(std::max<size_t>(slots_.size(), parts_.size() * (sizeof(Header) + kInline)));
  transfer_.order = request_.order;
  uint64_t large = 0;
  for (const Part &part : parts_)
    large += part.isSend && part.bytes > kInline ? part.bytes : 0;
  chunk_ = kMostOfAMessage;
  if (large && !world_.turns().enter(transfer_, large))
    chunk_ = std::min(kMostOfAMessage, Turns::chunkOf(large));
  int error = 0;
  for (const bool isSend : {false, true}) // receives first, so that nothing comes unexpected
    for (size_t i = 0; i < parts_.size(); ++i)
      if (parts_[i].isSend == isSend && !error) {
        error = postHeader(parts_[i], slot(i));
        if (!error)
          error = postRest(parts_[i]);
      }
  if (!error)
    goOn(error);
  if (!error)
    return {};
  forgetChunks();
  world_.fail(Status(StatusCode::Io, "rank " + std::to_string(world_.rank()) + ": " + what() + ": MPI says " +
                                         world_.library().describe(error)));
  return world_.failure();
}

void Exchange::forgetChunks() {
  world_.turns().leave(transfer_);
  chunks_.clear();
  sent_ = ended_ = 0;
}

Status Exchange::run() {
  Status status = isPosted_ ? Status() : post();
  isPosted_ = false;
  MpiWorld::Waiting waiting = {[this] { return what(); }, [this] { return absent(); }, [this] { return misfit(false); },
                               deadline_, nullptr};
  if (std::any_of(parts_.begin(), parts_.end(), [](const Part &part) { return part.bytes > kInline; }))
    waiting.goOn = [this](int &error) { return goOn(error); };
  if (status.ok())
    status = world_.wait(messages_, waiting);
  forgetChunks();
  if (status.ok())
    if (const std::string why = misfit(true); !why.empty()) {
      world_.fail(Status(StatusCode::InvalidArgument, "rank " + std::to_string(world_.rank()) + ": " + why));
      status = world_.failure();
    }
  if (status.ok())
    deliver();
  parts_.clear();
  ++step_;
  return status;
}

// What the headers that have come say that this member does not.
std::string Exchange::misfit(bool allHaveCome) {
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].isSend || (!allHaveCome && !messages_->isDone(parts_[i].firstMessage)))
      continue;
    Header header;
    std::memcpy(&header, slot(i), sizeof(Header));
    header.name[sizeof(header.name) - 1] = 0;
    if (std::string why = explain(header, parts_[i]); !why.empty())
      return why;
  }
  return "";
}

// Puts what came beside headers where it belongs.
void Exchange::deliver() {
  for (size_t i = 0; i < parts_.size(); ++i)
    if (const Part &part = parts_[i]; !part.isSend && part.bytes && part.bytes <= kInline) {
      uint8_t nameBytes;
      std::memcpy(&nameBytes, slot(i) + offsetof(Header, nameBytes), sizeof(nameBytes));
      std::memcpy(part.memory, slot(i) + offsetof(Header, name) + nameBytes, part.bytes);
    }
}

} // namespace heddle::collectives
