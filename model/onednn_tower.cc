// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/onednn_tower.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <unordered_map>
#include <utility>

#include "env/error.h"
#include "model/bfloat16.h"
#include "model/cpu_features.h"
#include "model/global_pooling.h"
#include "model/quantization.h"

namespace khanzero {
namespace {

using dnnl::memory;
using DataType = memory::data_type;
using Tag = memory::format_tag;
using Arguments = std::unordered_map<int, memory>;

// Input planes are filled up to a multiple of this, which is what the kernels take at a time.
constexpr int kPlaneGroup = 16;

const dnnl::engine& CpuEngine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

DataType ActivationType(Precision precision) {
  switch (precision) {
    case Precision::kInt8:
      return DataType::u8;
    case Precision::kBf16:
      return DataType::bf16;
    default:
      return DataType::f32;
  }
}

// Encoded planes lie in 0..1.
uint8_t ToByte(float value) {
  return static_cast<uint8_t>(std::clamp(value, 0.0F, 1.0F) * kActivationSteps + 0.5F);
}

template <class T, class Convert>
void FillPadded(const float* planes, int64_t squares, int channels, int padded, T* to,
                const Convert& convert) {
  for (int64_t s = 0; s < squares; ++s, planes += channels, to += padded) {
    for (int c = 0; c < channels; ++c) to[c] = convert(planes[c]);
  }
}

memory NewMemory(const memory::desc& description) {
  memory made(description, CpuEngine());
  std::memset(made.get_data_handle(), 0, description.get_size());
  return made;
}

// A vector's values as memory of its own.
memory Copy(const std::vector<float>& values) {
  memory made({{static_cast<int64_t>(values.size())}, DataType::f32, Tag::x}, CpuEngine());
  std::ranges::copy(values, static_cast<float*>(made.get_data_handle()));
  return made;
}

}  // namespace

// Packed weights by layer. Towers of different sizes can want different packings.
class OneDnnWeights {
 public:
  // The weights `values` ([out][in][rank][file] or a matrix in `plain` order) in the packing
  // `wanted`.
  memory Packed(const std::string& layer, const memory::desc& plain, const void* values,
                const memory::desc& wanted) {
    for (const memory& known : packed_[layer]) {
      if (known.get_desc() == wanted) return known;
    }
    memory from(plain, CpuEngine(), const_cast<void*>(values));
    memory to(wanted, CpuEngine());
    dnnl::stream stream(CpuEngine());
    dnnl::reorder(from, to).execute(stream, from, to);
    stream.wait();
    packed_[layer].push_back(to);
    return to;
  }

 private:
  std::map<std::string, std::vector<memory>> packed_;
};

std::shared_ptr<OneDnnWeights> MakeOneDnnWeights() { return std::make_shared<OneDnnWeights>(); }

struct OneDnnTower::Impl {
  // One layer: what runs, and how its output is read back.
  struct Step {
    dnnl::primitive primitive;
    Arguments arguments;
    size_t layer = 0;  // in FoldedNetwork::convolutions()
    memory output;
    ChannelScales scales;                  // of integers; empty where the output is real
    std::optional<GlobalPooling> pooling;  // what follows, in place
  };
  // How a layer's output is written, beyond what its ConvLayer says.
  struct Output {
    DataType type;
    std::span<const float> scales = {};  // empty: real values
    const memory* residual = nullptr;    // added to, and written over
    float residual_scale = 1.0F;
  };

  Impl(const FoldedNetwork& network, Precision precision, int count,
       std::shared_ptr<OneDnnWeights> packed)
      : shape(network.shape),
        positions(count),
        type(ActivationType(precision)),
        head_type(precision != Precision::kFp32 && ThisCpu().bf16 ? DataType::bf16 : DataType::f32),
        weights(std::move(packed)) {
    // Threads that plan the same share what oneDNN keeps of it; one after the other they also can
    // when a sanitizer cannot see oneDNN's own locks.
    static std::mutex planning;
    const std::lock_guard lock(planning);
    QuantizationPlan plan;
    if (type == DataType::u8) plan = PlanQuantization(network);
    Build(network, plan);
  }

  memory::desc Activations(int channels, DataType data_type) const {
    return {{positions, channels, shape.ranks, shape.files}, data_type, Tag::nhwc};
  }

