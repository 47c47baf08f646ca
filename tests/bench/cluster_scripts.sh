#!/usr/bin/env bash
# The scripts that start arlab on clusters: their syntax, what they would start, what they refuse.
#
#   tests/bench/cluster_scripts.sh
set -euo pipefail
scripts=$(cd "$(dirname "$0")/../../bench/cluster" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$tree"

for script in "$scripts"/train* "$scripts"/run.slurm; do
  bash -n "$script"
  if command -v shellcheck >/dev/null; then shellcheck -S warning "$script"; fi
done

# Stand-ins that print how they were called.
mkdir bin mpich
for program in bin/srun bin/mpirun mpich/mpirun arlab; do
  version='Open MPI'
  [ "$program" != mpich/mpirun ] || version=HYDRA
  cat >"$program" <<END
#!/bin/sh
[ "\$1" != --version ] || { echo "$version 4.1"; exit; }
echo "$(basename "$program") \$* [\$OMP_NUM_THREADS]"
END
  chmod +x "$program"
done
printf '#!/bin/sh\necho 8\n' >bin/nproc && chmod +x bin/nproc
export PATH="$tree/bin:$PATH" ARLAB=./arlab
unset OMP_NUM_THREADS MPIRUN_FLAGS SLURM_JOB_ID

expect() { # <what should be said> <exit code> <command...>
  local code=0 said
  said=$("${@:3}" 2>&1) || code=$?
  if [ "$said" != "$1" ] || [ "$code" != "$2" ]; then
    printf '%s\n  said: %s (%s)\n  not:  %s (%s)\n' "${*:3}" "$said" "$code" "$1" "$2" >&2
    exit 1
  fi
}

run=$scripts/train-mpirun
expect "mpirun -n 2 -x OMP_NUM_THREADS --bind-to none ./arlab train --model mlp [4]" 0 "$run" -n 2 --model mlp
expect "mpirun -n 9 -x OMP_NUM_THREADS --bind-to none --oversubscribe --mca mpi_yield_when_idle 1 ./arlab train [1]" 0 \
  "$run" -n 9
expect "mpirun -n 7 --host a:4,b.c:2,d -x OMP_NUM_THREADS --bind-to none ./arlab train x y [2]" 0 \
  "$run" -H a:4,b.c:2,d x y
OMP_NUM_THREADS=3 MPIRUN_FLAGS="-v -q" expect \
  "mpirun -n 1 -x OMP_NUM_THREADS --bind-to none -v -q ./arlab train [3]" 0 "$run" -n 1
PATH="$tree/mpich:$PATH" expect "mpirun -n 6 -hosts a:4,b:2 ./arlab train [2]" 0 "$run" -H a:4,b:2
usage="use $run -n WORKERS or -H host:slots,..., then arguments of arlab train"
expect "error: $usage" 2 "$run"
expect "error: $usage" 2 "$run" --model mlp
expect "error: '0' is not a number of workers: $usage" 2 "$run" -n 0
expect "error: 'a:0' is not host:slots: $usage" 2 "$run" -H "a:0"
expect "error: '' is not host:slots: $usage" 2 "$run" -H ",b"
expect "error: -H needs a host: $usage" 2 "$run" -H
ARLAB=./none expect "error: program ./none not found: run ./lab demo first, or name the program in ARLAB" 3 "$run" -n 1

job=$scripts/train.slurm
expect "error: run this in a Slurm job: sbatch $job [arguments of arlab train]" 3 "$job"
export SLURM_JOB_ID=7 SLURM_SUBMIT_DIR=$tree SLURM_JOB_NUM_NODES=2 SLURM_JOB_NODELIST='n[1-2]' SLURM_NTASKS=4
export SLURM_CPUS_PER_TASK=5
expect "2 nodes (n[1-2]), 4 workers, 5 threads each
srun --mpi=pmix --cpus-per-task=5 --kill-on-bad-exit=1 ./arlab train --epochs 3 [5]" 0 "$job" --epochs 3
ARLAB=none expect "error: program none not found: submit from the repository's root after ./lab demo, or name the program in ARLAB" \
  3 "$job"

job=$scripts/run.slurm
expect "2 nodes (n[1-2]), 4 ranks
srun --mpi=pmix --kill-on-bad-exit=1 ./arlab run all -s 1K --json arlab-run-7.jsonl []" 0 "$job" all -s 1K
ARLAB_MPI_TYPE=pmi2 expect "2 nodes (n[1-2]), 4 ranks
srun --mpi=pmi2 --kill-on-bad-exit=1 ./arlab run all --json x.jsonl []" 0 "$job" all --json x.jsonl
ARLAB=none expect "error: program none not found: submit from the repository's root after ./lab demo, or name the program in ARLAB" \
  3 "$job"
unset SLURM_JOB_ID
expect "error: run this in a Slurm job: sbatch $job [arguments of arlab run]" 3 "$job"
