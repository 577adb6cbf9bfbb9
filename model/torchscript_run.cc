// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero-torchscript-run MODULE INPUT OUTPUT: runs a TorchScript module that 'khanzero export'
// has just written. A program of its own, because loading a module can run code of its file: it is
// for modules whose origin is known. INPUT and OUTPUT are safetensors files. The first position
// runs alone and the others together: the batch is free in size. Exit code 1 when it fails.
#include <torch/script.h>

#include <cstdio>
#include <exception>
#include <string>

#include "env/error.h"
#include "model/files.h"
#include "model/safetensors.h"

namespace khanzero {
namespace {

StoredTensor ToStored(const torch::Tensor& tensor) {
  const torch::Tensor plain = tensor.to(torch::kFloat).contiguous();
  return StoreFloats({plain.data_ptr<float>(), static_cast<size_t>(plain.numel())},
                     plain.sizes().vec());
}

void Run(const std::string& module_path, const std::string& in, const std::string& out) {
  const torch::NoGradGuard no_grad;
  torch::jit::Module module = torch::jit::load(module_path);
  const TensorFile input = ParseTensors(ReadFile(in), in);
  std::vector<float> planes = FloatsOf(input.tensors.at("planes"));
  const torch::Tensor all = torch::from_blob(planes.data(), input.tensors.at("planes").shape);
  std::vector<torch::Tensor> policy;
  std::vector<torch::Tensor> wdl;
  for (const torch::Tensor& x : {all.narrow(0, 0, 1), all.narrow(0, 1, all.size(0) - 1)}) {
    const auto outputs = module.forward({x}).toTuple();
    policy.push_back(outputs->elements()[0].toTensor());
    wdl.push_back(outputs->elements()[1].toTensor());
  }
  TensorFile output;
  output.tensors["policy"] = ToStored(torch::cat(policy));
  output.tensors["wdl"] = ToStored(torch::cat(wdl));
  WriteNewFile(out, SerializeTensors(output));
}

}  // namespace
}  // namespace khanzero

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: khanzero-torchscript-run MODULE INPUT OUTPUT\n", stderr);
    return 2;
  }
  try {
    khanzero::Run(argv[1], argv[2], argv[3]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "khanzero-torchscript-run: %s\n", error.what());
    return 1;
  }
}
