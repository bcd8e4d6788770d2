// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle.h: artifacts, modules, entry points.
#include "runtime/capi/Capi.h"

#include "heddle/contract/Certificate.h"
#include "heddle/contract/ProgramCheck.h"
#include "heddle/contract/Text.h"
#include "runtime/base/DeviceUri.h"
#include "runtime/executor/program/BoundProgram.h"
#include "runtime/match/PlanText.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace heddle;

namespace {

Status give(StatusOr<std::shared_ptr<const Artifact>> opened, heddle_artifact **artifact) {
  if (!opened.ok())
    return opened.takeStatus();
  *artifact = new heddle_artifact{std::move(*opened)};
  return {};
}

// The URI with the number of threads that the caller wants, where it is the processor's and has none.
std::string withThreads(const std::string &text, uint32_t threads) {
  StatusOr<DeviceUri> uri = DeviceUri::parse(text);
  if (!uri.ok() || (uri->driver != "local" && uri->driver != "cpu") || uri->find("threads"))
    return text;
  uri->options.emplace_back("threads", std::to_string(threads));
  return uri->text();
}

// Those that the caller names; with a number of threads, else, those that would be tried without.
StatusOr<std::vector<std::string>> urisOf(const fb::Module &module, const heddle_load_options &options) {
  std::vector<std::string> uris;
  for (uint32_t i = 0; i < options.device_count; ++i)
    uris.emplace_back(options.devices[i]);
  if (!options.threads)
    return uris;
  if (uris.empty()) {
    StatusOr<LoadPlan> plan = planLoad(module, {});
    if (!plan.ok())
      return plan.takeStatus();
    for (const DeviceInfo &info : plan->available)
      if (info.available)
        uris.push_back(info.uri);
  }
  for (std::string &uri : uris)
    uri = withThreads(uri, options.threads);
  return uris;
}

// What the caller says, with what it does not know of at its default.
heddle_load_options complete(const heddle_load_options *options) {
  heddle_load_options out{};
  out.struct_size = sizeof(out);
  if (options)
    std::memcpy(&out, options, std::min<size_t>(std::max<size_t>(options->struct_size, 4), sizeof(out)));
  return out;
}

bool checksPrograms(const heddle_load_options &options) {
  const char *always = std::getenv("HEDDLE_CHECK_PROGRAMS");
  return options.check_program || (always && std::string_view(always) != "" && std::string_view(always) != "0");
}

// The certificate is this program's, and what it is about holds for the ranks of this load. Of a process's members the
// first one does it for all.
Status checkProgram(const Artifact &artifact, const heddle_load_options &options) {
  const fb::Module &module = artifact.module();
  if (!module.certificate())
    return Status(StatusCode::Unsupported, "the artifact has no certificate, so its host program cannot be checked; "
                                           "compile it again, or load it without the check");
  contract::CheckRequest request;
  StatusOr<MeshSizes> sizes =
      sizeMeshes(module, options.mesh ? options.mesh : "", options.world ? options.world->world->size() : 0);
  if (!sizes.ok())
    return sizes.takeStatus();
  for (uint32_t m = 0; m < sizes->size(); ++m)
    for (uint32_t a = 0; a < (*sizes)[m].size(); ++a)
      request.axes[module.meshes()->Get(m)->axes()->Get(a)->name()->str()] = (*sizes)[m][a];
  std::string why = contract::explainCertificate(module);
  if (why.empty()) {
    contract::ProgramReport report = contract::checkProgram(module, request);
    why = report.wrong + report.request;
  }
  return why.empty() ? Status() : Status(StatusCode::Malformed, "the host program is not right: " + why);
}

Status verify(const Artifact &artifact, const heddle_load_options &options) {
  if (options.struct_size < offsetof(heddle_load_options, allow_native)) // all that the first header had
    return Status(StatusCode::InvalidArgument,
                  "heddle_load_options.struct_size must be sizeof(heddle_load_options), got " +
                      std::to_string(options.struct_size));
  if (options.allow_native != HEDDLE_ALLOW_NATIVE_ALWAYS && options.allow_native != HEDDLE_ALLOW_NATIVE_NEVER)
    return Status(StatusCode::InvalidArgument, "allow_native takes HEDDLE_ALLOW_NATIVE_ALWAYS (0) or "
                                               "HEDDLE_ALLOW_NATIVE_NEVER (1), got " +
                                                   std::to_string(options.allow_native));
  if (options.allow_native == HEDDLE_ALLOW_NATIVE_NEVER)
    HEDDLE_RETURN_IF_ERROR(artifact.refuseNative());
  if (options.verify_hashes)
    HEDDLE_RETURN_IF_ERROR(artifact.verifyHashes());
  else if (options.verify_parameters)
    HEDDLE_RETURN_IF_ERROR(artifact.verifyParameters());
  return Status();
}

Status copyText(const std::string &text, char **out) {
  char *copy = static_cast<char *>(std::malloc(text.size() + 1));
  if (!copy)
    return Status::outOfMemory();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  *out = copy;
  return {};
}

// A line for each device that was named and that nothing of the program got.
std::string describeUnused(const MatchedPlan &plan) {
  std::string out;
  for (size_t i : unusedDevices(plan))
    out += "not used: " + plan.available[i].uri + "\n";
  return out;
}

// Makes the plan and copies the text that `write` returns for it.
template <typename Write>
heddle_status *writePlan(const heddle_artifact *artifact, const heddle_load_options *options, char **text,
                         Write &&write) {
  return entry([&]() -> Status {
    heddle_load_options given = complete(options);
    HEDDLE_RETURN_IF_ERROR(verify(*artifact->artifact, given));
    StatusOr<std::vector<std::string>> uris = urisOf(artifact->artifact->module(), given);
    if (!uris.ok())
      return uris.takeStatus();
    StatusOr<LoadPlan> plan = planLoad(artifact->artifact->module(), *uris);
    if (!plan.ok())
      return plan.takeStatus();
    return copyText(write(MatchedPlan{plan->requirements, plan->executables, plan->matches, plan->available}, given),
                    text);
  });
}

Status describeDevices(const heddle_module &module, std::shared_ptr<const Module> current) {
  auto devices = std::make_unique<heddle_module::Devices>();
  for (const DeviceSlot &slot : current->devices())
    devices->infos.push_back({slot.requirement.name.c_str(), slot.info.uri.c_str(), slot.match.alternative,
                              slot.match.note.c_str(), slot.info.cores});
  devices->module = std::move(current);
  module.devices.push_back(std::move(devices));
  return {};
}

void describeGlobals(heddle_module &module) {
  const auto *globals = module.live->first()->metadata().globals();
  for (uint32_t i = 0; globals && i < globals->size(); ++i) {
    const fb::Global &global = *globals->Get(i);
    std::vector<heddle_dim> &dims = module.globalDims.emplace_back();
    for (uint32_t d = 0; global.dims() && d < global.dims()->size(); ++d) {
      int64_t size = global.dims()->Get(d);
      dims.push_back({size, "", std::max<int64_t>(size, 0), size < 0 ? INT64_MAX : size});
    }
    module.globals.push_back({global.name() ? global.name()->c_str() : "",
                              static_cast<heddle_element_type>(global.type()), static_cast<uint32_t>(dims.size()),
                              dims.data()});
  }
}

using KeyValues = flatbuffers::Vector<flatbuffers::Offset<fb::KeyValue>>;

// Borrowed from the artifact, which the module keeps.
std::vector<heddle_key_value> describe(const KeyValues *pairs) {
  std::vector<heddle_key_value> out;
  for (uint32_t i = 0; pairs && i < pairs->size(); ++i) {
    const fb::KeyValue &pair = *pairs->Get(i);
    out.push_back({pair.key() ? pair.key()->c_str() : "", pair.value() ? pair.value()->c_str() : ""});
  }
  return out;
}

StatusOr<RankOptions> ranksOf(const Artifact &artifact, const heddle_load_options &given) {
  RankOptions ranks;
  ranks.mesh = given.mesh ? given.mesh : "";
  ranks.member = given.member;
  if (given.world) {
    ranks.world = given.world->world;
    return ranks;
  }
  if (artifact.module().meshes() && artifact.module().meshes()->size()) {
    StatusOr<std::shared_ptr<World>> alone = createLoneWorld();
    if (!alone.ok())
      return alone.takeStatus();
    ranks.world = std::move(*alone);
  }
  return ranks;
}

// A load that fails before it meets the others.
Status tellRanks(const heddle_load_options &given, Status failure) {
  if (given.world && !failure.ok())
    given.world->world->abort(given.member, failure);
  return failure;
}

Status load(std::shared_ptr<const Artifact> artifact, const heddle_load_options &given, heddle_module **out) {
  HEDDLE_RETURN_IF_ERROR(tellRanks(given, verify(*artifact, given)));
  if (given.member == 0 && checksPrograms(given))
    HEDDLE_RETURN_IF_ERROR(tellRanks(given, checkProgram(*artifact, given)));
  StatusOr<RankOptions> ranks = ranksOf(*artifact, given);
  if (!ranks.ok())
    return ranks.takeStatus();
  StatusOr<std::vector<std::string>> uris = urisOf(artifact->module(), given);
  if (!uris.ok())
    return tellRanks(given, uris.takeStatus());
  bool fallsBack = given.on_device_lost == HEDDLE_ON_DEVICE_LOST_FALLBACK;
  StatusOr<std::shared_ptr<LiveModule>> live =
      LiveModule::load(std::move(artifact), std::move(*uris),
                       fallsBack ? LiveModule::OnLoss::Fallback : LiveModule::OnLoss::Reopen, runBindFunction,
                       /*keepsPacked=*/given.allow_native == HEDDLE_ALLOW_NATIVE_ALWAYS, // else it is not trusted
                       std::move(*ranks));
  if (!live.ok())
    return live.takeStatus();
  auto result = std::make_unique<heddle_module>();
  result->own = {*live, (*live)->state()};
  result->live = std::move(*live);
  describeGlobals(*result);
  result->modelFacts = describe(result->live->first()->metadata().model());
  result->metadata = describe(result->live->first()->metadata().metadata());
  describeMeshes(*result->live->first(), result->meshes);
  HEDDLE_RETURN_IF_ERROR(describeDevices(*result, result->live->current()));
  *out = result.release();
  return {};
}

// The devices of the module as it is loaded now; without memory for their description, as it was before.
const std::vector<heddle_module_device_info> &devicesOf(const heddle_module &module) {
  std::shared_ptr<const Module> current = module.live->current();
  std::lock_guard lock(module.mutex);
  if (module.devices.back()->module != current)
    (void)guarded([&] { return describeDevices(module, std::move(current)); });
  return module.devices.back()->infos;
}

} // namespace

