#!/usr/bin/env bash
# gpu-check: without a GPU it says so; with one (here: programs that play one) its report has every
# section, and one that fails fails the whole.
#
#   gpu_check.sh GPU_CHECK
set -euo pipefail
check=$(realpath "$1")
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work"

complain() {
  echo "$*" >&2
  exit 1
}

program() { # <path> <line of a shell script...>: a stand-in
  local path=$1
  shift
  mkdir -p "$(dirname "$path")"
  printf '#!/bin/sh\n' >"$path"
  printf '%s\n' "$@" >>"$path"
  chmod +x "$path"
}

# The tools that gpu-check needs, and no others: this machine may have a GPU.
mkdir bin
for tool in bash sh env dirname realpath sed grep awk cat mkdir mktemp rm date git timeout tail; do
  ln -s "$(command -v $tool)" bin/
done

if [ ! -e /dev/nvidiactl ]; then
  code=0
  PATH=$work/bin "$check" nowhere -o none.md >out 2>&1 || code=$?
  [ $code = 3 ] || complain "exit status $code without a GPU"
  grep -q 'no GPU to check here: there is no nvidia-smi' out || complain "$(cat out)"
  [ ! -e none.md ] || complain "a report without a GPU"
fi

program bin/nvidia-smi 'case "$1" in -L) echo "GPU 0: Stand-in" ;; *) echo "$@" ;; esac'
tests=build/tests/collectives
program $tests/test_collectives_cuda 'echo "All tests passed"'
program $tests/test_collectives_cuda_codes 'echo "skipped: no reason"' 'exit 77'
program $tests/test_collectives_nccl 'echo "All tests passed"'
program build/bench/micro/arlab_micro "cat $work/kernels.csv"
program build/bench/arlab \
  'case "$1" in' \
  'list) echo "| cuda | on | an idea | Stand-in |" ;;' \
  '*) echo "| $* |" ;;' \
  'esac'
{
  echo 'name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,error_occurred,error_message,"of_copy"'
  echo '"cuda/copy/67108864/manual_time",10,1,1,ns,2.9e+12,,,,,0.95'
  echo '"cuda/sum/float32/1048576/manual_time",10,1,1,ns,1e+12,,,,,0.5'
} >kernels.csv

run() { # <expected exit status>
  local code=0
  PATH=$work/bin "$check" "$work/build" -o "$work/report.md" >out 2>&1 || code=$?
  [ $code = "$1" ] || complain "exit status $code instead of $1: $(cat out report.md)"
}

run 0
for line in '# GPU check' '## Machine' '| cuda | on |' '| Kernels and virtual ranks: tests | right |' \
  '| Compression kernels: tests | skipped: no reason |' '| cuda/copy/67108864 | 2900 | 95% |  |' \
  '| cuda/sum/float32/1048576 | 1000 | 50% |  |' '| run all -b cuda -p 2..8+1' '| run all -b nccl' \
  '| compute-sanitizer | skipped: there is no compute-sanitizer in PATH |' \
  '| NCCL, two processes that may share a GPU | skipped: there is no mpirun in PATH |' \
  '| Training over NCCL, two processes that may share a GPU | skipped: there is no mpirun in PATH |'; do
  grep -qF "$line" report.md || complain "no '$line' in: $(cat report.md)"
done

echo '"cuda/max/int32/67108864/manual_time",10,1,1,ns,2.6e+12,,,,,0.89' >>kernels.csv
run 1
grep -qF '| cuda/max/int32/67108864 | 2600 | 89% | LOW |' report.md || complain "$(cat report.md)"
grep -qF '| Kernels beside the copy limit | FAILED: exit status 1 |' report.md || complain "$(cat report.md)"

program build/bench/arlab 'echo "| cuda | off | an idea | a reason |"'
run 3
grep -qF 'a reason' out || complain "$(cat out)"
