// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two passes over the same games: the first counts, since an array's shape comes before its
// elements; the second builds. Planes go straight into the archive; the other arrays, a small part
// of it, wait in unnamed files beside it.
#include "train/data_export.h"

#include <Eigen/Core>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "env/error.h"
#include "model/files.h"
#include "train/npz.h"
#include "train/replay_window.h"
#include "train/replayed_game.h"

namespace khanzero {

namespace {

// Games of the wanted part after `after` up to `through`.
struct Selection {
  int64_t after = 0;
  int64_t through = 0;
  int64_t rows = 0;       // of all parts
  int64_t positions = 0;  // of the part
  int64_t damaged = 0;
};

class Exporter {
 public:
  Exporter(const ReplayStore& store, const Config& config, const DataExportOptions& options,
           const std::filesystem::path& aside)
      : store_(store),
        config_(config),
        options_(options),
        replayer_(MakeReplayer(config.game)),
        folder_(aside.has_parent_path() ? aside.parent_path() : std::filesystem::path(".")),
        npz_(aside),
        planes_(static_cast<size_t>(replayer_->info().shape.input_size())),
        halves_(planes_.size()) {}

  DataExportReport Run() {
    const Selection selection = Select();
    if (selection.positions == 0) {
      throw InputError("the store has no " + PartText() + "positions to export");
    }
    const int64_t wanted = options_.positions > 0
                               ? std::min(options_.positions, selection.positions)
                               : selection.positions;
    const EncodingShape& shape = replayer_->info().shape;
    npz_.Begin("planes", "<f2", {wanted, shape.input_planes, shape.ranks, shape.files});
    policy_offsets_.Append(0);
    legal_offsets_.Append(0);
    skip_ = selection.positions - wanted;
    int64_t rows = 0;
    ForEachGame(
        selection.after, selection.through,
        [&](const GameRecord& record) { WriteGame(record, replayer_->Replay(record)); },
        [&] { Progress(selection.rows + ++rows, 2 * selection.rows); });
    if (report_.positions != wanted) {
      throw RuntimeFailure("games were deleted from the store while it was exported; run it again");
    }
    npz_.End();
    WriteSmallArrays();
    npz_.Close();
    report_.damaged_games = selection.damaged;
    return report_;
  }

 private:
  std::string PartText() const {
    return options_.part == DataPart::kAll
               ? ""
               : std::string(kDataPartNames[static_cast<size_t>(options_.part)]) + " ";
  }

  bool Wanted(const GameRecord& record) const {
    if (options_.part == DataPart::kAll) return true;
    return IsValidationGame(record.id, config_.learner.validation_share) ==
           (options_.part == DataPart::kValidation);
  }

  void Progress(int64_t done, int64_t rows) const {
    if (options_.progress) options_.progress(done, rows);
    if (options_.stop.stop_requested()) throw RuntimeFailure("stopped; nothing was written");
  }

  // Calls `use` for the readable games of the part, and `row` for every row. Returns how many could
  // not be read.
  int64_t ForEachGame(int64_t after, int64_t through, const auto& use, const auto& row) {
    int64_t damaged = 0;
    VisitGames(store_, after, through, [&](const StoredGame& stored) {
      std::optional<GameRecord> record;
      try {
        record = ParseRecord(stored.bytes);
        if (Wanted(*record)) use(*record);
      } catch (const InputError&) {
        ++damaged;
      }
      row();
    });
    return damaged;
  }

  // The newest games that have enough positions of the part: looks further back until they do.
  Selection Select() {
    int64_t newest = 0;
    store_.ReadAfter(store_.SequenceBeforeNewest(1), 1'000'000,
                     [&](const StoredGame& game) { newest = game.sequence; });
    for (int64_t reach = options_.positions;; reach *= 2) {
      Selection selection{.after = reach > 0 ? store_.SequenceBeforeNewest(reach) : 0,
                          .through = newest};
      const int64_t rows =
          store_.TotalsThrough(newest).games - store_.TotalsThrough(selection.after).games;
      selection.damaged = ForEachGame(
          selection.after, newest,
          [&](const GameRecord& record) {
            selection.positions += static_cast<int64_t>(replayer_->Replay(record).samples.size());
          },
          [&] {
            ++selection.rows;
            Progress(selection.rows, 2 * std::max(rows, selection.rows));
          });
      const bool all = selection.after == 0 || store_.TotalsThrough(selection.after).games == 0;
      if (all || selection.positions >= options_.positions) return selection;
    }
  }

  void WriteGame(const GameRecord& record, const ReplayedGame& game) {
    bool any = false;
    for (size_t i = 0; i < game.samples.size(); ++i) {
      if (skip_ > 0) {
        --skip_;
        continue;
      }
      replayer_->Build(game, i, Mirror::kNo, Targets::kPlay, planes_, sample_);
      WritePlanes();
      WriteTargets();
      game_id_.Append(record.id);
      ply_.Append(game.samples[i].ply);
      network_step_.Append(record.last_network_step);
      ++report_.positions;
      any = true;
    }
    report_.games += any;
  }

