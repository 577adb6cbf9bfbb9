// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/run_program.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "env/error.h"
#include "model/files.h"
#include "model/safetensors.h"

namespace khanzero {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTorchScriptProgram = "khanzero-torchscript-run";

// Deletes a file when it goes.
class ScratchFile {
 public:
  explicit ScratchFile(fs::path path) : path_(std::move(path)) {}
  ~ScratchFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void RunProgram(std::array<std::string, 4> words) {
  std::array<char*, 5> argv = {};
  for (size_t i = 0; i < words.size(); ++i) argv[i] = words[i].data();
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, argv[0], nullptr, nullptr, argv.data(), environ);
  if (error != 0) {
    throw RuntimeFailure("cannot run " + words[0] +
                         ", which checks TorchScript modules: " + std::strerror(error));
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) throw RuntimeFailure("waiting for " + words[0] + " failed");
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw RuntimeFailure(words[0] + " could not run the written model");
  }
}

}  // namespace

fs::path TorchScriptProgram() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) throw RuntimeFailure("this program's folder is not known: " + error.message());
  return self.parent_path() / kTorchScriptProgram;
}

ModelOutputs RunByProgram(const fs::path& program, const fs::path& model,
                          const EncodingShape& shape, const ExportPositions& positions) {
  const ScratchFile in(NameAside(model));
  const ScratchFile out(NameAside(model));
  TensorFile input;
  input.tensors["planes"] =
      StoreFloats(ChannelsFirst(positions.planes, shape),
                  {positions.count(), shape.input_planes, shape.ranks, shape.files});
  WriteNewFile(in.path(), SerializeTensors(input));
  RunProgram({program.string(), model.string(), in.path().string(), out.path().string()});
  const TensorFile output = ParseTensors(ReadFile(out.path()), "the output of " + program.string());
  if (!output.tensors.contains("policy") || !output.tensors.contains("wdl")) {
    throw RuntimeFailure(program.string() + " gave no outputs");
  }
  return {.policy = FloatsOf(output.tensors.at("policy")),
          .wdl = FloatsOf(output.tensors.at("wdl"))};
}

}  // namespace khanzero