  void Build(const FoldedNetwork& network, QuantizationPlan& plan) {
    const auto scales_of = [&](size_t layer) {
      return plan.layer.empty() ? std::span<const float>() : std::span(plan.layer[layer]);
    };
    padded_planes = (shape.input_planes + kPlaneGroup - 1) / kPlaneGroup * kPlaneGroup;
    input = NewMemory(Activations(padded_planes, type));
    size_t layer = 0;
    memory x = AddConv("stem", layer, WithInputs(network.stem, padded_planes), input,
                       Padded(plan.input), {.type = type, .scales = scales_of(0)});
    for (size_t b = 0; b < network.blocks.size(); ++b) {
      const std::string name = "blocks." + std::to_string(b);
      const FoldedBlock& block = network.blocks[b];
      ++layer;
      const memory y = AddConv(name + ".first", layer, block.first, x, scales_of(layer - 1),
                               {.type = type, .scales = scales_of(layer)});
      ++layer;
      x = AddConv(name + ".second", layer, block.second, y, scales_of(layer - 1),
                  {.type = type,
                   .scales = scales_of(layer),
                   .residual = &x,
                   .residual_scale = plan.residual.empty() ? 1.0F : plan.residual[b]});
      if (const auto& pooling = block.pooling) {
        steps.back().pooling.emplace(*pooling, shape.squares(), scales_of(layer));
      }
    }
    const std::span<const float> tower_scales = scales_of(layer);
    policy = AddConv("policy_conv", layer + 1, network.policy_conv, x, tower_scales,
                     {.type = DataType::f32});
    const memory value =
        AddConv("value_conv", layer + 3, network.value_conv, x, tower_scales, {.type = head_type});
    AddValueHidden(network.value_hidden, value);
  }

  std::span<const float> Padded(ChannelScales& scales) const {
    if (!scales.empty()) scales.resize(static_cast<size_t>(padded_planes), scales[0]);
    return scales;
  }

  // Appends conv + bias (+ residual) + ReLU and returns where its output lies.
  memory AddConv(const std::string& name, size_t layer, const ConvLayer& conv, const memory& from,
                 std::span<const float> in, const Output& output) {
    const memory::dims dims = {conv.out_channels, conv.in_channels, conv.kernel, conv.kernel};
    const DataType weight_type = type == DataType::u8 ? DataType::s8 : type;
    const memory::desc to = Activations(conv.out_channels, output.type);
    const int64_t pad = conv.kernel / 2;
    QuantizedConv quantized;
    dnnl::primitive_attr attributes;
    if (type == DataType::u8) {
      quantized = Quantize(conv, in, output.scales);
      attributes.set_output_scales(/*mask=*/1 << 1, quantized.output_scale);
    }
    dnnl::post_ops after;
    if (output.residual != nullptr) after.append_sum(output.residual_scale);
    after.append_eltwise(1.0F, dnnl::algorithm::eltwise_relu, 0.0F, 0.0F);
    attributes.set_post_ops(after);
    const dnnl::convolution_forward::primitive_desc description(
        {dnnl::prop_kind::forward_inference,
         dnnl::algorithm::convolution_direct,
         from.get_desc(),
         {dims, weight_type, Tag::any},
         {{conv.out_channels}, DataType::f32, Tag::x},
         to,
         {1, 1},
         {pad, pad},
         {pad, pad}},
        attributes, CpuEngine());
    const memory packed = type == DataType::u8
                              ? weights->Packed(name, {dims, DataType::s8, Tag::oihw},
                                                quantized.weight.data(), description.weights_desc())
                              : weights->Packed(name, {dims, DataType::f32, Tag::oihw},
                                                conv.weight.data(), description.weights_desc());
    const memory result = output.residual != nullptr ? *output.residual : NewMemory(to);
    steps.push_back(
        {.primitive = dnnl::convolution_forward(description),
         .arguments = {{DNNL_ARG_SRC, from},
                       {DNNL_ARG_WEIGHTS, packed},
                       {DNNL_ARG_BIAS, Copy(type == DataType::u8 ? quantized.bias : conv.bias)},
                       {DNNL_ARG_DST, result}},
         .layer = layer,
         .output = result,
         .scales = {output.scales.begin(), output.scales.end()},
         .pooling = {}});
    return result;
  }

  // The hidden layer of the value on the features, flattened in [square][channel] order, which is
  // how they lie.
  void AddValueHidden(const LinearLayer& hidden, const memory& features) {
    const memory::desc from({positions, hidden.in_features}, head_type, Tag::ab);
    const memory::desc to({positions, hidden.out_features}, DataType::f32, Tag::ab);
    const memory::dims dims = {hidden.in_features, hidden.out_features};
    dnnl::post_ops after;
    after.append_eltwise(1.0F, dnnl::algorithm::eltwise_relu, 0.0F, 0.0F);
    dnnl::primitive_attr attributes;
    attributes.set_post_ops(after);
    const dnnl::matmul::primitive_desc description(
        {from, {dims, head_type, Tag::any}, {{1, hidden.out_features}, DataType::f32, Tag::ab}, to},
        attributes, CpuEngine());
    const memory packed = weights->Packed("value_hidden", {dims, DataType::f32, Tag::ba},
                                          hidden.weight.data(), description.weights_desc());
    value_hidden = NewMemory(to);
    memory bias({{1, hidden.out_features}, DataType::f32, Tag::ab}, CpuEngine());
    std::ranges::copy(hidden.bias, static_cast<float*>(bias.get_data_handle()));
    last = dnnl::matmul(description);
    last_arguments = {{DNNL_ARG_SRC, memory(from, CpuEngine(), features.get_data_handle())},
                      {DNNL_ARG_WEIGHTS, packed},
                      {DNNL_ARG_BIAS, bias},
                      {DNNL_ARG_DST, value_hidden}};
    value_conv = features;  // keeps the memory that the matrix reads
  }