  // From [square][plane] to [plane][square].
  void WritePlanes() {
    const auto planes = static_cast<size_t>(replayer_->info().shape.input_planes);
    const size_t squares = planes_.size() / planes;
    for (size_t square = 0; square < squares; ++square) {
      for (size_t plane = 0; plane < planes; ++plane) {
        halves_[plane * squares + square] = Eigen::half(planes_[square * planes + plane]);
      }
    }
    npz_.Write(std::as_bytes(std::span(halves_)));
  }

  void WriteTargets() {
    for (size_t i = 0; i < sample_.legal_indices.size(); ++i) {
      legal_indices_.Append(sample_.legal_indices[i]);
      if (sample_.policy.empty() || sample_.policy[i] <= 0.0F) continue;
      policy_indices_.Append(sample_.legal_indices[i]);
      policy_probabilities_.Append(sample_.policy[i]);
    }
    policy_offsets_.Append(policy_indices_.size());
    legal_offsets_.Append(legal_indices_.size());
    for (const auto& [wdl, spool] :
         {std::pair{&sample_.result, &result_wdl_}, std::pair{&sample_.root, &root_wdl_}}) {
      for (const float share : {wdl->win, wdl->draw, wdl->loss}) spool->Append(share);
    }
    root_value_.Append(sample_.root.value());
    capped_.Append(sample_.capped);
  }

  void WriteSmallArrays() {
    report_.policy_entries = policy_indices_.size();
    report_.legal_moves = legal_indices_.size();
    policy_indices_.WriteTo(npz_, "policy_indices");
    policy_probabilities_.WriteTo(npz_, "policy_probabilities");
    policy_offsets_.WriteTo(npz_, "policy_offsets");
    legal_indices_.WriteTo(npz_, "legal_indices");
    legal_offsets_.WriteTo(npz_, "legal_offsets");
    result_wdl_.WriteTo(npz_, "result_wdl", 3);
    capped_.WriteTo(npz_, "capped");
    root_wdl_.WriteTo(npz_, "root_wdl", 3);
    root_value_.WriteTo(npz_, "root_value");
    game_id_.WriteTo(npz_, "game_id");
    ply_.WriteTo(npz_, "ply");
    network_step_.WriteTo(npz_, "network_step");
    const GameInfo& info = replayer_->info();
    npz_.AddText(
        "about",
        nlohmann::ordered_json{{"game", info.name},
                               {"rules_version", info.rules_version},
                               {"encoding_version", info.encoding_version},
                               {"kings_landing", config_.kings_landing},
                               {"policy_size", info.shape.policy_size()},
                               {"part", kDataPartNames[static_cast<size_t>(options_.part)]}}
            .dump(-1, ' ', true));
  }

  const ReplayStore& store_;
  const Config& config_;
  const DataExportOptions& options_;
  const std::unique_ptr<Replayer> replayer_;
  const std::filesystem::path folder_;
  NpzWriter npz_;
  std::vector<float> planes_;
  std::vector<Eigen::half> halves_;
  TrainingSample sample_;
  int64_t skip_ = 0;  // the oldest positions, which are too many
  DataExportReport report_;

  ArraySpool<int32_t> policy_indices_{folder_};
  ArraySpool<float> policy_probabilities_{folder_};
  ArraySpool<int64_t> policy_offsets_{folder_};
  ArraySpool<int32_t> legal_indices_{folder_};
  ArraySpool<int64_t> legal_offsets_{folder_};
  ArraySpool<float> result_wdl_{folder_};
  ArraySpool<bool> capped_{folder_};
  ArraySpool<float> root_wdl_{folder_};
  ArraySpool<float> root_value_{folder_};
  ArraySpool<uint64_t> game_id_{folder_};
  ArraySpool<int32_t> ply_{folder_};
  ArraySpool<int64_t> network_step_{folder_};
};

}  // namespace

DataExportReport ExportData(const ReplayStore& store, const Config& config,
                            const std::filesystem::path& out, const DataExportOptions& options) {
  if (std::filesystem::is_directory(out)) {
    throw InputError("'" + out.string() + "' is a folder; --out names the file to write");
  }
  if (out.has_parent_path() && !std::filesystem::is_directory(out.parent_path())) {
    throw InputError("the folder '" + out.parent_path().string() + "' does not exist");
  }
  const std::filesystem::path aside = NameAside(out);
  try {
    DataExportReport report = Exporter(store, config, options, aside).Run();
    PublishFile(aside, out);
    report.bytes = static_cast<int64_t>(std::filesystem::file_size(out));
    return report;
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(aside, ignored);
    throw;
  }
}

}  // namespace khanzero
