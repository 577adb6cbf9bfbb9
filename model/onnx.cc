// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/onnx.h"

#include <onnx/onnx_pb.h>

#include <Eigen/Core>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <vector>

#include "env/error.h"
#include "model/version.h"

namespace khanzero {
namespace {

constexpr int kIrVersion = 7;  // of opset 13
constexpr int kOpset = 13;
constexpr const char* kBatch = "batch";

// Builds the graph, node by node; each function returns the name of the value it makes.
class GraphBuilder {
 public:
  GraphBuilder(onnx::GraphProto& graph, ModelPrecision precision)
      : graph_(graph), precision_(precision) {}

  std::string Conv(const std::string& layer, const ConvLayer& conv, const std::string& x) {
    const std::string weight =
        Array(layer + ".weight", conv.weight,
              {conv.out_channels, conv.in_channels, conv.kernel, conv.kernel});
    const std::string bias = Array(layer + ".bias", conv.bias, {conv.out_channels});
    onnx::NodeProto& node = Node("Conv", layer, {x, weight, bias});
    const int64_t padding = conv.kernel / 2;
    AddInts(node, "kernel_shape", {conv.kernel, conv.kernel});
    AddInts(node, "pads", {padding, padding, padding, padding});
    return node.output(0);
  }

  std::string Linear(const std::string& layer, const LinearLayer& linear, const std::string& x,
                     const std::string& output = "") {
    const std::string weight =
        Array(layer + ".weight", linear.weight, {linear.out_features, linear.in_features});
    const std::string bias = Array(layer + ".bias", linear.bias, {linear.out_features});
    onnx::NodeProto& node = Node("Gemm", output.empty() ? layer : output, {x, weight, bias});
    AddInt(node, "transB", 1);
    return node.output(0);
  }

  std::string Relu(const std::string& x) { return Node("Relu", x + ".relu", {x}).output(0); }

  std::string Add(const std::string& a, const std::string& b) {
    return Node("Add", a + ".sum", {a, b}).output(0);
  }

  std::string Flatten(const std::string& x, const std::string& output) {
    onnx::NodeProto& node = Node("Flatten", output, {x});
    AddInt(node, "axis", 1);
    return node.output(0);
  }

  // [batch, channels, ranks, files] as [batch, ranks, files, channels].
  std::string ChannelsLast(const std::string& x) {
    onnx::NodeProto& node = Node("Transpose", x + ".channels_last", {x});
    AddInts(node, "perm", {0, 2, 3, 1});
    return node.output(0);
  }

  // x plus, on every square, a linear layer of each channel's mean and largest value: as a 1x1
  // convolution on a board of one square, which needs no other shapes.
  std::string AddPooled(const std::string& layer, const LinearLayer& pooling,
                        const std::string& x) {
    const std::string mean = Node("GlobalAveragePool", layer + ".mean", {x}).output(0);
    const std::string most = Node("GlobalMaxPool", layer + ".max", {x}).output(0);
    onnx::NodeProto& features = Node("Concat", layer + ".features", {mean, most});
    AddInt(features, "axis", 1);
    const ConvLayer as_conv = {.in_channels = pooling.in_features,
                               .out_channels = pooling.out_features,
                               .kernel = 1,
                               .weight = pooling.weight,
                               .bias = pooling.bias};
    const std::string joined = features.output(0);
    return Add(x, Conv(layer, as_conv, joined));
  }

  std::string Softmax(const std::string& x, const std::string& output) {
    onnx::NodeProto& node = Node("Softmax", output, {x});
    AddInt(node, "axis", 1);
    return node.output(0);
  }

 private:
  onnx::NodeProto& Node(const std::string& type, const std::string& output,
                        std::initializer_list<std::string> inputs) {
    onnx::NodeProto& node = *graph_.add_node();
    node.set_op_type(type);
    node.set_name(output);
    for (const std::string& input : inputs) node.add_input(input);
    node.add_output(output);
    return node;
  }

  static onnx::AttributeProto& Attribute(onnx::NodeProto& node, const std::string& name,
                                         onnx::AttributeProto::AttributeType type) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(type);
    return attribute;
  }
  static void AddInt(onnx::NodeProto& node, const std::string& name, int64_t value) {
    Attribute(node, name, onnx::AttributeProto::INT).set_i(value);
  }
  static void AddInts(onnx::NodeProto& node, const std::string& name,
                      std::initializer_list<int64_t> values) {
    onnx::AttributeProto& attribute = Attribute(node, name, onnx::AttributeProto::INTS);
    for (const int64_t value : values) attribute.add_ints(value);
  }

