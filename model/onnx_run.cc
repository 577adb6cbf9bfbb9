// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each operator as ONNX defines it, on LibTorch's functions. It takes from the graph, not from
// the network, what is done with what: a wrong name, order, padding or layout shows.
#include <onnx/onnx_pb.h>
#include <torch/torch.h>

#include <map>
#include <string>
#include <vector>

#include "env/error.h"
#include "model/onnx.h"

namespace khanzero {
namespace {

using Values = std::map<std::string, torch::Tensor>;

[[noreturn]] void Fail(const std::string& what) {
  throw RuntimeFailure("the written ONNX model cannot be read back: " + what);
}

torch::Tensor ToTensor(const onnx::TensorProto& stored) {
  const std::vector<int64_t> shape(stored.dims().begin(), stored.dims().end());
  const auto type = stored.data_type() == onnx::TensorProto::FLOAT16 ? torch::kHalf : torch::kFloat;
  torch::Tensor tensor = torch::empty(shape, type);
  if (tensor.nbytes() != stored.raw_data().size()) Fail("the size of " + stored.name());
  std::memcpy(tensor.data_ptr(), stored.raw_data().data(), tensor.nbytes());
  return tensor;
}

const onnx::AttributeProto& Attribute(const onnx::NodeProto& node, const std::string& name) {
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.name() == name) return attribute;
  }
  Fail(node.name() + " lacks " + name);
}

torch::Tensor RunConv(const onnx::NodeProto& node, const std::vector<torch::Tensor>& in) {
  const auto& pads = Attribute(node, "pads").ints();
  const auto& kernel = Attribute(node, "kernel_shape").ints();
  if (pads.size() != 4 || pads[0] != pads[2] || pads[1] != pads[3] || kernel.size() != 2 ||
      kernel[0] != in.at(1).size(2) || kernel[1] != in.at(1).size(3)) {
    Fail("the padding of " + node.name());
  }
  return torch::conv2d(in.at(0), in.at(1), in.at(2), 1, at::IntArrayRef{pads[0], pads[1]});
}

torch::Tensor RunNode(const onnx::NodeProto& node, const std::vector<torch::Tensor>& in) {
  const std::string& type = node.op_type();
  if (type == "Conv") return RunConv(node, in);
  if (type == "Relu") return torch::relu(in.at(0));
  if (type == "Add") return in.at(0) + in.at(1);
  if (type == "GlobalAveragePool") return in.at(0).mean(at::IntArrayRef{2, 3}, true);
  if (type == "GlobalMaxPool") return in.at(0).amax({2, 3}, true);
  if (type == "Concat") return torch::cat(in, Attribute(node, "axis").i());
  if (type == "Flatten") return in.at(0).flatten(Attribute(node, "axis").i());
  if (type == "Softmax") return in.at(0).softmax(Attribute(node, "axis").i());
  if (type == "Gemm") {
    if (Attribute(node, "transB").i() != 1) Fail("the layout of " + node.name());
    return torch::addmm(in.at(2), in.at(0), in.at(1).t());
  }
  if (type == "Transpose") {
    const auto& order = Attribute(node, "perm").ints();
    return in.at(0).permute(std::vector<int64_t>(order.begin(), order.end()));
  }
  if (type == "Cast") {
    if (Attribute(node, "to").i() != onnx::TensorProto::FLOAT) Fail("the type of " + node.name());
    return in.at(0).to(torch::kFloat);
  }
  Fail("the operator " + type);
}

// The graph's outputs for `planes`.
Values RunGraph(const onnx::GraphProto& graph, Values values, const torch::Tensor& planes) {
  values[graph.input(0).name()] = planes;
  for (const onnx::NodeProto& node : graph.node()) {
    std::vector<torch::Tensor> in;
    for (const std::string& name : node.input()) {
      if (!values.contains(name)) Fail(node.name() + " takes " + name + ", which comes later");
      in.push_back(values.at(name));
    }
    values[node.output(0)] = RunNode(node, in);
  }
  return values;
}

}  // namespace

ModelOutputs RunOnnx(std::string_view bytes, const EncodingShape& shape,
                     const ExportPositions& positions) {
  const torch::NoGradGuard no_grad;
  onnx::ModelProto model;
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    Fail("it is no protobuf message");
  }
  const onnx::GraphProto& graph = model.graph();
  if (graph.input_size() != 1) Fail("the number of its inputs");
  Values initializers;
  for (const onnx::TensorProto& stored : graph.initializer()) {
    initializers[stored.name()] = ToTensor(stored);
  }
  std::vector<float> planes = ChannelsFirst(positions.planes, shape);
  const torch::Tensor all = torch::from_blob(
      planes.data(), {positions.count(), shape.input_planes, shape.ranks, shape.files});
  ModelOutputs outputs;
  const auto append = [](std::vector<float>& to, const torch::Tensor& from) {
    const torch::Tensor plain = from.contiguous();
    to.insert(to.end(), plain.data_ptr<float>(), plain.data_ptr<float>() + plain.numel());
  };
  for (const torch::Tensor& x : {all.narrow(0, 0, 1), all.narrow(0, 1, all.size(0) - 1)}) {
    const Values values = RunGraph(graph, initializers, x);
    if (!values.contains("policy") || !values.contains("wdl")) Fail("its outputs are missing");
    append(outputs.policy, values.at("policy"));
    append(outputs.wdl, values.at("wdl"));
  }
  return outputs;
}

}  // namespace khanzero
