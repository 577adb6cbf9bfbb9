// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/pairing.h"

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <utility>

#include "env/error.h"
#include "play/rating_model.h"

namespace khanzero {

namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Slope = Eigen::Matrix<double, 3, 2>;

// A game of a pairing depends on three quantities: the difference of the two strengths, White's
// advantage and the tendency to draw. What it tells is a 3 x 3 matrix over them; the covariance of
// all parameters follows from a small update (Woodbury's identity).
class Design {
 public:
  Design(const RatingFit& fit, const PairingRequest& request)
      : fit_(fit),
        wanted_(WantedOf(fit, request)),
        covariance_(Eigen::Map<const MatrixXd>(fit.covariance.data(), fit.parameter_count(),
                                               fit.parameter_count())) {
    Weigh();
  }

  double Gain(Pairing p, int pairs) const {
    const Matrix3d spread = Between(covariance_, p);
    const Matrix3d told = Told(p, pairs, spread);
    return (Update(told, spread) * Between(weighed_, p)).trace();
  }

  // From here on as if the pairing were played.
  void Play(Pairing p, int pairs) {
    const Matrix3d spread = Between(covariance_, p);
    const MatrixXd columns = Columns(p);
    covariance_ -= columns * Update(Told(p, pairs, spread), spread) * columns.transpose();
    Weigh();
  }

 private:
  int white_place() const { return fit_.parameter_count() - 2; }
  int draw_place() const { return fit_.parameter_count() - 1; }

  // The wanted quantities, each as weights of all parameters: one column each.
  static MatrixXd WantedOf(const RatingFit& fit, const PairingRequest& request) {
    Check(request.wanted.size() == fit.players.size(), "a player is missing from what is wanted");
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(fit.parameter_count());
    for (const int i : request.centre) mean[i] = 1.0 / static_cast<double>(request.centre.size());
    std::vector<Eigen::VectorXd> columns;
    if (request.level) columns.push_back(mean);
    for (size_t i = 0; i < request.wanted.size(); ++i) {
      if (!request.wanted[i]) continue;
      columns.push_back(-mean);
      columns.back()[static_cast<Eigen::Index>(i)] += 1.0;
    }
    MatrixXd wanted(fit.parameter_count(), static_cast<Eigen::Index>(columns.size()));
    for (size_t i = 0; i < columns.size(); ++i) {
      wanted.col(static_cast<Eigen::Index>(i)) = columns[i];
    }
    return wanted;
  }

  void Weigh() {
    const MatrixXd weighed = covariance_ * wanted_;
    weighed_ = weighed * weighed.transpose();
  }

  // U' M U, where the columns of U pick the three quantities out of all parameters.
  Matrix3d Between(const MatrixXd& m, Pairing p) const {
    const std::array<int, 3> places = {p.a, white_place(), draw_place()};
    Matrix3d result;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const auto at = [&](int row, int column) {
          return m(i == 0 ? row : places[static_cast<size_t>(i)],
                   j == 0 ? column : places[static_cast<size_t>(j)]);
        };
        double value = at(p.a, p.a);
        if (i == 0) value -= at(p.b, p.a);
        if (j == 0) value -= at(p.a, p.b);
        if (i == 0 && j == 0) value += at(p.b, p.b);
        result(i, j) = value;
      }
    }
    return result;
  }

  // C U.
  MatrixXd Columns(Pairing p) const {
    MatrixXd columns(covariance_.rows(), 3);
    columns << covariance_.col(p.a) - covariance_.col(p.b), covariance_.col(white_place()),
        covariance_.col(draw_place());
    return columns;
  }

  // K (I + G K)^-1: what is told, lessened by what is known already.
  static Matrix3d Update(const Matrix3d& told, const Matrix3d& spread) {
    return told * (Matrix3d::Identity() + spread * told).inverse();
  }

  // The information of the games, averaged over what the difference may be: a mean of five points
  // (Gauss and Hermite), since a difference that is hardly known may be far from its estimate.
  Matrix3d Told(Pairing p, int pairs, const Matrix3d& spread) const {
    constexpr std::array<std::pair<double, double>, 5> kPoints = {{{-2.8569700, 0.01125741},
                                                                   {-1.3556262, 0.22207592},
                                                                   {0.0, 0.53333333},
                                                                   {1.3556262, 0.22207592},
                                                                   {2.8569700, 0.01125741}}};
    const auto parameter = [&](int i) { return fit_.parameters[static_cast<size_t>(i)]; };
    const double difference = parameter(p.a) - parameter(p.b);
    const double deviation = std::sqrt(std::max(0.0, spread(0, 0)));
    Matrix3d told = Matrix3d::Zero();
    for (const double side : {1.0, -1.0}) {  // a is White, then Black
      const Slope slope = (Slope() << side, 0.0, 1.0, 0.0, 0.0, 1.0).finished();
      for (const auto& [point, weight] : kPoints) {
        const double advantage = side * (difference + point * deviation) + parameter(white_place());
        const GameInformation one = InformationOf(ChancesOf(advantage, parameter(draw_place())));
        const Eigen::Matrix2d information =
            (Eigen::Matrix2d() << one.advantage, one.both, one.both, one.draw).finished();
        told += weight * pairs * slope * information * slope.transpose();
      }
    }
    return told;
  }

  const RatingFit& fit_;
  MatrixXd wanted_;  // V
  MatrixXd covariance_;
  MatrixXd weighed_;  // C V V' C
};

}  // namespace

double ExpectedGain(const RatingFit& fit, const PairingRequest& request, Pairing pairing) {
  return Design(fit, request).Gain(pairing, request.pairs);
}

std::vector<Pairing> ChoosePairings(const RatingFit& fit, const PairingRequest& request) {
  Check(request.available.size() == fit.players.size(), "a player is missing from the available");
  std::vector<int> able;
  for (size_t i = 0; i < fit.players.size(); ++i) {
    if (request.available[i] && fit.players[i].elo) able.push_back(static_cast<int>(i));
  }
  std::vector<Pairing> chosen;
  if (able.size() < 2) return chosen;
  const auto cost_of = [&](Pairing p) {
    if (request.costs.empty()) return 1.0;
    return request.costs[static_cast<size_t>(p.a)] + request.costs[static_cast<size_t>(p.b)];
  };
  Design design(fit, request);
  while (static_cast<int>(chosen.size()) < request.pairings) {
    std::pair<double, Pairing> best = {-1.0, {}};
    for (size_t i = 0; i < able.size(); ++i) {
      for (size_t j = i + 1; j < able.size(); ++j) {
        const Pairing p = {.a = able[i], .b = able[j]};
        const double gain = design.Gain(p, request.pairs) / cost_of(p);
        if (gain > best.first) best = {gain, p};
      }
    }
    chosen.push_back(best.second);
    design.Play(best.second, request.pairs);
  }
  return chosen;
}

}  // namespace khanzero
