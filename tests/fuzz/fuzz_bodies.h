// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the fuzz targets do with one input: there is one for every parser of data from outside. The
// rules are held against the naive engine of tests/naive, and what a parser accepts must survive
// being written and read again. libFuzzer (fuzz_target.cc) makes up inputs, and fuzz_corpus_test.cc
// gives those of tests/fuzz/corpus with any compiler, so that a find becomes a test by adding its
// file.
//
// Of FuzzFen, FuzzMoves and FuzzUci the first byte chooses the game: 'k' Khan's Chess, '7' and '8'
// The Serbest with that King's Landing; any other byte stands for one of these three.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace khanzero {

// The two engines differ, or one breaks a promise of its own; what() says where.
class Disagreement : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

enum class InputWorth {
  kKeep,    // worth mutating further
  kForget,  // refused before anything was looked at
};

// The rest of the input is a FEN: both engines accept or refuse it, and what they say of an
// accepted one is compared. Throws Disagreement.
InputWorth FuzzFen(std::span<const uint8_t> input);

// The rest is a FEN (empty: the start position), then lines: a move as text, which both engines
// play or both refuse; or '#' and any bytes, each of which picks a legal move by its share of the
// sorted list. Throws Disagreement.
InputWorth FuzzMoves(std::span<const uint8_t> input);

// The whole input is a PGN text, without a byte for the game: it is read or refused with its line,
// every game is checked by the rules, what was read is read again from its own bytes, and is the
// same when we write it. Throws Disagreement.
InputWorth FuzzPgn(std::span<const uint8_t> input);

// A safetensors file, as arrays and as an exported network. Throws Disagreement.
InputWorth FuzzTensors(std::span<const uint8_t> input);

// checkpoint.json: as it is, and again with the checksum that it should have. Throws Disagreement.
InputWorth FuzzCheckpoint(std::span<const uint8_t> input);

// A file of any format, for what `khanzero info` says of it: zip archives (TorchScript), protobuf
// messages (ONNX), safetensors. Throws Disagreement.
InputWorth FuzzModel(std::span<const uint8_t> input);

// A game record as the store keeps it, or, when it does not begin with "KZR", the message inside
// one; a record that is read is replayed by the rules, and its samples are built. Throws
// Disagreement.
InputWorth FuzzRecord(std::span<const uint8_t> input);

// A configuration in YAML. Throws Disagreement.
InputWorth FuzzConfig(std::span<const uint8_t> input);

// Lines of a suite or of an openings book (EPD, FEN, moves). Throws Disagreement.
InputWorth FuzzSuite(std::span<const uint8_t> input);

// Lines of UCI for the engine, whose network is uniform. Throws Disagreement.
InputWorth FuzzUci(std::span<const uint8_t> input);

// The whole input is a list of requests to `khanzero serve`, with a line "--" between them: a line
// "METHOD PATH", in which $k and $s stand for the ids of a game of Khan's Chess and one of The
// Serbest, and then the body. Each is answered in JSON, faults with a readable text, and the games
// stay whole. Throws Disagreement.
InputWorth FuzzHttp(std::span<const uint8_t> input);

// The address of a Redis server. Throws Disagreement.
InputWorth FuzzAddress(std::span<const uint8_t> input);

// The fields of an entry of the stream of games, a line each, name and value by turns. Throws
// Disagreement.
InputWorth FuzzBatch(std::span<const uint8_t> input);

// Throws Disagreement that says `what` unless `holds`.
void DemandThat(bool holds, const std::string& what);
// A refusal is one line of printable ASCII that begins with `start`.
void DemandReadable(const std::string& refusal, const std::string& start);

}  // namespace khanzero
