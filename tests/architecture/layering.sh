#!/bin/sh
# Layering: each folder includes only what it may, and foreign headers stay where they are used.
#
#   tests/architecture/layering.sh [repository]
#
# The rules are those of the README's map: algorithms <- simulator, collectives <- training, plots <- bench.
set -eu
cd "${1:-$(dirname "$0")/../..}"
wrong=0

complain() {
  echo "$1" >&2
  wrong=1
}

# Prints "file header" for each include of a folder; quotes and brackets stay on.
includes() {
  grep -rHE --include='*.hpp' --include='*.cpp' --include='*.cu' --include='*.cuh' --include='*.inc' --include='*.inl' \
    '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]' "$1" |
    sed -E 's|^([^:]*):[[:space:]]*#[[:space:]]*include[[:space:]]*([<"][^>"]*[>"]).*|\1 \2|'
}

may_include() { # <folder> <header>: our own headers
  case "$1:$2" in
    tests:* | bench:*) ;;
    *:\"$1/*) ;;
    simulator:\"algorithms/* | collectives:\"algorithms/*) ;;
    plots:\"algorithms/* | plots:\"simulator/* | plots:\"training/schedulers/*) ;;
    training:\"algorithms/* | training:\"simulator/* | training:\"collectives/*) ;;
    *) return 1 ;;
  esac
}

may_use() { # <file> <header>: headers of others
  case "$2" in
    '<mpi'*) case "$1" in collectives/*mpi* | collectives/shm/* | tests/collectives/*mpi* | tests/collectives/shm/* | bench/plugins/*) ;; *) return 1 ;; esac ;;
    '<nccl'*) case "$1" in collectives/*nccl* | tests/collectives/*nccl* | tests/fakes/cuda/*) ;; *) return 1 ;; esac ;;
    '<gloo/'*) case "$1" in collectives/gloo/*) ;; *) return 1 ;; esac ;;
    '<cu'* | '<cooperative_groups'* | '<nvtx'*)
      case "$1" in collectives/*cuda* | collectives/*nccl* | tests/collectives/*cuda* | tests/fakes/cuda/*) ;; *) return 1 ;; esac ;;
    '<torch'* | '<ATen'* | '<c10'*) case "$1" in training/models/* | training/plugins/torch/* | tests/training/models/* | tests/install/*) ;; *) return 1 ;; esac ;;
    '<catch2/'*) case "$1" in tests/support/*) ;; *) return 1 ;; esac ;; # its headers differ between versions 2 and 3
    '<boost/'*) case "$1" in simulator/topologies/* | simulator/*topolog* | tests/simulator/* | bench/* | tests/bench/formats/*) ;; *) return 1 ;; esac ;;
    '<nlohmann/'*) case "$1" in collectives/plugins/*) ;; algorithms/* | simulator/* | collectives/*) return 1 ;; esac ;; # tuned tables
    '<sys/mman.h>') case "$1" in simulator/large_array.hpp) return 0 ;; algorithms/* | simulator/*) return 1 ;; esac ;; # large pages
    '<'*.h'>') case "$1" in algorithms/* | simulator/*) return 1 ;; esac ;; # files, threads, clocks
    '<chrono>') case "$1" in algorithms/base/time.hpp) return 0 ;; algorithms/* | simulator/*) return 1 ;; esac ;; # durations, no clocks
    '<atomic>') case "$1" in algorithms/find_algorithm.cpp | algorithms/parts/rated_trees.hpp | algorithms/base/frame_memory.cpp | algorithms/base/stop.hpp | simulator/topologies/build/distances.hpp) return 0 ;; algorithms/* | simulator/*) return 1 ;; esac ;; # needs no threads
    '<filesystem>' | '<fstream>' | '<thread>' | '<mutex>')
      case "$1" in algorithms/* | simulator/*) return 1 ;; esac ;; # they run in a browser, too
    '<'*/*) case "$1" in algorithms/* | simulator/* | collectives/*) return 1 ;; esac ;;
  esac
}

for folder in algorithms simulator collectives training plots bench tests; do
  [ -d "$folder" ] || continue
  while read -r file header; do
    case "$header" in
      \"*) may_include "$folder" "$header" || complain "$file: $folder must not include $header" ;;
      *) may_use "$file" "$header" || complain "$file: $header does not belong into this file" ;;
    esac
  done <<EOF
$(includes "$folder")
EOF
done

# Labels and colors travel with the data: no algorithm is known to the plots by name. (What is taught, and figures,
# may name them.)
if [ -d plots ]; then
  for file in algorithms/catalog/*.cpp; do
    name=$(basename "$file" .cpp)
    if grep -rnwI --exclude-dir=__pycache__ --exclude-dir=teaching --exclude-dir=figures --exclude='*.[ch]pp' "$name" plots ||
      grep -rn --include='*.[ch]pp' "\"$name\"" plots; then
      complain "plots/ names the algorithm '$name'; take names, labels and colors from the records"
    fi
  done
fi
exit $wrong
