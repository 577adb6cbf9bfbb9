// SPDX-License-Identifier: GPL-3.0-or-later
//
// Batch norm folded into the convolution before it, and so the network of a checkpoint's weights as
// inference takes it. No LibTorch here: a program that only plays starts at once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/checkpoint_info.h"
#include "model/folded_network.h"
#include "model/safetensors.h"

namespace khanzero {

// Of torch::nn::BatchNorm2d.
inline constexpr double kBatchNormEpsilon = 1e-5;

// A batch norm's values by channel.
struct NormLayer {
  std::vector<float> gamma;
  std::vector<float> beta;
  std::vector<float> mean;
  std::vector<float> variance;
};

// norm(conv(x)) as one convolution, into `conv`. REQUIRES: as many values as output channels.
void FoldNorm(const NormLayer& norm, ConvLayer& conv);

// The network whose parameters and buffers are in `file`, under the names that training gives them.
// Throws InputError naming `source` for a missing or misshapen array.
std::shared_ptr<FoldedNetwork> FoldWeights(const TensorFile& file, const CheckpointInfo& info,
                                           const std::string& source);

}  // namespace khanzero
