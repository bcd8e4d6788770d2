// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks for C++: RAII over ranks.h, header only, as heddle.hpp is over heddle.h.
//
//   heddle::World world(2);                                     // two ranks, as threads of this process
//   std::vector<std::thread> ranks;
//   for (uint32_t m = 0; m < world.members(); ++m)
//     ranks.emplace_back([&, m] {
//       heddle::Module module = world.load("model.heddle", m, "x=2");
//       heddle::Invocation call(module);
//       …
//     });
#ifndef HEDDLE_RANKS_HPP
#define HEDDLE_RANKS_HPP

#include "heddle/heddle.hpp"
#include "heddle/ranks.h"

namespace heddle {

// A share of a world.
class World {
public:
  // 0 ranks: what the launcher says, one without it.
  explicit World(uint32_t ranks = 0, const char *transport = nullptr, uint64_t timeoutNs = 0) {
    heddle_world_options options{sizeof(heddle_world_options), ranks, transport, timeoutNs};
    check(heddle_world_create(&options, &raw_));
  }
  explicit World(heddle_world *owned) : raw_(owned) {}
  World(const World &other) : raw_(other.raw_) {
    if (raw_)
      heddle_world_retain(raw_);
  }
  World(World &&other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  World &operator=(World other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~World() { heddle_world_release(raw_); }

  uint32_t size() const { return heddle_world_size(raw_); }
  const char *transport() const { return heddle_world_transport(raw_); }
  uint32_t members() const { return heddle_world_local_count(raw_); }
  uint32_t rank(uint32_t member) const { return heddle_world_local_rank(raw_, member); }
  void abort(uint32_t member, StatusCode code, const char *message) {
    heddle_world_abort(raw_, member, heddle_status_create(code, message));
  }
  // A member's module: returns when all ranks have loaded theirs. `mesh`: sizes of free axes, "x=2,y=2".
  Module load(const std::string &path, uint32_t member, const std::string &mesh = "",
              const std::vector<std::string> &devices = {}) const {
    std::vector<const char *> uris;
    for (const std::string &device : devices)
      uris.push_back(device.c_str());
    heddle_load_options options{};
    options.struct_size = sizeof(options);
    options.device_count = static_cast<uint32_t>(uris.size());
    options.devices = uris.data();
    options.world = raw_;
    options.member = member;
    options.mesh = mesh.c_str();
    heddle_module *module = nullptr;
    check(heddle_module_load_file(path.c_str(), &options, &module));
    return Module(module);
  }
  heddle_world *raw() const { return raw_; }

private:
  heddle_world *raw_ = nullptr;
};

// heddle_module_pieces()
inline std::string piecesOf(const Module &module) {
  char *text = nullptr;
  check(heddle_module_pieces(module.raw(), &text));
  std::string out = text;
  heddle_string_release(text);
  return out;
}

} // namespace heddle

#endif // HEDDLE_RANKS_HPP