heddle_status *heddle_artifact_open_file(const char *path, heddle_artifact **artifact) {
  return entry([&] { return give(Artifact::openFile(path ? path : ""), artifact); });
}
heddle_status *heddle_artifact_open_memory(const void *data, uint64_t bytes, heddle_artifact **artifact) {
  return entry([&] { return give(Artifact::openMemory({static_cast<const std::byte *>(data), bytes}), artifact); });
}
const void *heddle_artifact_metadata(const heddle_artifact *artifact, uint64_t *bytes) {
  std::span<const std::byte> metadata = artifact->artifact->metadata();
  if (bytes)
    *bytes = metadata.size();
  return metadata.data();
}
const void *heddle_artifact_data(const heddle_artifact *artifact, uint64_t *bytes) {
  if (bytes)
    *bytes = artifact->artifact->bytes().size();
  return artifact->artifact->bytes().data();
}
heddle_status *heddle_artifact_verify_parameters(const heddle_artifact *artifact) {
  return entry([&] { return artifact->artifact->verifyParameters(); });
}
heddle_status *heddle_artifact_verify(const heddle_artifact *artifact) {
  return entry([&] { return artifact->artifact->verifyHashes(); });
}
void heddle_artifact_release(heddle_artifact *artifact) { delete artifact; }

