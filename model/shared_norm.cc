// SPDX-License-Identifier: GPL-3.0-or-later
//
// LibTorch's own kernels do the work, in their form for given statistics, which are first summed
// over the learners. That form knows nothing of the statistics' dependence on the input, so the
// backward pass adds that part.
#include "model/shared_norm.h"

#include <algorithm>
#include <utility>

namespace khanzero {
namespace {

// The norm with statistics `mean` and `variance` of `count` values of each channel in all.
class NormOfWhole : public torch::autograd::Function<NormOfWhole> {
 public:
  struct Statistics {
    torch::Tensor mean;
    torch::Tensor variance;
    double count = 0.0;
    double epsilon = 0.0;
    c10::intrusive_ptr<SumOverLearners> learners;
  };

  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& scale, const torch::Tensor& shift,
                               const Statistics& whole) {
    context->save_for_backward({x, scale, whole.mean, whole.variance});
    context->saved_data["count"] = whole.count;
    context->saved_data["epsilon"] = whole.epsilon;
    context->saved_data["learners"] = c10::IValue::make_capsule(whole.learners);
    return std::get<0>(at::native_batch_norm(x, scale, shift, whole.mean, whole.variance,
                                             /*training=*/false, 0.0, whole.epsilon));
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const torch::autograd::variable_list saved = context->get_saved_variables();
    const torch::Tensor& x = saved[0];
    const torch::Tensor& scale = saved[1];
    const torch::Tensor& mean = saved[2];
    const torch::Tensor& variance = saved[3];
    const double count = context->saved_data["count"].toDouble();
    const double epsilon = context->saved_data["epsilon"].toDouble();
    const auto learners = c10::static_intrusive_pointer_cast<SumOverLearners>(
        context->saved_data["learners"].toCapsule());

    auto [of_x, of_scale, of_shift] = at::native_batch_norm_backward(
        gradients[0].contiguous(x.suggest_memory_format()), x, scale, mean, variance, {}, {},
        /*train=*/false, epsilon, {true, true, true});
    torch::Tensor sums = torch::stack({of_shift, of_scale}).to(torch::kFloat64);
    learners->sum(sums);
    // With y = (x - mean) r, r = 1 / sqrt(variance + epsilon), and g the gradient of what comes
    // out, a change of x also moves mean and variance, which costs
    //   scale r (sum(g) + y sum(g y)) / count:
    // the norm of x once more, with another scale and shift.
    const torch::Tensor each = scale * (variance + epsilon).rsqrt() / count;
    sums = sums.to(torch::kFloat32);
    of_x.sub_(std::get<0>(at::native_batch_norm(x, each * sums[1], each * sums[0], mean, variance,
                                                /*training=*/false, 0.0, epsilon)));
    return {of_x, of_scale, of_shift, torch::Tensor()};
  }
};

}  // namespace

torch::Tensor SharedBatchNorm(torch::nn::BatchNorm2dImpl& norm, const torch::Tensor& x,
                              const c10::intrusive_ptr<SumOverLearners>& learners) {
  NormOfWhole::Statistics whole;
  {
    const torch::NoGradGuard no_grad;
    const int64_t channels = x.size(1);
    const auto here = static_cast<double>(x.numel() / channels);
    const torch::Tensor unused = torch::zeros({channels}, torch::kFloat32);
    const auto [mean, variance] =
        at::batch_norm_update_stats(x.detach(), unused, unused.clone(), /*momentum=*/0.0);
    const torch::Tensor own_mean = mean.to(torch::kFloat64);
    torch::Tensor sums =
        torch::cat({own_mean * here, (variance.to(torch::kFloat64) + own_mean * own_mean) * here,
                    torch::full({1}, here, torch::kFloat64)});
    learners->sum(sums);
    whole.count = sums[2 * channels].item<double>();
    const torch::Tensor whole_mean = sums.narrow(0, 0, channels) / whole.count;
    const torch::Tensor whole_variance =
        (sums.narrow(0, channels, channels) / whole.count - whole_mean * whole_mean).clamp_min(0.0);
    whole.mean = whole_mean.to(torch::kFloat32);
    whole.variance = whole_variance.to(torch::kFloat32);
    const double momentum = norm.options.momentum().value();
    norm.num_batches_tracked += 1;
    norm.running_mean.lerp_(whole.mean, momentum);
    const double unbiased = whole.count / std::max(1.0, whole.count - 1.0);
    norm.running_var.lerp_(whole.variance * unbiased, momentum);
  }
  whole.epsilon = norm.options.eps();
  whole.learners = learners;
  return NormOfWhole::apply(x, norm.weight, norm.bias, whole);
}

}  // namespace khanzero
