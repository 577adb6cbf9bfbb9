// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/ratings.h"

#include <Eigen/Dense>
#include <cmath>
#include <numbers>
#include <numeric>

#include "env/error.h"
#include "play/rating_model.h"

namespace khanzero {

namespace {

constexpr double kNormal95 = 1.959964;
constexpr double kEloPerLogOdds = 400.0 / std::numbers::ln10;

// The prior: independent normals, in natural units. Together they weigh less than a tenth of one
// even game for each player.
constexpr double kStrengthDeviation = 2000.0 / kEloPerLogOdds;
constexpr double kWhiteDeviation = 400.0 / kEloPerLogOdds;
constexpr double kDrawMean = -1.0;  // a draw in six games of equals
constexpr double kDrawDeviation = 2.0;

// Which players a chain of games joins to the anchor.
std::vector<bool> JoinedTo(int anchor, int players, std::span<const SideResults> results) {
  std::vector<bool> joined(static_cast<size_t>(players), false);
  joined[static_cast<size_t>(anchor)] = true;
  for (bool grew = true; grew;) {
    grew = false;
    for (const SideResults& r : results) {
      if (r.games() == 0) continue;
      const auto white = static_cast<size_t>(r.white);
      const auto black = static_cast<size_t>(r.black);
      if (joined[white] == joined[black]) continue;
      joined[white] = joined[black] = grew = true;
    }
  }
  return joined;
}

// The log-likelihood and its derivatives over the free parameters: strengths of joined players
// other than the anchor, then White's advantage, then the tendency to draw.
class Likelihood {
 public:
  Likelihood(int players, int anchor, std::span<const SideResults> results)
      : place_(static_cast<size_t>(players), -1) {
    const std::vector<bool> joined = JoinedTo(anchor, players, results);
    int free = 0;
    for (int i = 0; i < players; ++i) {
      if (joined[static_cast<size_t>(i)] && i != anchor) place_[static_cast<size_t>(i)] = free++;
    }
    size_ = free + 2;
    for (const SideResults& r : results) {
      if (r.games() > 0 && joined[static_cast<size_t>(r.white)]) results_.push_back(r);
    }
  }

  int size() const { return size_; }
  // The free parameter that is this player's strength; -1 when it is fixed.
  int place(int player) const { return place_[static_cast<size_t>(player)]; }
  int white_place() const { return size_ - 2; }
  int draw_place() const { return size_ - 1; }

  Eigen::VectorXd Start() const {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(size_);
    x[draw_place()] = kDrawMean;
    return x;
  }

  double Value(const Eigen::VectorXd& x) const {
    double value = 0.0;
    for (int i = 0; i < size_; ++i) value -= 0.5 * Precision(i) * Offset(x, i) * Offset(x, i);
    for (const SideResults& r : results_) {
      const GameChances p = ChancesOf(Advantage(x, r), x[draw_place()]);
      const auto add = [&](int64_t count, double chance) {
        if (count > 0) value += static_cast<double>(count) * std::log(chance);
      };
      add(r.white_wins, p.white);
      add(r.draws, p.draw);
      add(r.black_wins, p.black);
    }
    return value;
  }

  // The gradient, and the Hessian with its sign turned: positive definite everywhere, so there is
  // one maximum.
  void Derivatives(const Eigen::VectorXd& x, Eigen::VectorXd& gradient,
                   Eigen::MatrixXd& curvature) const {
    gradient = Eigen::VectorXd::Zero(size_);
    curvature = Eigen::MatrixXd::Zero(size_, size_);
    for (int i = 0; i < size_; ++i) {
      gradient[i] = -Precision(i) * Offset(x, i);
      curvature(i, i) = Precision(i);
    }
    for (const SideResults& r : results_) {
      const GameChances p = ChancesOf(Advantage(x, r), x[draw_place()]);
      const GameInformation told = InformationOf(p);
      const auto games = static_cast<double>(r.games());
      const double by_advantage =
          0.5 * (static_cast<double>(r.white_wins - r.black_wins) - games * (p.white - p.black));
      // How the advantage depends on the parameters.
      const std::array<std::pair<int, double>, 3> slopes = {
          {{place(r.white), 1.0}, {place(r.black), -1.0}, {white_place(), 1.0}}};
      for (const auto& [i, slope_i] : slopes) {
        if (i < 0) continue;
        gradient[i] += slope_i * by_advantage;
        curvature(i, draw_place()) += slope_i * games * told.both;
        curvature(draw_place(), i) += slope_i * games * told.both;
        for (const auto& [j, slope_j] : slopes) {
          if (j >= 0) curvature(i, j) += slope_i * slope_j * games * told.advantage;
        }
      }
      gradient[draw_place()] += static_cast<double>(r.draws) - games * p.draw;
      curvature(draw_place(), draw_place()) += games * told.draw;
    }
  }

