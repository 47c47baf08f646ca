#!/usr/bin/env bash
# A rank that is killed in the middle of a run must end the job within seconds, with a message: never a hang.
#   killed_rank.sh <mpiexec> <flag for the number of ranks> <test_collectives_mpi>
set -uo pipefail
out=$(mktemp)
trap 'rm -f "$out"' EXIT
timeout -k 1 60 "$1" "$2" 4 "$3" hang >"$out" 2>&1 &
job=$!
for _ in $(seq 100); do
  victim=$(awk '$1 == 2 && NF == 2 { print $2 }' "$out")
  [ -n "$victim" ] && [ "$(grep -cE '^[0-3] [0-9]+$' "$out")" = 4 ] && break
  sleep 0.1
done
[ -n "$victim" ] || { echo "the ranks did not start:" && cat "$out" && exit 1; }
sleep 0.5
started=$SECONDS
kill -9 "$victim"
wait "$job"
status=$?
took=$((SECONDS - started))
cat "$out"
echo "the job ended after $took s with status $status"
[ "$status" -ne 0 ] && [ "$status" -ne 124 ] && [ "$took" -le 20 ] && [ "$(grep -cvE '^[0-3] [0-9]+$' "$out")" -gt 0 ]
