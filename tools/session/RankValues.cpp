// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/session/RankValues.h"

#include "heddle/contract/Text.h"
#include "tools/lib/Arguments.h"
#include "tools/lib/Npy.h"

#include <algorithm>
#include <cstring>
#include <deque>

namespace heddle::tools {
namespace {

std::optional<Share> shareIn(const Team &team, const Module &module, const heddle_sharding *sharding) {
  if (!sharding || team.size() == 1)
    return std::nullopt;
  return shareOf(*sharding, *heddle_module_mesh(module.raw(), sharding->mesh));
}

std::string named(const char *kind, const char *name) {
  return std::string(kind) + " '" + contract::showText(name, contract::Lines::One) + "'";
}

// The rows of a file that are a rank's share, where a share is rows of a .npy file; nothing else of it is read.
std::optional<HostTensor> readRows(const std::string &text, ElementType type, const Share &share,
                                   const std::string &what) {
  bool isRows = !share.dims.empty() && share.summands == 1;
  for (size_t i = 1; i < share.dims.size(); ++i)
    isRows &= share.dims[i].parts == 1;
  if (!isRows || !text.starts_with('@'))
    return std::nullopt;
  std::string path = text.substr(1);
  NpyHeader header = readNpyHeader(path);
  if (header.fortranOrder && header.dims.size() > 1)
    return std::nullopt;
  int64_t count = shareDims(header.dims, share, what)[0];
  return fromCarrier(readNpyRows(path, shareBegin(header.dims[0], share.dims[0]), count), type);
}

// A rank's part on its way to rank 0.
struct PartHeader {
  uint32_t isMember, rank;
  int64_t dims[kMaxRank], parts[kMaxRank], part[kMaxRank];
  int64_t summands, summand;
  contract::Reduction reduction;
};

std::vector<std::byte> pack(TensorView part, const Share &share) {
  PartHeader header{};
  header.isMember = share.isMember;
  header.rank = static_cast<uint32_t>(part.dims.size());
  header.summands = share.summands;
  header.summand = share.summand;
  header.reduction = share.reduction;
  for (size_t i = 0; i < part.dims.size(); ++i) {
    header.dims[i] = part.dims[i];
    header.parts[i] = share.dims[i].parts;
    header.part[i] = share.dims[i].part;
  }
  std::vector<std::byte> out(sizeof(header) + part.data.size());
  std::memcpy(out.data(), &header, sizeof(header));
  std::memcpy(out.data() + sizeof(header), part.data.data(), part.data.size());
  return out;
}

// Of a rank, as it came. Views of `bytes`.
struct Part {
  PartHeader header{};
  TensorView view;
  Share share;

