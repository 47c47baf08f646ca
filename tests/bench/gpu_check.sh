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
for tool in bash sh env dirname realpath sed grep awk cat mkdir mktemp rm date git timeout tail head sleep cp; do
  ln -s "$(command -v $tool)" bin/
done

export CUDA_HOME=$work/none # where gpu-check looks for compute-sanitizer

if [ ! -e /dev/nvidiactl ]; then
  code=0
  PATH=$work/bin "$check" nowhere -o none.md >out 2>&1 || code=$?
  [ $code = 3 ] || complain "exit status $code without a GPU"
  grep -q 'no GPU to check here: nvidia-smi and' out || complain "$(cat out)"
  [ ! -e none.md ] || complain "a report without a GPU"
fi

program bin/nvidia-smi 'case "$1" in -L) echo "GPU 0: Stand-in" ;; *) echo "$@" ;; esac'
tests=build/tests/collectives
program $tests/test_collectives_cuda 'echo "All tests passed"'
program build/tests/training/test_training_cuda 'echo "skipped: no reason"' 'exit 77'
program $tests/test_collectives_nccl 'sleep 2' 'echo "All tests passed"'
program build/bench/micro/arlab_micro "cat $work/kernels.csv"
arlab() { # <whether NCCL is on>
  program build/bench/arlab \
    'case "$1" in' \
    "list) echo '| cuda | on | an idea | Stand-in |'; echo '| nccl   | $1  | an idea | the reason      |' ;;" \
    '*) echo "| $* |" ;;' \
    'esac'
}
arlab on
{
  echo 'name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,error_occurred,error_message,"of_copy"'
  echo '"cuda/copy/67108864/iterations:1/manual_time",10,1,1,ns,2.9e+12,,,,,0.95'
  echo '"cuda/sum/float32/1048576/iterations:1/manual_time",10,1,1,ns,1e+12,,,,,0.5'
} >kernels.csv

echo 'SECONDS=400' >late # as after minutes of building
run() { # <expected exit status>
  local code=0
  BASH_ENV=$work/late PATH=$work/bin "$check" "$work/build" -o "$work/report.md" >out 2>&1 || code=$?
  [ $code = "$1" ] || complain "exit status $code instead of $1: $(cat out report.md)"
}

run 0
for line in '# GPU check' '## Machine' '| cuda | on |' '| Kernels and virtual ranks: tests | right |' \
  '| Compression kernels: tests | skipped: no reason |' '| cuda/copy/67108864 | 2900 | 95% |  |' \
  '| cuda/sum/float32/1048576 | 1000 | 50% |  |' '| run all -b cuda -p 2..8+1' '| run all -b nccl' \
  '| NCCL: tests | right |' '| run native -b nccl' \
  '| One kernel per GPU, a process each | skipped: this arlab knows no peer |' \
  '| compute-sanitizer | skipped: compute-sanitizer not found in PATH |' \
  '| MPI with device buffers | skipped: this arlab knows no mpi-cuda |' \
  '| NCCL, two processes that may share a GPU | skipped: mpirun not found in PATH |' \
  '| Training over NCCL, two processes that may share a GPU | skipped: mpirun not found in PATH |'; do
  grep -qF "$line" report.md || complain "no '$line' in: $(cat report.md)"
done

# GPUs are counted as CUDA shows them, not as nvidia-smi -L lists them, which has one here. Where some do not read one
# another's memory, what needs that is skipped.
peer_gpus() { # <how they reach one another>
  program build/bench/arlab \
    'case "$*" in' \
    "list*) echo '| cuda | on | an idea | 1 x Stand-in, 2 x Other 7 x, CUDA 13.0 |'; echo '| peer | on | an idea | |' ;;" \
    "*links.jsonl) echo '{\"gpu\":\"3\",\"gpu_links\":\"$1\"}' >\"\${*##* }\" ;;" \
    '*) echo "| $* |" ;;' \
    'esac'
}
program bin/mpirun 'echo "| mpirun $* |"'
peer_gpus '0-1 peers (as over PCIe); 0-2 peers (as over PCIe); 1-2 peers (as over PCIe)'
run 0
for line in '| The same, one kernel per GPU | right |' '| One kernel per GPU, a process each | right |' \
  '| run all -b peer -p 2,5,8' '--bind-to none -n 3 '; do
  grep -qF -e "$line" report.md || complain "no '$line' in: $(cat report.md)"
