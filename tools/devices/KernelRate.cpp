// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/devices/KernelRate.h"

#include "tools/lib/Json.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;

constexpr int kShort = 1, kLong = 5; // products in the two chains
constexpr double kSeconds = 0.3;     // each chain is measured so long

// A folder that goes with the object.
class Folder {
public:
  Folder() {
    std::error_code error;
    std::string pattern = (fs::temp_directory_path(error) / "heddle-rate-XXXXXX").string();
    if (!error && mkdtemp(pattern.data()))
      path = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    if (!path.empty())
      fs::remove_all(path, ignored);
  }
  fs::path path; // empty: it could not be made
};

// The program beside this one.
fs::path programOf(const std::string &name) {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path() / name;
}

std::string readFile(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Runs a program with its output in files; whether it ended well.
bool runProgram(std::vector<std::string> words, const fs::path &output, const fs::path &errors) {
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  int failed = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 1;
  return !failed && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// y = x · x · … · x; `count` products of size³ multiplications and additions.
std::string chainOf(int count, int size) {
  std::string type = "tensor<" + std::to_string(size) + "x" + std::to_string(size) + "xf32>";
  std::string text = "func.func @main(%v0: " + type + ") -> " + type +
                     " {\n  %c = arith.constant 0.0 : f32\n  %e = " + "tensor.empty() : " + type +
                     "\n  %i = linalg.fill ins(%c : f32) outs(%e : " + type + ") -> " + type + "\n";
  for (int i = 0; i < count; ++i)
    text += "  %v" + std::to_string(i + 1) + " = linalg.matmul ins(%v" + std::to_string(i) + ", %v0 : " + type + ", " +
            type + ") outs(%i : " + type + ") -> " + type + "\n";
  return text + "  return %v" + std::to_string(count) + " : " + type + "\n}\n";
}

class Chains {
public:
  Chains(const std::string &target, const std::string &uri) : target_(target), uri_(uri) {}

  // Nanoseconds of one call; none when a program failed, which `reason` says.
  std::optional<double> callNs(int count, int size) {
    if (folder_.path.empty()) {
      reason = "no temporary folder can be made; set TMPDIR to a folder that can be written";
      return std::nullopt;
    }
    fs::path model = folder_.path / "chain.mlir", artifact = folder_.path / "chain.heddle";
    fs::path output = folder_.path / "output", errors = folder_.path / "errors";
    std::ofstream(model) << chainOf(count, size);
    std::string sizes = std::to_string(size) + "x" + std::to_string(size) + "xf32=0.001";
    bool ran = runProgram({programOf("heddle-compile"), model, "-o", artifact, "--target-device=" + target_}, output,
                          errors) &&
               runProgram({programOf("heddle-bench"), artifact, "--device=" + uri_, "--input=" + sizes, "--warmup=2",
                           "--min-time=" + std::to_string(kSeconds), "--json"},
                          output, errors);
    Json report = ran ? Json::parse(readFile(output), nullptr, /*allow_exceptions=*/false) : Json();
    Json::json_pointer fastest("/latency_us/min");
    if (report.is_object() && report.contains(fastest) && report[fastest].is_number())
      return report[fastest].get<double>() * 1e3;
    std::string said = readFile(errors);
    reason = said.substr(0, said.find('\n'));
    if (reason.empty())
      reason = "heddle-compile and heddle-bench are not in the folder of this program";
    return std::nullopt;
  }

  std::string reason;

private:
  const std::string &target_, &uri_;
  Folder folder_;
};

} // namespace

KernelRate measureKernelRate(const std::string &target, const std::string &uri) {
  Chains chains(target, uri);
  double best = 0;
  // Larger ones only where a small one is short work: it does not fill the device.
  for (int size : {512, 1024, 2048, 4096}) {
    std::optional<double> once = chains.callNs(kShort, size), often = once ? chains.callNs(kLong, size) : once;
    if (!often)
      return {std::nullopt, chains.reason};
    double each = (*often - *once) / (kLong - kShort);
    if (each > 0)
      best = std::max(best, 2.0 * size * size * size / each);
    if (*often > 50e6)
      break;
  }
  if (best == 0)
    return {std::nullopt, "a long chain of products took no longer than a short one"};
  return {best, ""};
}

} // namespace heddle::tools
