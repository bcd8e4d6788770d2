// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How fast this machine's devices are and how fast data moves between them: what `heddle compile --topology=` reads.
#ifndef HEDDLE_TOOLS_DEVICES_MEASURE_H
#define HEDDLE_TOOLS_DEVICES_MEASURE_H

#include <optional>
#include <string>
#include <vector>

namespace heddle::tools {

struct MeasuredDevice {
  std::string name; // "local[0]": the driver, and which of its devices in the order measured
  std::string uri;
  // 10^9 f32 additions and multiplications a second: of a processor what its registers do, of other devices what a
  // compiled product reaches; none where `note` says why.
  std::optional<double> gflops;
  std::string note;
  double memoryGbps = 0; // 10^9 bytes read and written a second by a copy within the device
};

struct MeasuredLink {
  std::string from, to; // names; "host": memory of the process
  double bandwidthGbps = 0;
  double latencyUs = 0;     // of the smallest copy on a stream of `to`, issue to completion
  bool unified = false;     // either device's kernels use the other's memory
  bool transparent = false; // kernels of `to` can read memory of `from` in place
};

struct Measurement {
  std::vector<MeasuredDevice> devices;
  std::vector<MeasuredLink> links; // every ordered pair of devices, then host and each device
};

// Opens the devices; none named: all available ones that compute (not null, nor sim's). Takes about a second for each
// pair, and some for each device that is no processor. Throws UsageError for a URI that names none, Failure when a
// device cannot be opened or fails.
Measurement measureDevices(const std::vector<std::string> &uris);

// The file's text, and a table for people.
std::string toJson(const Measurement &measurement);
std::string toTable(const Measurement &measurement);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_DEVICES_MEASURE_H