done
peer_gpus '0-1 peers (as over PCIe); 0-2 no peers (through the host); 1-2 peers (as over PCIe)'
run 0
for title in 'The same, one kernel per GPU' 'One kernel per GPU, a process each'; do
  grep -qF "| $title | skipped: not all GPUs read one another's memory: 0-1 peers" report.md || complain "$(cat report.md)"
done
rm bin/mpirun
arlab on

echo '"cuda/max/int32/67108864/iterations:1/manual_time",10,1,1,ns,2.6e+12,,,,,0.89' >>kernels.csv
run 1
grep -qF '| cuda/max/int32/67108864 | 2600 | 89% | LOW |' report.md || complain "$(cat report.md)"
grep -qF '| Kernels beside the copy limit | FAILED: exit status 1 |' report.md || complain "$(cat report.md)"

program $tests/test_collectives_nccl 'echo "All tests passed"'
! grep -qF 'not finished' report.md || complain "$(cat report.md)"

# Of a program that fails amid its work is shown what it measured, and why it failed.
program build/bench/micro/arlab_micro "head -n 2 $work/kernels.csv" 'echo "out of memory" >&2' 'exit 3'
run 1
grep -qF '| cuda/copy/67108864 | 2900 | 95% |  |' report.md || complain "$(cat report.md)"
grep -qF 'out of memory' report.md || complain "$(cat report.md)"
grep -qF '| Kernels beside the copy limit | FAILED: exit status 3 |' report.md || complain "$(cat report.md)"

# A failing test is not lost among thousands of lines, and every section is written at once.
program $tests/test_collectives_cuda 'echo the first failure' \
  'i=0; while [ $i -lt 999 ]; do i=$((i + 1)); echo line $i; done' 'echo the end' 'exit 1'
program $tests/test_collectives_nccl "cp $work/report.md $work/amid.md"
run 1
for line in 'the first failure' '[...]' 'the end'; do
  grep -qF "$line" amid.md || complain "no '$line' in: $(cat amid.md)"
done
grep -qF ', not finished.' amid.md || complain "$(cat amid.md)"
! grep -q '^line 500$' amid.md || complain "a report of a thousand lines"

# What could not be built is skipped, and what did not build has failed.
program bin/cmake \
  'case "$*" in' \
  "*'--target help') printf 'arlab: phony\ntest_collectives_cuda: phony\ntest_training_cuda: phony\n' ;;" \
  '*"--target test_collectives_cuda") exit 1 ;;' \
  '*"--target arlab_micro" | *"--target test_collectives_nccl") exit 9 ;;' \
  "*'--target arlab') mkdir -p $work/made/bench && cp $work/build/bench/arlab $work/made/bench/ ;;" \
  'esac'
code=0
PATH=$work/bin "$check" "$work/made" -o "$work/report.md" >out 2>&1 || code=$?
[ $code = 1 ] || complain "exit status $code of a build of which a part fails: $(cat out)"
for line in '| Kernels and virtual ranks: tests | FAILED: exit status 1 |' 'test_collectives_cuda did not build' \
  '| NCCL: tests | skipped: this build has no test_collectives_nccl |' \
  '| Kernels beside the copy limit | skipped: this build has no arlab_micro |'; do
  grep -qF "$line" report.md || complain "no '$line' in: $(cat report.md)"
done

# So it is in a folder that was built elsewhere.
rm build/bench/micro/arlab_micro $tests/test_collectives_* build/tests/training/test_training_cuda
arlab off
run 0
for line in '| Kernels and virtual ranks: tests | skipped: this build has no test_collectives_cuda |' \
  '| Kernels beside the copy limit | skipped: this build has no arlab_micro |' \
  '| NCCL on all GPUs, beside ncclAllReduce | skipped: the reason |'; do
  grep -qF "$line" report.md || complain "no '$line' in: $(cat report.md)"
done

program build/bench/arlab 'echo "| cuda | off | an idea | a reason |"'
run 3
grep -qF 'a reason' out || complain "$(cat out)"
