// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/sim/SimModel.h"

#include "heddle/contract/CollectiveTime.h"
#include "heddle/contract/Suggest.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>

namespace heddle::sim {
namespace {

constexpr std::string_view kDeviceKeys[] = {"gflops", "memory_gbps", "launch_us", "workgroup_us", "units",  "queues",
                                            "memory", "link_gbps",   "link_us",   "host_gbps",    "host_us"};
constexpr std::string_view kLinkKeys[] = {"gbps", "us"};

Status wrong(const std::string &what) { return Status(StatusCode::InvalidArgument, what); }

// A number above 0; `zero` allows 0.
Status readNumber(const std::string &key, const std::string &text, double &out, bool zero) {
  char *end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end || !std::isfinite(value) || value < 0 || (value == 0 && !zero))
    return wrong(key + "= takes a number " + (zero ? "from 0" : "above 0") + ", got '" + text + "'");
  out = value;
  return {};
}

Status set(SimModel &model, const std::string &key, const std::string &value) {
  if (key == "gflops")
    return readNumber(key, value, model.gflops, false);
  if (key == "memory_gbps")
    return readNumber(key, value, model.memoryGbps, false);
  if (key == "launch_us")
    return readNumber(key, value, model.launchUs, true);
  if (key == "workgroup_us")
    return readNumber(key, value, model.workgroupUs, true);
  if (key == "link_gbps")
    return readNumber(key, value, model.link.gbps, false);
  if (key == "link_us")
    return readNumber(key, value, model.link.us, true);
  if (key == "host_gbps" || key == "host_us") {
    Link &host = model.links[std::string(kHost)];
    return readNumber(key, value, key == "host_us" ? host.us : host.gbps, key == "host_us");
  }
  if (key == "memory") {
    StatusOr<uint64_t> bytes = parseByteCount(value);
    if (bytes.ok())
      model.memoryBytes = *bytes;
    return bytes.takeStatus();
  }
  double count = 0, most = key == "queues" ? 64 : 1e6;
  HEDDLE_RETURN_IF_ERROR(readNumber(key, value, count, false));
  if (count != std::floor(count) || count > most)
    return wrong(key + "= takes a whole number up to " + std::to_string(static_cast<int>(most)) + ", got '" + value +
                 "'");
  (key == "queues" ? model.queues : model.units) = static_cast<uint32_t>(count);
  return {};
}

StatusOr<std::pair<std::string, std::string>> split(const std::string &word, std::span<const std::string_view> keys) {
  size_t equal = word.find('=');
  std::string key = word.substr(0, equal);
  if (equal == word.npos || std::find(keys.begin(), keys.end(), key) == keys.end()) {
    std::string list;
    for (std::string_view one : keys)
      list += (list.empty() ? "" : ", ") + std::string(one) + "=";
    return wrong("what can be said is " + list + ", got '" + word + "'" + contract::didYouMean(key, keys));
  }
  return std::pair(key, word.substr(equal + 1));
}

// One line of a file, in words, as far as it is about the device.
Status readLine(const std::vector<std::string> &words, SimModel &model, bool &found) {
  if (words[0] == "device" && words.size() >= 2) {
    found |= words[1] == model.name;
    for (size_t i = 2; i < words.size(); ++i) {
      auto pair = split(words[i], kDeviceKeys);
      if (!pair.ok())
        return pair.takeStatus();
      SimModel other;
      HEDDLE_RETURN_IF_ERROR(set(words[1] == model.name ? model : other, pair->first, pair->second));
    }
    return {};
  }
  if (words[0] == "link" && words.size() >= 3) {
    Link link;
    for (size_t i = 3; i < words.size(); ++i) {
      auto pair = split(words[i], kLinkKeys);
      if (!pair.ok())
        return pair.takeStatus();
      bool latency = pair->first == "us";
      HEDDLE_RETURN_IF_ERROR(readNumber(pair->first, pair->second, latency ? link.us : link.gbps, latency));
    }
    if (words[2] == model.name)
      model.links[words[1]] = link;
    return {};
  }
  return wrong("a line is 'device NAME key=value…' or 'link FROM TO gbps=… us=…', got '" + words[0] + "'");
}

std::vector<std::string> wordsOf(std::string_view line) {
  constexpr std::string_view kSpace = " \t\r\v\f";
  std::vector<std::string> words;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(kSpace), line.size()));
    if (line.empty())
      return words;
    words.emplace_back(line.substr(0, line.find_first_of(kSpace)));
    line.remove_prefix(words.back().size());
  }
}

