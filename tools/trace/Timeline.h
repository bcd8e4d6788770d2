// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What calls did when, as plain data: the slices the runtime handed out, the lanes they lie on, what followed from
// what.
#ifndef HEDDLE_TOOLS_TRACE_TIMELINE_H
#define HEDDLE_TOOLS_TRACE_TIMELINE_H

#include "heddle/heddle.h"

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::tools {

struct Slice {
  heddle_trace_kind kind = HEDDLE_TRACE_DISPATCH;
  std::string name, source;
  int32_t device = -1;         // index into Timeline::devices; below 0: the host, hostOf(rank)
  uint32_t stream = 0;         // of the host 0: the instructions, 1: the collectives
  uint64_t begin = 0, end = 0; // ns since the first slice of the timeline
  uint64_t bytes = 0;
  int32_t from = -1, to = -1; // of a copy
  uint64_t event = 0;
  uint32_t call = 0;
  // Of a collective: how many ranks meet, the first of them, and its number among those of the same ranks in a call.
  uint32_t groupSize = 0, groupFirst = 0;
  uint64_t sequence = 0;

  bool isWork() const { return kind <= HEDDLE_TRACE_FILL; }
  // A copy between the memories of two devices, or of the host and a device.
  bool isTransfer() const { return kind == HEDDLE_TRACE_COPY && from != to; }
};

// The slice `to` had to wait for the slice `from`, on another lane.
struct Flow {
  size_t from = 0, to = 0; // indices of slices
  bool transfer = false;   // `to` moves bytes from the device of `from`
};

struct Call {
  uint64_t begin = 0, end = 0;
};

struct Timeline {
  struct Device {
    std::string name, uri;
    uint32_t cores = 0;
    uint32_t rank = 0;
  };
  std::string title; // "model.heddle: main"
  std::vector<Device> devices;
  std::vector<Slice> slices; // in order of issue
  std::vector<Call> calls;
  uint32_t ranks = 1; // more: those of a program, put together by mergeRanks()

  static int32_t hostOf(uint32_t rank) { return -1 - static_cast<int32_t>(rank); }
  uint32_t rankOf(int32_t device) const;        // of a device, or of a host
  uint64_t makespan() const;                    // sum over calls
  std::string deviceName(int32_t device) const; // "host" for the host of one rank
  // Lanes that have slices, by rank: the host's first, then by device and stream.
  std::vector<std::pair<int32_t, uint32_t>> lanes() const;
  // Time in which a device did at least one dispatch, copy or fill.
  uint64_t busy(int32_t device) const;
  // From what preceded an event to what waited for it on another lane; a transfer without an event is bound to the last
  // work of its source device that was done before.
  std::vector<Flow> flows() const;
};

// Times become relative to the first slice.
void normalize(Timeline &timeline);

// Devices with a time of their own (`sim`): what the host did, in real time, goes, and a call lasts from its first
// slice to its last.
void useDeviceTime(Timeline &timeline);

// JSON for chrome://tracing and ui.perfetto.dev: a process per device, a thread per stream, complete events ("X"),
// flow arrows ("s", "f").
std::string toChromeTrace(const Timeline &timeline);

// A picture for a document: one self-contained SVG that follows the reader's light or dark scheme.
std::string toSvg(const Timeline &timeline);

// For people: per device how busy, transfers, and a table of the work by kernel, node and device, its longest `rows`.
std::string toSummary(const Timeline &timeline, size_t rows = 10);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_TRACE_TIMELINE_H