  // Stores an array; returns the name of its float32 value.
  std::string Array(const std::string& name, const std::vector<float>& values,
                    std::initializer_list<int64_t> shape) {
    onnx::TensorProto& tensor = *graph_.add_initializer();
    tensor.set_name(name);
    for (const int64_t n : shape) tensor.add_dims(n);
    if (precision_ == ModelPrecision::kFp32) {
      tensor.set_data_type(onnx::TensorProto::FLOAT);
      tensor.set_raw_data(values.data(), values.size() * sizeof(float));
      return name;
    }
    const std::vector<Eigen::half> halves(values.begin(), values.end());
    tensor.set_data_type(onnx::TensorProto::FLOAT16);
    tensor.set_raw_data(halves.data(), halves.size() * sizeof(Eigen::half));
    onnx::NodeProto& cast = Node("Cast", name + ".float", {name});
    AddInt(cast, "to", onnx::TensorProto::FLOAT);
    return cast.output(0);
  }

  onnx::GraphProto& graph_;
  ModelPrecision precision_;
};

void Describe(onnx::ValueInfoProto& value, const char* name, std::initializer_list<int> shape) {
  value.set_name(name);
  onnx::TypeProto::Tensor& type = *value.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto::FLOAT);
  type.mutable_shape()->add_dim()->set_dim_param(kBatch);
  for (const int n : shape) type.mutable_shape()->add_dim()->set_dim_value(n);
}

void BuildGraph(onnx::GraphProto& graph, const FoldedNetwork& network, ModelPrecision precision) {
  const EncodingShape& shape = network.shape;
  graph.set_name("khanzero");
  Describe(*graph.add_input(), "planes", {shape.input_planes, shape.ranks, shape.files});
  Describe(*graph.add_output(), "policy", {shape.policy_size()});
  Describe(*graph.add_output(), "wdl", {3});

  GraphBuilder build(graph, precision);
  std::string x = build.Relu(build.Conv("stem", network.stem, "planes"));
  for (size_t i = 0; i < network.blocks.size(); ++i) {
    const std::string name = "blocks." + std::to_string(i);
    const std::string y = build.Relu(build.Conv(name + ".first", network.blocks[i].first, x));
    x = build.Relu(build.Add(build.Conv(name + ".second", network.blocks[i].second, y), x));
    if (const auto& pooling = network.blocks[i].pooling) {
      x = build.Relu(build.AddPooled(name + ".pooling", *pooling, x));
    }
  }
  const std::string p = build.Relu(build.Conv("policy_conv", network.policy_conv, x));
  build.Flatten(build.Conv("policy_out", network.policy_out, p), "policy");
  const std::string v = build.Relu(build.Conv("value_conv", network.value_conv, x));
  const std::string flat = build.Flatten(build.ChannelsLast(v), "value_flat");
  const std::string hidden = build.Relu(build.Linear("value_hidden", network.value_hidden, flat));
  build.Softmax(build.Linear("value_out", network.value_out, hidden), "wdl");
}

}  // namespace

std::string SerializeOnnx(const FoldedNetwork& network, const ModelDescription& description) {
  onnx::ModelProto model;
  model.set_ir_version(kIrVersion);
  model.set_producer_name("khanzero");
  model.set_producer_version(std::string(ProgramVersion()));
  model.set_domain("khanzero." + description.info.game.name);
  model.set_model_version(description.info.step);
  model.set_doc_string("A policy/value network of KhanZero; khanzero.json describes it.");
  onnx::OperatorSetIdProto& opset = *model.add_opset_import();
  opset.set_domain("");
  opset.set_version(kOpset);
  const auto add_property = [&](const std::string& key, const std::string& value) {
    onnx::StringStringEntryProto& entry = *model.add_metadata_props();
    entry.set_key(key);
    entry.set_value(value);
  };
  add_property(kDescriptionName, SerializeModelDescription(description));
  add_property("game", description.info.game.name);
  add_property("licence", "GPL-3.0-or-later");
  BuildGraph(*model.mutable_graph(), network, description.precision);
  std::string bytes;
  if (model.ByteSizeLong() > std::numeric_limits<int>::max() || !model.SerializeToString(&bytes)) {
    throw RuntimeFailure("the network is too large for one ONNX file; safetensors takes any size");
  }
  return bytes;
}

}  // namespace khanzero