// By C's streams: those of C++ would be half a megabyte of this library where libstdc++ is linked into it.
StatusOr<std::string> readFile(const std::string &path) {
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  std::string text;
  char part[4096];
  while (file) {
    const size_t count = std::fread(part, 1, sizeof(part), file.get());
    text.append(part, count);
    if (count < sizeof(part))
      break;
  }
  if (!file || std::ferror(file.get()))
    return Status(StatusCode::NotFound, "cannot read the model of the simulated machine '" + path + "'");
  return text;
}

uint64_t toNs(double ns) { return static_cast<uint64_t>(std::llround(ns)); }

} // namespace

StatusOr<SimModel> SimModel::parse(std::string_view text, const std::string &name, const std::string &from) {
  SimModel model;
  model.name = name;
  bool found = false;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::vector<std::string> words = wordsOf(line.substr(0, line.find('#')));
    if (words.empty())
      continue;
    if (Status status = readLine(words, model, found); !status.ok())
      return std::move(status).prefix(from + ":" + std::to_string(number) + ": ");
  }
  if (!found)
    return Status(StatusCode::NotFound, "the model " + from + " must declare the device, got no 'device " + name + "'");
  return model;
}

StatusOr<SimModel> SimModel::of(const DeviceUri &uri) {
  std::vector<std::string_view> known(std::begin(kDeviceKeys), std::end(kDeviceKeys));
  known.push_back("model");
  HEDDLE_RETURN_IF_ERROR(uri.refuseUnknownOptions(known));
  SimModel model;
  if (!uri.path.empty())
    model.name = uri.path;
  if (const std::string *path = uri.find("model")) {
    StatusOr<std::string> text = readFile(*path);
    if (!text.ok())
      return text.takeStatus();
    StatusOr<SimModel> declared = parse(*text, model.name, *path);
    if (!declared.ok())
      return declared;
    model = std::move(*declared);
  }
  for (const auto &[key, value] : uri.options)
    if (key != "model")
      HEDDLE_RETURN_IF_ERROR(set(model, key, value));
  return model;
}

const Link &SimModel::linkFrom(const std::string &source) const {
  auto stated = links.find(source);
  return stated == links.end() ? link : stated->second;
}

uint64_t SimModel::dispatchNs(int64_t workgroups, uint64_t flops, uint64_t bytes) const {
  if (workgroups == 0)
    return 0;
  if (flops || bytes)
    return toNs(1000 * launchUs +
                std::max(static_cast<double>(flops) / gflops, static_cast<double>(bytes) / memoryGbps));
  double rounds = std::ceil(static_cast<double>(workgroups) / units);
  return toNs(1000 * (launchUs + rounds * workgroupUs));
}

uint64_t SimModel::memoryNs(uint64_t bytes) const {
  return bytes ? toNs(1000 * launchUs + static_cast<double>(bytes) / memoryGbps) : 0;
}

uint64_t SimModel::moveNs(const std::string &source, uint64_t bytes) const {
  const Link &way = linkFrom(source);
  return bytes ? toNs(1000 * way.us + static_cast<double>(bytes) / way.gbps) : 0;
}

std::pair<uint64_t, uint64_t> SimModel::collectiveNs(contract::CollectiveKind kind, int64_t members,
                                                     uint64_t bytes) const {
  if (!bytes) // no message is sent
    return {0, 0};
  auto time = contract::collectiveTime(kind, members, static_cast<double>(bytes), link.us, link.gbps);
  uint64_t busy = toNs(time.busy);
  return {busy, toNs(time.all()) - busy};
}

} // namespace heddle::sim
