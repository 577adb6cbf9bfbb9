# SPDX-License-Identifier: GPL-3.0-or-later
#
# For ablate.sh: lines 'VARIANT/SEED step games hours elo error played cpu-seconds' become a table in
# Markdown and JSON, in Elo above the baseline. Variables: baseline, about, md, json.

# The greatest factor of Student's t for a 95 % interval; few seeds make it wide.
function student(freedom) {
  if (freedom < 1) return 0
  split("12.71 4.30 3.18 2.78 2.57 2.45 2.36 2.31 2.26 2.23", t, " ")
  return freedom <= 10 ? t[freedom] : 2.0
}

{
  cut = match($1, /\/[0-9]+$/)
  name = substr($1, 1, cut - 1)
  if (!(name in runs)) order[++count] = name
  i = ++runs[name]
  run_name[name, i] = $1
  step[name, i] = $2; games[name, i] = $3; hours[name, i] = $4
  known[name, i] = $5 != "-"
  elo[name, i] = $5 + 0; error[name, i] = $6 + 0; played[name, i] = $7; cpu[name, i] = $8
}

# What is not known is an empty text: '-' in the table, null in JSON.
function number(format, value) { return value == "" ? "-" : sprintf(format, value) }
function figure(value) { return value == "" ? "null" : sprintf("%.1f", value) }

# Mean of a variant's runs, and half of its 95 % interval: of the games and, with several seeds, of the
# seeds' own scatter, whichever is wider.
function summarise(name,    i, n, sum, squares, noise, mean, spread) {
  n = sum = squares = noise = 0
  steps[name] = made[name] = minutes[name] = processor[name] = all_played[name] = 0
  for (i = 1; i <= runs[name]; ++i) {
    steps[name] += step[name, i] / runs[name]
    made[name] += games[name, i] / runs[name]
    minutes[name] += hours[name, i] * 60 / runs[name]
    processor[name] += cpu[name, i] / runs[name]
    all_played[name] += played[name, i]
    if (!known[name, i]) continue
    ++n
    sum += elo[name, i]
    squares += elo[name, i] ^ 2
    noise += error[name, i] ^ 2
  }
  rated[name] = n
  if (n == 0) return
  mean = sum / n
  average[name] = mean
  interval[name] = sqrt(noise) / n
  if (n > 1) {
    spread = (squares - n * mean ^ 2) / (n - 1)
    spread = student(n - 1) * sqrt(spread > 0 ? spread / n : 0)
    if (spread > interval[name]) interval[name] = spread
  }
}

END {
  for (k = 1; k <= count; ++k) summarise(order[k])
  if (!(baseline in rated) || rated[baseline] == 0) {
    print "ablate.sh: the baseline has no rating: let the ladder play more games" > "/dev/stderr"
    exit 1
  }
  zero = average[baseline]
  for (k = 1; k <= count; ++k) {  # the best first, those without a rating last
    for (m = k; m > 1; --m) {
      a = order[m - 1]; b = order[m]
      if (rated[a] && (!rated[b] || average[a] >= average[b])) break
      order[m - 1] = b; order[m] = a
    }
  }
  print "Elo above `" baseline "`; " about ".\n" > md
  print "| variant | Elo | +/- 95 % | seeds | games played | steps | self-play games | minutes | CPU s |" > md
  print "| --- | --- | --- | --- | --- | --- | --- | --- | --- |" > md
  printf "{\"baseline\": \"%s\", \"about\": \"%s\", \"variants\": [", baseline, about > json
  for (k = 1; k <= count; ++k) {
    name = order[k]
    above = rated[name] ? average[name] - zero : ""
    printf("| %s | %s | %s | %d | %d | %d | %d | %.1f | %d |\n", name, number("%+.0f", above),
      number("%.0f", rated[name] ? interval[name] : ""), runs[name], all_played[name], steps[name],
      made[name], minutes[name], processor[name]) > md
    printf("%s\n {\"name\": \"%s\", \"elo\": %s, \"error\": %s, \"runs\": [", k > 1 ? "," : "", name,
      figure(above), figure(rated[name] ? interval[name] : "")) > json
    for (i = 1; i <= runs[name]; ++i) {
      printf("%s\n  {\"name\": \"%s\", \"elo\": %s, \"error\": %s, ", i > 1 ? "," : "",
        run_name[name, i], figure(known[name, i] ? elo[name, i] - zero : ""),
        figure(known[name, i] ? error[name, i] : "")) > json
      printf("\"played\": %d, \"step\": %d, \"games\": %d, \"hours\": %.3f, \"cpu_seconds\": %d}",
        played[name, i], step[name, i], games[name, i], hours[name, i], cpu[name, i]) > json
    }
    printf("]}") > json
  }
  print "\n]}" > json
}
