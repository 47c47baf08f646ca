#!/bin/sh
# Layering catches: the layering test complains about each broken rule, and about nothing else.
#
#   tests/architecture/layering_catches.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/algorithms/catalog" "$tree/simulator/engine" "$tree/collectives/threads" "$tree/training/trainer" "$tree/bench" "$tree/plots" "$tree/tests/algorithms"

echo '#include <vector>' >"$tree/algorithms/catalog/ring.cpp"
echo '#include "algorithms/verify/match_schedule.hpp"' >"$tree/simulator/fine.hpp"
echo '#include <mpi.h>' >"$tree/collectives/mpi_fine.cpp"
echo 'colors = {}  # strings around' >"$tree/plots/fine.py"
"$here/layering.sh" "$tree"

expect() { # <file> <line of it> <complaint>
  echo "$2" >"$tree/$1"
  if said=$("$here/layering.sh" "$tree" 2>&1); then
    echo "not caught: $1: $2" >&2
    exit 1
  fi
  case "$said" in
    *"$3") ;;
    *) echo "caught $1, but said: $said" >&2 && exit 1 ;;
  esac
  rm "$tree/$1"
}

expect algorithms/a.hpp '#include "simulator/engine/simulate.hpp"' 'algorithms must not include "simulator/engine/simulate.hpp"'
expect simulator/a.cpp '#include "collectives/host/execute.hpp"' 'simulator must not include "collectives/host/execute.hpp"'
expect collectives/a.cpp '  #  include "simulator/network.hpp"' 'collectives must not include "simulator/network.hpp"'
expect algorithms/a.cpp '#include "error.hpp"' 'algorithms must not include "error.hpp"'
expect bench/a.cpp '#include <mpi.h>' '<mpi.h> does not belong into this file'
expect collectives/threads/threads.cpp '#include <nccl.h>' '<nccl.h> does not belong into this file'
expect simulator/a.cpp '#include <cuda_runtime.h>' '<cuda_runtime.h> does not belong into this file'
expect bench/a.cpp '#include <torch/torch.h>' '<torch/torch.h> does not belong into this file'
expect training/trainer/trainer.cpp '#include <torch/torch.h>' '<torch/torch.h> does not belong into this file'
expect algorithms/a.cpp '#include <boost/graph/graph_traits.hpp>' '<boost/graph/graph_traits.hpp> does not belong into this file'
expect tests/algorithms/a.cpp '#include <catch2/catch.hpp>' '<catch2/catch.hpp> does not belong into this file'
expect simulator/a.cpp '#include <chrono>' '<chrono> does not belong into this file'
expect plots/a.py 'colors = {"ring": "blue"}' "plots/ names the algorithm 'ring'; take names, labels and colors from the records"
expect plots/a.cpp '#include "bench/text/table.hpp"' 'plots must not include "bench/text/table.hpp"'
