// SPDX-License-Identifier: GPL-3.0-or-later
//
// Event files, read back by a reader of our own that takes nothing that is not exactly right, and
// by TensorBoard where there is one.
#include "train/event_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

#include "env/error.h"
#include "event.pb.h"
#include "model/files.h"
#include "tests/train/sample_games.h"
#include "train/run_views.h"

namespace khanzero {
namespace {

uint64_t Number(const std::string& bytes, size_t at, size_t size) {
  uint64_t number = 0;
  for (size_t i = size; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

uint64_t Masked(const std::string& bytes) {
  const uint32_t crc = Crc32c(bytes);
  return static_cast<uint32_t>((crc >> 15 | crc << 17) + 0xA282EAD8U);
}

struct ReadEvents {
  std::vector<proto::Event> events;
  size_t left_over = 0;  // bytes at the end that are no whole record
};

// Reads whole records; one that is whole and wrong fails the test.
ReadEvents EventsIn(const std::string& bytes) {
  ReadEvents read;
  size_t at = 0;
  while (bytes.size() - at >= 12) {
    const uint64_t length = Number(bytes, at, 8);
    EXPECT_EQ(Number(bytes, at + 8, 4), Masked(bytes.substr(at, 8)));
    if (bytes.size() - at < 16 + length) break;
    const std::string message = bytes.substr(at + 12, length);
    EXPECT_EQ(Number(bytes, at + 12 + length, 4), Masked(message));
    proto::Event event;
    EXPECT_TRUE(event.ParseFromString(message));
    read.events.push_back(event);
    at += 16 + length;
  }
  read.left_over = bytes.size() - at;
  return read;
}

std::map<std::string, float> ScalarsOf(const proto::Event& event) {
  std::map<std::string, float> scalars;
  for (const auto& value : event.summary().value()) {
    EXPECT_TRUE(value.has_simple_value()) << value.tag();
    scalars[value.tag()] = value.simple_value();
  }
  return scalars;
}

std::filesystem::path OnlyFileIn(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path());
  }
  EXPECT_EQ(files.size(), 1U);
  return files.at(0);
}

TEST(EventFile, ChecksumsAreThoseOfTheStandard) {
  EXPECT_EQ(Crc32c(""), 0U);
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283U);
  // RFC 3720, B.4.
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(Crc32c(std::string(32, '\xFF')), 0x62A8AB43U);
}

// The bytes that follow from TensorBoard's published format, worked out apart from this program.
TEST(EventFile, ARecordIsFramedByteForByte) {
  proto::Event event;
  event.set_wall_time(1.0);
  event.set_step(3);
  auto& value = *event.mutable_summary()->add_value();
  value.set_tag("a/b");
  value.set_simple_value(0.5F);
  const std::string message = event.SerializeAsString();
  const std::string expected_message(
      "\x09\x00\x00\x00\x00\x00\x00\xF0\x3F"  // wall_time, 1: double
      "\x10\x03"                              // step, 2: varint
      "\x2A\x0C\x0A\x0A"                      // summary, 5: value, 1
      "\x0A\x03"
      "a/b"                    // tag, 1
      "\x15\x00\x00\x00\x3F",  // simple_value, 2: float
      25);
  EXPECT_EQ(message, expected_message);
  const std::string expected_record =
      std::string("\x19\x00\x00\x00\x00\x00\x00\x00\x8B\xF1\x08\x28", 12) + expected_message +
      std::string("\xD4\x9B\x18\xDB", 4);
  EXPECT_EQ(FrameRecord(message), expected_record);
}

TEST(EventFile, WhatIsAddedReadsBack) {
  const ScratchFolder folder;
  EventFile file(folder.path() / "events");
  file.Add(7, {{"learner/policy_loss", 2.5}, {"self_play/draws", 0.0}});
  file.Add(int64_t{5'000'000'000}, {{"run/hours", 1e-3}});
  const ReadEvents read = EventsIn(ReadFile(file.path()));
  EXPECT_EQ(read.left_over, 0U);
  ASSERT_EQ(read.events.size(), 3U);
  EXPECT_EQ(read.events[0].file_version(), "brain.Event:2");
  EXPECT_GT(read.events[0].wall_time(), 1.6e9);
  EXPECT_EQ(read.events[1].step(), 7);
  // A figure that is 0 is there, too.
  EXPECT_EQ(ScalarsOf(read.events[1]),
            (std::map<std::string, float>{{"learner/policy_loss", 2.5F}, {"self_play/draws", 0}}));
  EXPECT_EQ(read.events[2].step(), 5'000'000'000);
  EXPECT_GE(read.events[2].wall_time(), read.events[1].wall_time());
}

TEST(EventFile, EachStartHasAFileOfItsOwnThatSortsAfterTheOthers) {
  const ScratchFolder folder;
  const EventFile first(folder.path());
  const EventFile second(folder.path());
  EXPECT_LT(first.path().filename(), second.path().filename());
  EXPECT_NE(first.path().string().find("tfevents"), std::string::npos);
}

// A file that is cut off anywhere keeps every record before the cut.
TEST(EventFile, ACutOffFileKeepsItsWholeRecords) {
  const ScratchFolder folder;
  EventFile file(folder.path());
  std::vector<size_t> ends = {ReadFile(file.path()).size()};
  for (int i = 0; i < 3; ++i) {
    file.Add(i, {{"x", i}});
    ends.push_back(ReadFile(file.path()).size());
  }
  const std::string bytes = ReadFile(file.path());
  for (size_t size = 0; size <= bytes.size(); ++size) {
    const auto whole =
        std::count_if(ends.begin(), ends.end(), [&](size_t end) { return end <= size; });
    EXPECT_EQ(EventsIn(bytes.substr(0, size)).events.size(), static_cast<size_t>(whole)) << size;
  }
}

// A file-size limit stands in for a full disk: the kernel takes a part of the write.
TEST(EventFile, AFullDiskLeavesNoHalfRecord) {
  const ScratchFolder folder;
  EventFile file(folder.path());
  file.Add(1, {{"x", 1.0}});
  const std::string before = ReadFile(file.path());
  rlimit unlimited{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{.rlim_cur = before.size() + 10, .rlim_max = unlimited.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  EXPECT_THROW(file.Add(2, {{"x", 2.0}}), RuntimeFailure);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(ReadFile(file.path()), before);
  file.Add(3, {{"x", 3.0}});
  EXPECT_EQ(EventsIn(ReadFile(file.path())).events.size(), 3U);
}

TEST(EventFile, AFolderThatCannotBeMadeIsAFailure) {
  const ScratchFolder folder;
  std::ofstream(folder.path() / "events") << "a file\n";
  EXPECT_THROW(EventFile(folder.path() / "events"), RuntimeFailure);
}

class ViewedRun {
 public:
  ViewedRun() { std::ofstream(run().config()) << ToYaml(SmallConfig("khans")); }
  RunFolder run() const { return RunFolder(folder_.path()); }
  void Append(const std::string& text) {
    std::ofstream(run().metrics(), std::ios::app | std::ios::binary) << text;
  }

 private:
  ScratchFolder folder_;
};

TEST(RunViews, EachNewCycleBecomesOneEventOverGames) {
  ViewedRun viewed;
  viewed.Append(R"({"cycle":0,"games":10,"learner":{"policy_loss":3}})"
                "\n");
  RunViews views(viewed.run());
  EXPECT_EQ(views.Refresh(), std::vector<std::string>{});
  EXPECT_FALSE(std::filesystem::exists(viewed.run().events()));  // that cycle was another start's
  viewed.Append(R"({"cycle":1,"games":20,"learner":{"policy_loss":2},"alarms":["x"]})"
                "\n");
  EXPECT_EQ(views.Refresh(), std::vector<std::string>{});
  viewed.Append(R"({"cycle":2,"games":30,"learner":{"policy_loss":null}})"
                "\n{\"cyc");
  EXPECT_EQ(views.Refresh(), std::vector<std::string>{});
  const ReadEvents read = EventsIn(ReadFile(OnlyFileIn(viewed.run().events())));
  ASSERT_EQ(read.events.size(), 3U);
  EXPECT_EQ(read.events[1].step(), 20);
  EXPECT_EQ(ScalarsOf(read.events[1]),
            (std::map<std::string, float>{
                {"run/cycle", 1}, {"run/games", 20}, {"learner/policy_loss", 2}}));
  EXPECT_EQ(read.events[2].step(), 30);
  EXPECT_TRUE(std::filesystem::exists(viewed.run().report()));
}

TEST(RunViews, FaultsAreToldAndStopNothing) {
  ViewedRun viewed;
  RunViews views(viewed.run());
  viewed.Append("{\"games\":10}\n");
  std::ofstream(viewed.run().events()) << "a file\n";
  std::filesystem::create_directories(viewed.run().report());
  const std::vector<std::string> faults = views.Refresh();
  ASSERT_EQ(faults.size(), 2U);
  EXPECT_NE(faults[0].find("the event file is behind: "), std::string::npos);
  EXPECT_NE(faults[1].find("the report is behind: "), std::string::npos);
  // What could not be written is caught up with later.
  std::filesystem::remove(viewed.run().events());
  std::filesystem::remove(viewed.run().report());
  EXPECT_EQ(views.Refresh(), std::vector<std::string>{});
  EXPECT_EQ(EventsIn(ReadFile(OnlyFileIn(viewed.run().events()))).events.size(), 2U);
}

std::optional<std::string> OutputOf(const std::string& command) {
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string output;
  for (int c; (c = std::fgetc(pipe)) != EOF;) output += static_cast<char>(c);
  if (pclose(pipe) != 0) return std::nullopt;
  return output;
}

TEST(EventFile, TensorBoardReadsIt) {
  if (!OutputOf("python3 -c 'import tensorboard' 2>/dev/null")) {
    GTEST_SKIP() << "python3 has no tensorboard here";
  }
  const ScratchFolder folder;
  EventFile file(folder.path());
  file.Add(10, {{"learner/policy_loss", 2.5}, {"self_play/draws", 0.0}});
  file.Add(20, {{"learner/policy_loss", 1.5}});
  std::ofstream(folder.path() / "read.py") << R"(
import sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
events = EventAccumulator(sys.argv[1])
events.Reload()
for tag in sorted(events.Tags()["scalars"]):
    print(tag, [(e.step, e.value) for e in events.Scalars(tag)])
)";
  const std::optional<std::string> output =
      OutputOf("python3 '" + (folder.path() / "read.py").string() + "' '" + folder.path().string() +
               "' 2>/dev/null");
  EXPECT_EQ(output, "learner/policy_loss [(10, 2.5), (20, 1.5)]\nself_play/draws [(10, 0.0)]\n");
}

}  // namespace
}  // namespace khanzero