 private:
  double Strength(const Eigen::VectorXd& x, int player) const {
    return place(player) < 0 ? 0.0 : x[place(player)];
  }
  double Advantage(const Eigen::VectorXd& x, const SideResults& r) const {
    return Strength(x, r.white) - Strength(x, r.black) + x[white_place()];
  }
  double Precision(int i) const {
    const double deviation = i == draw_place()    ? kDrawDeviation
                             : i == white_place() ? kWhiteDeviation
                                                  : kStrengthDeviation;
    return 1.0 / (deviation * deviation);
  }
  double Offset(const Eigen::VectorXd& x, int i) const {
    return i == draw_place() ? x[i] - kDrawMean : x[i];
  }

  std::vector<int> place_;
  int size_ = 0;
  std::vector<SideResults> results_;
};

// Newton's method; a step that does not climb is halved. Returns the inverse of the curvature at
// the maximum.
Eigen::MatrixXd Maximise(const Likelihood& likelihood, Eigen::VectorXd& x) {
  constexpr int kMostSteps = 200;
  Eigen::VectorXd gradient;
  Eigen::MatrixXd curvature;
  double value = likelihood.Value(x);
  for (int step = 0; step < kMostSteps; ++step) {
    likelihood.Derivatives(x, gradient, curvature);
    Eigen::VectorXd move = curvature.ldlt().solve(gradient);
    if (move.lpNorm<Eigen::Infinity>() < 1e-10) break;
    for (int halvings = 0; halvings < 60; ++halvings, move *= 0.5) {
      const double next = likelihood.Value(x + move);
      if (next >= value) {
        x += move;
        value = next;
        break;
      }
    }
  }
  likelihood.Derivatives(x, gradient, curvature);
  return curvature.ldlt().solve(Eigen::MatrixXd::Identity(x.size(), x.size()));
}

void CountGames(std::span<const SideResults> results, std::vector<Rating>& players) {
  for (const SideResults& r : results) {
    Rating& white = players[static_cast<size_t>(r.white)];
    Rating& black = players[static_cast<size_t>(r.black)];
    white.games += r.games();
    black.games += r.games();
    white.points += static_cast<double>(r.white_wins) + 0.5 * static_cast<double>(r.draws);
    black.points += static_cast<double>(r.black_wins) + 0.5 * static_cast<double>(r.draws);
  }
}

}  // namespace

double RatingFit::ErrorOfSum(std::span<const double> weights) const {
  Check(weights.size() == players.size(), "a player's weight is missing");
  double variance = 0.0;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0.0) continue;
    for (size_t j = 0; j < weights.size(); ++j) {
      variance += weights[i] * weights[j] * covariance[i * parameters.size() + j];
    }
  }
  return kNormal95 * elo_per_unit * std::sqrt(std::max(0.0, variance));
}

RatingFit FitRatings(int players, int anchor, std::span<const SideResults> results) {
  Check(anchor >= 0 && anchor < players, "the anchor is no player");
  for (const SideResults& r : results) {
    Check(r.white >= 0 && r.white < players && r.black >= 0 && r.black < players &&
              r.white != r.black,
          "a result is of players out of range");
  }
  const Likelihood likelihood(players, anchor, results);
  Eigen::VectorXd x = likelihood.Start();
  const Eigen::MatrixXd inverse = Maximise(likelihood, x);

  RatingFit fit;
  fit.players.resize(static_cast<size_t>(players));
  CountGames(results, fit.players);
  const double draw_weight = std::exp(x[likelihood.draw_place()]);
  fit.draw_share = draw_weight / (2.0 + draw_weight);
  // The scale on which a small difference changes the expected score as Elo's formula says.
  fit.elo_per_unit = kEloPerLogOdds * (1.0 - fit.draw_share);

  // Where each parameter of the fit is among the free ones.
  std::vector<int> places(static_cast<size_t>(players) + 2);
  for (int i = 0; i < players; ++i) places[static_cast<size_t>(i)] = likelihood.place(i);
  places[static_cast<size_t>(players)] = likelihood.white_place();
  places[static_cast<size_t>(players) + 1] = likelihood.draw_place();
  const size_t count = places.size();
  fit.parameters.assign(count, 0.0);
  fit.covariance.assign(count * count, 0.0);
  for (size_t i = 0; i < count; ++i) {
    if (places[i] < 0) continue;
    fit.parameters[i] = x[places[i]];
    for (size_t j = 0; j < count; ++j) {
      if (places[j] >= 0) fit.covariance[i * count + j] = inverse(places[i], places[j]);
    }
  }
  const auto error = [&](size_t i) {
    return kNormal95 * fit.elo_per_unit * std::sqrt(fit.covariance[i * count + i]);
  };
  for (size_t i = 0; i < fit.players.size(); ++i) {
    if (places[i] < 0 && static_cast<int>(i) != anchor) continue;
    fit.players[i].elo = fit.elo_per_unit * fit.parameters[i];
    fit.players[i].error = error(i);
  }
  fit.white_elo = fit.elo_per_unit * fit.parameters[count - 2];
  fit.white_error = error(count - 2);
  return fit;
}

}  // namespace khanzero