  void Load(const float* planes) {
    const int64_t squares = static_cast<int64_t>(positions) * shape.squares();
    void* to = input.get_data_handle();
    const int channels = shape.input_planes;
    switch (type) {
      case DataType::u8:
        FillPadded(planes, squares, channels, padded_planes, static_cast<uint8_t*>(to), ToByte);
        break;
      case DataType::bf16:
        FillPadded(planes, squares, channels, padded_planes, static_cast<uint16_t*>(to), ToBf16);
        break;
      default:
        FillPadded(planes, squares, channels, padded_planes, static_cast<float*>(to),
                   [](float value) { return value; });
    }
  }

  void Pool(Step& step) const {
    void* const map = step.output.get_data_handle();
    switch (type) {
      case DataType::u8:
        return step.pooling->Run(static_cast<uint8_t*>(map), positions);
      case DataType::bf16:
        return step.pooling->Run(static_cast<uint16_t*>(map), positions);
      default:
        return step.pooling->Run(static_cast<float*>(map), positions);
    }
  }

  void Observe(const Step& step, const LayerObserver& observe) const {
    const auto dims = step.output.get_desc().dims();
    const auto channels = static_cast<size_t>(dims[1]);
    std::vector<float> values(static_cast<size_t>(positions) *
                              static_cast<size_t>(shape.squares()) * channels);
    const void* data = step.output.get_data_handle();
    for (size_t i = 0; i < values.size(); ++i) {
      switch (step.output.get_desc().data_type()) {
        case DataType::u8:
          values[i] = step.scales[i % channels] * static_cast<const uint8_t*>(data)[i];
          break;
        case DataType::bf16:
          values[i] = FromBf16(static_cast<const uint16_t*>(data)[i]);
          break;
        default:
          values[i] = static_cast<const float*>(data)[i];
      }
    }
    observe(step.layer, values);
  }

  const EncodingShape shape;
  const int positions;
  const DataType type;
  const DataType head_type;
  const std::shared_ptr<OneDnnWeights> weights;
  dnnl::stream stream{CpuEngine()};
  int padded_planes = 0;
  memory input;
  memory policy;
  memory value_conv;
  memory value_hidden;
  std::vector<Step> steps;
  dnnl::primitive last;
  Arguments last_arguments;
};

OneDnnTower::OneDnnTower(const FoldedNetwork& network, Precision precision, int positions,
                         std::shared_ptr<OneDnnWeights> weights) try
    : impl_(std::make_unique<Impl>(network, precision, positions, std::move(weights))) {
} catch (const dnnl::error& e) {
  throw RuntimeFailure(std::string("planning the network in oneDNN failed: ") + e.what());
}

OneDnnTower::~OneDnnTower() = default;
OneDnnTower::OneDnnTower(OneDnnTower&&) noexcept = default;

int OneDnnTower::positions() const { return impl_->positions; }

void OneDnnTower::Run(const float* planes, const LayerObserver& observe) {
  try {
    impl_->Load(planes);
    for (Impl::Step& step : impl_->steps) {
      step.primitive.execute(impl_->stream, step.arguments);
      if (observe || step.pooling) impl_->stream.wait();
      if (observe) impl_->Observe(step, observe);
      if (!step.pooling) continue;
      impl_->Pool(step);
      if (observe) impl_->Observe(step, observe);
    }
    impl_->last.execute(impl_->stream, impl_->last_arguments);
    impl_->stream.wait();
  } catch (const dnnl::error& e) {
    throw RuntimeFailure(std::string("evaluating the network in oneDNN failed: ") + e.what());
  }
}

std::span<const float> OneDnnTower::policy_features() const {
  return {static_cast<const float*>(impl_->policy.get_data_handle()),
          impl_->policy.get_desc().get_size() / sizeof(float)};
}

std::span<const float> OneDnnTower::value_features() const {
  return {static_cast<const float*>(impl_->value_hidden.get_data_handle()),
          impl_->value_hidden.get_desc().get_size() / sizeof(float)};
}

void UseOneThread() { omp_set_num_threads(1); }

std::string OneDnnVersion() {
  const dnnl_version_t* version = dnnl_version();
  return "oneDNN " + std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
         std::to_string(version->patch);
}

}  // namespace khanzero