heddle_status *heddle_module_load(heddle_artifact *artifact, const heddle_load_options *options,
                                  heddle_module **module) {
  return entry([&] {
    heddle_load_options given = complete(options);
    if (given.copy_file)
      return Status(StatusCode::InvalidArgument,
                    "copy_file is an option of heddle_module_load_file(); an artifact that "
                    "is open is mapped, or in memory");
    if (given.world)
      HEDDLE_RETURN_IF_ERROR(checkMember(*given.world, given.member));
    return load(artifact->artifact, given, module);
  });
}

heddle_status *heddle_module_load_file(const char *path, const heddle_load_options *options, heddle_module **module) {
  return entry([&] {
    heddle_load_options given = complete(options);
    if (given.world)
      HEDDLE_RETURN_IF_ERROR(checkMember(*given.world, given.member));
    StatusOr<std::shared_ptr<const Artifact>> artifact =
        Artifact::openFile(path ? path : "", given.copy_file ? Artifact::Access::Copy : Artifact::Access::Map);
    return artifact.ok() ? load(std::move(*artifact), given, module) : tellRanks(given, artifact.takeStatus());
  });
}

void heddle_module_retain(heddle_module *module) { module->references.fetch_add(1, std::memory_order_relaxed); }
void heddle_module_release(heddle_module *module) {
  if (module && module->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete module;
}

heddle_status *heddle_module_plan(const heddle_artifact *artifact, const heddle_load_options *options, char **text) {
  return writePlan(artifact, options, text, [](const MatchedPlan &plan, const heddle_load_options &given) {
    return contract::showText(describePlan(plan) + (given.device_count ? describeUnused(plan) : ""));
  });
}

heddle_status *heddle_module_plan_json(const heddle_artifact *artifact, const heddle_load_options *options,
                                       char **json) {
  return writePlan(artifact, options, json,
                   [](const MatchedPlan &plan, const heddle_load_options &) { return planJson(plan); });
}

void heddle_string_release(char *text) { std::free(text); }

uint32_t heddle_module_device_count(const heddle_module *module) {
  return static_cast<uint32_t>(devicesOf(*module).size());
}
const heddle_module_device_info *heddle_module_device(const heddle_module *module, uint32_t index) {
  const std::vector<heddle_module_device_info> &devices = devicesOf(*module);
  return index < devices.size() ? &devices[index] : nullptr;
}

uint32_t heddle_module_metadata_count(const heddle_module *module) {
  return static_cast<uint32_t>(module->metadata.size());
}
const heddle_key_value *heddle_module_metadata(const heddle_module *module, uint32_t index) {
  return index < module->metadata.size() ? &module->metadata[index] : nullptr;
}
const char *heddle_module_model_fact(const heddle_module *module, const char *name) {
  for (const heddle_key_value &fact : module->modelFacts)
    if (name && std::string_view(fact.key) == name)
      return fact.value;
  return "";
}

heddle_status *heddle_module_warnings(const heddle_module *module, char **text) {
  return entry([&] { return copyText(contract::showText(module->live->warnings()), text); });
}

heddle_status *heddle_module_pieces(const heddle_module *module, char **text) {
  return entry([&] { return copyText(contract::showText(module->live->current()->pieces()), text); });
}

void heddle_module_get_load_statistics(const heddle_module *module, heddle_load_statistics *statistics) {
  const LoadStatistics &from = module->live->current()->statistics();
  heddle_load_statistics out{statistics->struct_size, 0, from.packed, from.cached, from.uploadedBytes};
  std::memcpy(statistics, &out, std::min<size_t>(statistics->struct_size, sizeof(out)));
}

heddle_status *heddle_module_bound_program(const heddle_module *module, uint32_t entry_point, char **json) {
  return entry([&]() -> Status {
    std::shared_ptr<const Module> current = module->live->current();
    size_t entries = current->entryPoints().size();
    if (entry_point >= entries)
      return Status(StatusCode::InvalidArgument, "the module has " + std::to_string(entries) +
                                                     " entry points, got index " + std::to_string(entry_point));
    return copyText(boundProgramJson(current->metadata(), current->facts(), *current->entryPoints()[entry_point]),
                    json);
  });
}

uint32_t heddle_module_entry_point_count(const heddle_module *module) {
  return static_cast<uint32_t>(module->live->first()->entryPoints().size());
}
const heddle_entry_point_info *heddle_module_entry_point(const heddle_module *module, uint32_t index) {
  std::span<const Function *const> entries = module->live->first()->entryPoints();
  return index < entries.size() ? &entries[index]->info : nullptr;
}
heddle_status *heddle_module_find_entry_point(const heddle_module *module, const char *name, uint32_t *index) {
  return entry([&]() -> Status {
    StatusOr<uint32_t> found = module->live->first()->findEntryPoint(name ? name : "");
    if (!found.ok())
      return found.takeStatus();
    *index = *found;
    return {};
  });
}

uint32_t heddle_module_donation(const heddle_module *module, uint32_t entry_point, uint32_t argument) {
  std::span<const Function *const> functions = module->live->first()->entryPoints();
  if (entry_point < functions.size())
    for (const Donation &donation : functions[entry_point]->donations)
      if (donation.argument == argument)
        return donation.result;
  return HEDDLE_NO_RESULT;
}

const heddle_tensor *heddle_module_default(const heddle_module *module, uint32_t entry_point, uint32_t argument) {
  std::span<const Function *const> functions = module->live->first()->entryPoints();
  if (entry_point >= functions.size() || argument >= functions[entry_point]->defaults.size())
    return nullptr;
  const heddle_tensor &tensor = functions[entry_point]->defaults[argument];
  return tensor.type == HEDDLE_NONE ? nullptr : &tensor;
}

uint32_t heddle_module_global_count(const heddle_module *module) {
  return static_cast<uint32_t>(module->globals.size());
}
const heddle_value_info *heddle_module_global(const heddle_module *module, uint32_t index) {
  return index < module->globals.size() ? &module->globals[index] : nullptr;
}
void heddle_module_seed(heddle_module *module, uint64_t seed) { module->live->current()->draws().seed(seed); }

heddle_state *heddle_module_state(heddle_module *module) { return &module->own; }

heddle_status *heddle_state_create(heddle_module *module, heddle_state **state) {
  return entry([&] {
    *state = new heddle_state{module->live, std::make_shared<State>(*module->live->current())};
    return Status();
  });
}
heddle_status *heddle_state_reset(heddle_state *state) {
  return entry([&] {
    state->state->reset();
    return Status();
  });
}
uint64_t heddle_state_bytes(const heddle_state *state) {
  StatusOr<uint64_t> bytes = guarded([&] { return StatusOr<uint64_t>(state->state->bytes()); });
  return bytes.ok() ? *bytes : 0;
}
void heddle_state_release(heddle_state *state) { delete state; }
