#!/usr/bin/env bash
# The accesses by which ranks of a plan wait for one another, as nvcc compiles them: their order, their scope, and that
# 8 bytes are one access. The stand-in for CUDA keeps memory in order, so no test there shows these.
#
#   tests/collectives/cuda/peer_orders.sh NVCC
set -euo pipefail
cd "$(dirname "$0")/../../.."
ptx=$(mktemp --suffix=.ptx) && trap 'rm -f "$ptx"' EXIT
"$1" -std=c++20 -O3 -I. -arch=compute_90 -ptx tests/collectives/cuda/peer_orders.cu -o "$ptx"

failed=0
expect() { # <kernel> <access>
  local body
  body=$(sed -n "/\.entry $1(/,/^}/p" "$ptx")
  grep -qF "$2.b64" <<<"$body" && return
  echo "kernel $1 has no $2.b64:" >&2 && echo "$body" >&2 && failed=1
}
expect publishes st.release.sys
expect looks ld.acquire.sys
expect sends st.relaxed.sys
expect receives ld.relaxed.sys
exit $failed
