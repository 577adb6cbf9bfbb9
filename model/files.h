// SPDX-License-Identifier: GPL-3.0-or-later
//
// Files that survive a crash: written aside, synced, renamed. A reader sees the old content or the
// new, never half of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace khanzero {

// The whole file. Throws InputError when it does not exist, is not a regular file or has more than
// `most` bytes (no memory is taken for it then), RuntimeFailure when reading fails.
std::string ReadFile(const std::filesystem::path& path, uint64_t most = UINT64_MAX);
// Its first bytes, `most` of them or all that there are. Throws as ReadFile.
std::string ReadFileStart(const std::filesystem::path& path, uint64_t most);

// Replaces `path` by `bytes`, durably, or leaves it as it was. Throws RuntimeFailure with the
// system's reason (a full disk, no permission).
void WriteFileDurably(const std::filesystem::path& path, std::string_view bytes);

// Writes a new file in place and syncs it: for files in a folder that ReplaceFolder will publish.
// Throws RuntimeFailure.
void WriteNewFile(const std::filesystem::path& path, std::string_view bytes);

// Syncs a written file, then gives it the name `path`. Throws RuntimeFailure.
void PublishFile(const std::filesystem::path& written, const std::filesystem::path& path);

// Gives the complete folder `written` the name `path`, durably; a folder of that name is replaced
// and deleted. Both must lie in the same parent folder. Throws RuntimeFailure.
void ReplaceFolder(const std::filesystem::path& written, const std::filesystem::path& path);

// The same file or folder without a slash at its end: "runs/a" for "runs/a/". Of the latter
// filename() is empty and parent_path() is the folder itself.
std::filesystem::path WithoutSlash(const std::filesystem::path& path);

// A hidden name beside `path` for writing it aside, used by no other writer of this machine.
std::filesystem::path NameAside(const std::filesystem::path& path);

// Deletes in `folder` what writers that were killed left behind under names of NameAside().
// REQUIRES: nothing is writing there.
void RemoveUnfinished(const std::filesystem::path& folder);

// 64-bit XXH3 of the bytes, as 16 hexadecimal digits.
std::string ChecksumOf(std::string_view bytes);

// The file `name` in the folder of the running program. Throws RuntimeFailure when the system does
// not say where that is.
std::filesystem::path PathBesideProgram(const std::string& name);

}  // namespace khanzero
