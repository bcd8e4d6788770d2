// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/inspect/Certificates.h"

#include "heddle/contract/Certificate.h"
#include "heddle/contract/ProgramCheck.h"
#include "tools/lib/Error.h"

#include <charconv>

namespace heddle::tools {
namespace {

template <typename Kind> Json sentences(const std::vector<uint8_t> &kinds) {
  Json out = Json::array();
  for (uint8_t kind : kinds)
    if (std::string_view sentence = contract::sentenceOf(static_cast<Kind>(kind)); !sentence.empty())
      out.push_back(std::string(sentence));
    else
      out.push_back("what a later version of Heddle knows (" + std::to_string(kind) + ")");
  return out;
}

std::string hex(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(value));
  return text;
}

void readSize(const std::string &text, const char *flag, std::map<std::string, int64_t> &to) {
  size_t equals = text.rfind('=');
  int64_t size = 0;
  const char *end = text.data() + text.size();
  bool isGood = equals != std::string::npos && equals > 0 && equals + 1 < text.size();
  if (isGood) {
    auto [stop, error] = std::from_chars(text.data() + equals + 1, end, size);
    isGood = error == std::errc() && stop == end;
  }
  if (!isGood)
    throw UsageError(std::string(flag) + " takes NAME=SIZE, got '" + text + "'");
  if (!to.try_emplace(text.substr(0, equals), size).second)
    throw UsageError(std::string(flag) + " names '" + text.substr(0, equals) + "' twice");
}

std::string nameOf(const fb::ModuleT &module, uint32_t function) {
  return function < module.functions.size() ? module.functions[function]->name : "?";
}

} // namespace

Json certificateJson(const fb::ModuleT &module) {
  if (!module.certificate)
    return nullptr;
  const fb::CertificateT &certificate = *module.certificate;
  Json programs = Json::array();
  for (const auto &proved : certificate.functions) {
    Json meshes = Json::array();
    for (uint32_t mesh : proved->meshes)
      meshes.push_back(mesh < module.meshes.size() ? module.meshes[mesh]->name : "?");
    programs.push_back({{"name", nameOf(module, proved->function)},
                        {"meshes", meshes},
                        {"proved", sentences<contract::Proved>(proved->proved)},
                        {"assumed", sentences<contract::Assumed>(proved->assumed)},
                        {"left", sentences<contract::Left>(proved->left)},
                        {"dataflow", hex(proved->dataflow)}});
  }
  return {{"version", certificate.version}, {"hash", hex(certificate.hash)}, {"programs", programs}};
}

std::vector<std::string> certificateLines(const Json &certificate) {
  std::vector<std::string> lines;
  Json last;
  for (const Json &program : certificate["programs"]) {
    // Entry points of which the same is proved share the sentences.
    Json what = program;
    what.erase("name");
    what.erase("dataflow");
    if (what == last) {
      lines.push_back(program["name"].get<std::string>() + ": the same");
      continue;
    }
    last = what;
    std::string on;
    for (const Json &mesh : program["meshes"])
      on += (on.empty() ? ", on all ranks of " : ", ") + mesh.get<std::string>();
    lines.push_back(program["name"].get<std::string>() + on + ":");
    for (auto [key, title] : {std::pair("proved", "proved: "), {"assumed", "given that "}, {"left", "left: "}})
      for (const Json &sentence : program[key])
        lines.push_back(std::string("  ") + title + sentence.get<std::string>());
  }
  return lines;
}

Json verifyProgram(const fb::Module &module, const std::vector<std::string> &dims, const std::string &axes) {
  contract::CheckRequest request;
  for (const std::string &dim : dims)
    readSize(dim, "--dim", request.dims);
  for (size_t at = 0; at < axes.size();) {
    size_t end = std::min(axes.find(',', at), axes.size());
    readSize(axes.substr(at, end - at), "--mesh", request.axes);
    at = end + 1;
  }
  if (std::string why = contract::explainCertificate(module); !why.empty())
    throw Failure(why);
  contract::ProgramReport report = contract::checkProgram(module, request);
  if (!report.request.empty())
    throw UsageError(report.request);
  if (!report.wrong.empty())
    throw Failure(report.wrong);
  Json checked = Json::array();
  for (const contract::CheckedEntry &entry : report.entries)
    checked.push_back({{"name", entry.name},
                       {"cases", entry.cases},
                       {"refused", entry.refused},
                       {"complete", entry.isWhole},
                       {"told_by_data", entry.toldByData},
                       {"sizes", entry.sizes}});
  return checked;
}

std::string checkedLine(const Json &entry) {
  std::string out = entry["name"].get<std::string>() + ": holds ";
  if (entry["complete"])
    return out + "for every call";
  out += "in " + entry["cases"].dump() + (entry["cases"] == 1 ? " case" : " cases");
  if (std::string sizes = entry["sizes"]; !sizes.empty())
    out += ": " + sizes;
  if (entry["told_by_data"])
    out += "; of what data tell some values were tried";
  return out;
}

} // namespace heddle::tools