  Part(std::span<const std::byte> bytes, ElementType type) {
    std::memcpy(&header, bytes.data(), sizeof(header));
    view = {type, {header.dims, header.rank}, bytes.subspan(sizeof(header))};
    share.isMember = header.isMember;
    share.summands = header.summands;
    share.summand = header.summand;
    share.reduction = header.reduction;
    for (uint32_t i = 0; i < header.rank; ++i)
      share.dims.push_back({header.parts[i], header.part[i], ""});
    size_t elements = static_cast<size_t>(elementCount(view.dims)); // those of the longest rank came
    view.data = view.data.first(elements * contract::byteSize(type));
  }
  Part(const Part &) = delete;
};

} // namespace

std::optional<Share> argumentShare(const Team &team, uint32_t member, uint32_t entryPoint, uint32_t argument) {
  const Module &module = team.module(member);
  return shareIn(team, module, heddle_module_argument_sharding(module.raw(), entryPoint, argument));
}

std::optional<Share> resultShare(const Team &team, uint32_t member, uint32_t entryPoint, uint32_t result) {
  const Module &module = team.module(member);
  return shareIn(team, module, heddle_module_result_sharding(module.raw(), entryPoint, result));
}

RankInputs::RankInputs(const Team &team, uint32_t entryPoint, std::span<const std::string> texts) {
  const heddle_entry_point_info &entry = team.module().entryPoint(entryPoint);
  std::vector<const heddle_tensor *> defaults = defaultsOf(team.module(), entryPoint);
  std::vector<std::optional<std::string>> given = assignInputs(entry, texts, defaults);
  common_.resize(given.size());
  own_.resize(team.members());
  for (auto &values : own_)
    values.resize(given.size());
  for (uint32_t i = 0; i < given.size(); ++i) {
    auto type = static_cast<ElementType>(entry.arguments[i].type);
    if (!given[i]) {
      common_[i] = copyOf(*defaults[i]);
    } else if (hasRank(*given[i])) {
      for (uint32_t member = 0; member < team.members(); ++member)
        own_[member][i] = parseValueAs(withRank(*given[i], team.rank(member)), type);
    } else if (argumentShare(team, 0, entryPoint, i)) {
      dealOut(team, entryPoint, i, *given[i]);
    } else {
      common_[i] = parseValueAs(*given[i], type);
    }
  }
}

void RankInputs::dealOut(const Team &team, uint32_t entryPoint, uint32_t argument, const std::string &text) {
  const heddle_value_info &info = team.module().entryPoint(entryPoint).arguments[argument];
  auto type = static_cast<ElementType>(info.type);
  std::string what = named("argument", info.name);
  std::optional<HostTensor> whole; // read once for all members
  for (uint32_t member = 0; member < team.members(); ++member) {
    Share share = *argumentShare(team, member, entryPoint, argument);
    for (DimShare &dim : share.dims)
      dim.part = std::max<int64_t>(dim.part, 0); // a rank outside of the mesh computes nothing with it
    if (std::optional<HostTensor> rows = whole ? std::nullopt : readRows(text, type, share, what)) {
      own_[member][argument] = std::move(rows);
      continue;
    }
    if (!whole)
      whole = parseValueAs(text, type);
    own_[member][argument] = cutShare(whole->view(), share, what);
  }
}

std::vector<Tensor> RankInputs::of(uint32_t member) const {
  std::vector<Tensor> out;
  for (size_t i = 0; i < common_.size(); ++i) {
    const HostTensor &value = common_[i] ? *common_[i] : *own_[member][i];
    out.push_back(Tensor::borrow(static_cast<heddle_element_type>(value.type()), value.dims(), value.data().data(),
                                 value.data().size()));
  }
  return out;
}

std::optional<HostTensor> gatherResult(const Team &team, uint32_t entryPoint, uint32_t result,
                                       const std::vector<std::vector<Tensor>> &results) {
  const heddle_value_info &info = team.module().entryPoint(entryPoint).results[result];
  Gathered gathered(named("result", info.name));
  if (team.members() == team.size()) { // all are here: no copies on the way
    const auto forAll = [&](auto use) {
      for (uint32_t member = 0; member < team.members(); ++member)
        (gathered.*use)(team.rank(member), view(results[member][result]),
                        *resultShare(team, member, entryPoint, result));
    };
    forAll(&Gathered::measure);
    forAll(&Gathered::add);
    return gathered.take();
  }
  std::vector<std::vector<std::byte>> parts = team.gather([&](uint32_t member) {
    return pack(view(results[member][result]), *resultShare(team, member, entryPoint, result));
  });
  if (!team.isLeader())
    return std::nullopt;
  std::deque<Part> unpacked;
  for (const std::vector<std::byte> &bytes : parts)
    unpacked.emplace_back(bytes, static_cast<ElementType>(info.type));
  for (uint32_t rank = 0; rank < parts.size(); ++rank)
    gathered.measure(rank, unpacked[rank].view, unpacked[rank].share);
  for (uint32_t rank = 0; rank < parts.size(); ++rank)
    gathered.add(rank, unpacked[rank].view, unpacked[rank].share);
  return gathered.take();
}

} // namespace heddle::tools
