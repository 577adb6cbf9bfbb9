// SPDX-License-Identifier: GPL-3.0-or-later
//
// The few places where LibTorch 1.13 and 2.x differ.
#pragma once

#include <ATen/autocast_mode.h>
#include <torch/torch.h>
#include <torch/version.h>

namespace khanzero {

// Autocast on the calling thread, to `type` on the CPU or on CUDA, for the guard's lifetime; on
// return the cast weights are dropped.
class AutocastGuard {
 public:
  AutocastGuard(torch::DeviceType device, torch::ScalarType type)
      : device_(device), was_enabled_(IsEnabled(device)), type_before_(TypeOf(device)) {
    Set(true, type);
    at::autocast::increment_nesting();
  }
  ~AutocastGuard() {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    Set(was_enabled_, type_before_);
  }
  AutocastGuard(const AutocastGuard&) = delete;
  AutocastGuard& operator=(const AutocastGuard&) = delete;

 private:
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
  static bool IsEnabled(torch::DeviceType device) {
    return at::autocast::is_autocast_enabled(device);
  }
  static torch::ScalarType TypeOf(torch::DeviceType device) {
    return at::autocast::get_autocast_dtype(device);
  }
  void Set(bool enabled, torch::ScalarType type) const {
    at::autocast::set_autocast_enabled(device_, enabled);
    at::autocast::set_autocast_dtype(device_, type);
  }
#else
  static bool IsEnabled(torch::DeviceType device) {
    return device == torch::kCPU ? at::autocast::is_cpu_enabled() : at::autocast::is_enabled();
  }
  static torch::ScalarType TypeOf(torch::DeviceType device) {
    return device == torch::kCPU ? at::autocast::get_autocast_cpu_dtype()
                                 : at::autocast::get_autocast_gpu_dtype();
  }
  void Set(bool enabled, torch::ScalarType type) const {
    if (device_ == torch::kCPU) {
      at::autocast::set_cpu_enabled(enabled);
      at::autocast::set_autocast_cpu_dtype(type);
    } else {
      at::autocast::set_enabled(enabled);
      at::autocast::set_autocast_gpu_dtype(type);
    }
  }
#endif

  torch::DeviceType device_;
  bool was_enabled_;
  torch::ScalarType type_before_;
};

}  // namespace khanzero
