// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "env/error.h"
#include "model/files.h"
#include "play/player_spec.h"

namespace khanzero {

std::string RunFolder::CheckpointName(int64_t step) {
  std::string digits = std::to_string(step);
  constexpr size_t kWidth = 9;  // so that names sort by step
  if (digits.size() < kWidth) digits.insert(0, kWidth - digits.size(), '0');
  return "step-" + digits;
}

std::optional<std::filesystem::path> RunFolder::LatestCheckpoint() const {
  if (!std::filesystem::exists(latest())) return std::nullopt;
  const std::filesystem::path checkpoint = khanzero::LatestCheckpoint(path_);
  if (!std::filesystem::is_directory(checkpoint)) {
    throw InputError("'" + latest().string() + "' names the checkpoint '" +
                     checkpoint.filename().string() + "', which is not in '" +
                     checkpoints().string() +
                     "'; write the name of one that is there into it, or delete it to begin with "
                     "a fresh network");
  }
  return checkpoint;
}

void RunFolder::SetLatest(const std::string& checkpoint_name) const {
  WriteFileDurably(latest(), checkpoint_name + "\n");
}

std::optional<std::filesystem::path> RunFolder::BestCheckpoint() const {
  if (!std::filesystem::exists(best())) return std::nullopt;
  const std::filesystem::path checkpoint = khanzero::BestCheckpoint(path_);
  if (!std::filesystem::is_directory(checkpoint)) return std::nullopt;
  return checkpoint;
}

void RunFolder::SetBest(const std::string& checkpoint_name) const {
  WriteFileDurably(best(), checkpoint_name + "\n");
}

std::vector<std::filesystem::path> RunFolder::Checkpoints() const {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(checkpoints(), error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename().string().starts_with("step-")) found.push_back(entry->path());
  }
  if (error) {
    throw RuntimeFailure("cannot list '" + checkpoints().string() + "': " + error.message());
  }
  std::sort(found.begin(), found.end());
  return found;
}

void RunFolder::PruneCheckpoints(int keep) const {
  const std::vector<std::filesystem::path> found = Checkpoints();
  const std::optional<std::filesystem::path> newest = LatestCheckpoint();
  const std::optional<std::filesystem::path> strongest = BestCheckpoint();
  const size_t surplus =
      found.size() > static_cast<size_t>(keep) ? found.size() - static_cast<size_t>(keep) : 0;
  for (size_t i = 0; i < surplus; ++i) {
    if (found[i] != newest && found[i] != strongest) std::filesystem::remove_all(found[i]);
  }
}

namespace {

// What must stay as it was when a run goes on.
void CheckResumable(const Config& before, const Config& now, const std::string& run) {
  const auto refuse = [&](const std::string& key, const std::string& was, const std::string& is) {
    throw InputError("the run '" + run + "' was made with " + key + " = " + was + ", now it is " +
                     is + "; keep it, or take another --run");
  };
  if (before.game != now.game) refuse("game", before.game, now.game);
  if (before.kings_landing != now.kings_landing) {
    refuse("kings_landing", std::to_string(before.kings_landing),
           std::to_string(now.kings_landing));
  }
  if (before.seed != now.seed) {
    refuse("seed", std::to_string(before.seed), std::to_string(now.seed));
  }
  if (!(before.network == now.network)) {
    refuse("network", Text(before.network), Text(now.network));
  }
}

}  // namespace

RunFolder OpenRunFolder(const std::filesystem::path& path, const Config& config) {
  RunFolder run(path);
  const std::string name = path.string();
  if (std::filesystem::exists(path) && !std::filesystem::is_directory(path)) {
    throw InputError("'" + name + "' is not a folder");
  }
  if (std::filesystem::exists(run.config())) {
    CheckResumable(LoadConfig(run.config().string()), config, name);
  } else if (std::filesystem::exists(path) && !std::filesystem::is_empty(path) &&
             !std::filesystem::exists(run.lock())) {
    throw InputError("the folder '" + name + "' is neither empty nor a run; take another --run");
  }
  std::error_code error;
  std::filesystem::create_directories(run.checkpoints(), error);
  if (error) {
    throw RuntimeFailure("cannot make the folder '" + run.checkpoints().string() +
                         "': " + error.message());
  }
  return run;
}

Config ReadRunConfig(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  const RunFolder folder(path);
  if (!std::filesystem::exists(folder.config())) {
    throw InputError("'" + path.string() + "' is not a run: it has no config.yaml");
  }
  return LoadConfig(folder.config().string(), overrides);
}

RunLock::RunLock(const RunFolder& run, RunWork work) {
  const bool trains = work == RunWork::kTraining;
  const std::string path = (trains ? run.lock() : run.ladder_lock()).string();
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0) {
    throw RuntimeFailure("cannot open '" + path + "': " + std::strerror(errno));
  }
  if (::flock(file_, LOCK_EX | LOCK_NB) == 0) {
    const std::string pid = std::to_string(::getpid()) + "\n";
    // The number only helps people; the lock itself is what counts.
    if (::ftruncate(file_, 0) != 0 || ::write(file_, pid.data(), pid.size()) < 0) return;
    return;
  }
  const int error = errno;
  char pid[32] = {};
  const ssize_t length = ::read(file_, pid, sizeof(pid) - 1);
  ::close(file_);
  if (error != EWOULDBLOCK) {
    throw RuntimeFailure("cannot lock '" + path + "': " + std::strerror(error));
  }
  std::string holder(pid, length > 0 ? static_cast<size_t>(length) : 0);
  while (!holder.empty() && holder.back() == '\n') holder.pop_back();
  throw InputError("the run '" + run.path().string() + "' is being " +
                   (trains ? "trained" : "rated") + " already" +
                   (holder.empty() ? "" : " by process " + holder) +
                   "; wait for it, stop it, or take another --run");
}

RunLock::~RunLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace khanzero
