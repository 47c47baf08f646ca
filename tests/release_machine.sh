#!/usr/bin/env bash
# Uses the files of a release on a fresh Debian 12 or 13 or Ubuntu 24.04 without compiler and CMake: a chroot.
#
#   sudo tests/release_machine.sh <folder for the chroot> <bookworm|trixie|noble> FILES...
#
# FILES: a portable archive (arlab-*-portable.tar.gz), which user 1000 unpacks and uses, in at most 10 s; or Debian packages, which
# apt installs together. The chroot is made as tests/fresh_machine.sh makes it, and kept. Not part of ctest, because it downloads
# packages; ctest runs it with stand-ins (tests/lab/).
set -euo pipefail
usage="usage: tests/release_machine.sh <folder> <bookworm|trixie|noble> FILES..."
folder=${1:?$usage} suite=${2:?$usage} limit_ms=10000
[ $# -gt 2 ] || { echo "$usage" >&2 && exit 2; }
shift 2
. "$(dirname "$0")/support/fresh_root.sh"

archives=() packages=()
for file in "$@"; do
  [ -e "$file" ] || { echo "no file $file: make it with .ci/release, or with cpack -G DEB" >&2 && exit 2; }
  case $file in
    *-portable.tar.gz) archives+=("$file") ;;
    *.deb) packages+=("$file") ;;
    *) echo "unknown file '$file': use arlab-*-portable.tar.gz and *.deb" >&2 && exit 2 ;;
  esac
done
make_root "$folder" "$suite"
mount_system

# What a user without rights does first.
first_use='set -eu
cd "$HOME"
tar xf "$1"
PATH=$PWD/$(basename "$1" .tar.gz)/bin:$PATH
arlab verify ring -p 2..16
arlab simulate all -p 64 -s 1K,1M --json simulated.jsonl
arlab run ring,tree,butterfly -p 2 -s 64K -b threads --time 50ms --json measured.jsonl
arlab report simulated.jsonl measured.jsonl -o report.html
ls -l report.html'

use_archive() { # <archive>
  local home=/tmp/user began ms
  if in_root sh -c 'for tool in c++ cc cmake; do ! command -v $tool || exit 0; done; exit 1'; then
    echo "$root has a compiler or CMake: name another folder" >&2 && exit 3
  fi
  rm -rf "$root$home"
  mkdir -p "$root$home"
  cp "$1" "$root$home/"
  chown -R 1000:1000 "$root$home"
  began=$(date +%s%N)
  in_root --userspec=1000:1000 /bin/sh -c "$first_use" sh "$(basename "$1")"
  ms=$((($(date +%s%N) - began) / 1000000))
  echo "$(basename "$1") on $suite: unpacked and used in $ms ms" >&2
  [ "$ms" -le $limit_ms ] || { echo "that is more than $limit_ms ms" >&2 && exit 1; }
}

use_packages() { # <packages...>
  local names name left
  rm -rf "$root/tmp/packages"
  mkdir -p "$root/tmp/packages"
  cp "$@" "$root/tmp/packages/"
  in_root apt-get update -qq
  in_root DEBIAN_FRONTEND=noninteractive sh -c 'apt-get install -y -qq --no-install-recommends --reinstall --allow-downgrades /tmp/packages/*.deb'
  names=" $(for file in "$@"; do dpkg-deb -f "$file" Package; done | tr '\n' ' ')"
  for name in $names; do use_package "$name"; done
  in_root sh -c "apt-get purge -y -qq $names"
  left=$(find "$root/usr/share/doc" "$root/usr/lib/python3" -maxdepth 2 -name '*arlab*' 2>/dev/null || true)
  [ -z "$left" ] || { echo "the packages leave $left behind" >&2 && exit 1; }
}

# A program that knows nothing of arlab, under the library that it did not ask for.
mpi_use='export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe OMPI_MCA_mpi_yield_when_idle=1 HOME=/tmp/user
mpirun -n 2 -x ARLAB_REPORT=1 -x ARLAB_ALGORITHM=ring -x LD_PRELOAD=$(dpkg -L arlab-plugins | grep libarlab_mpi) python3 -c "
from mpi4py import MPI
assert MPI.COMM_WORLD.allreduce(MPI.COMM_WORLD.rank + 1) == 3
import array
total = array.array(\"d\", [0.0] * 1000)
MPI.COMM_WORLD.Allreduce(array.array(\"d\", [1.0] * 1000), total)
assert set(total) == {2.0}" 2>&1'

use_package() { # <name>: one use of each
  case $1 in
    arlab) in_root --userspec=1000:1000 sh -c 'cd /tmp && arlab verify ring -p 2..8 && arlab run ring -p 2 -s 64K -b threads --time 20ms' ;;
    arlab-plugins) in_root DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends openmpi-bin openssh-client python3-mpi4py
      in_root --userspec=1000:1000 sh -c "$mpi_use" | tee "$root/tmp/said"
      grep '^arlab: 1 of 1 calls of MPI_Allreduce ran by arlab' "$root/tmp/said" >/dev/null || { echo "libarlab_mpi.so ran no MPI_Allreduce" >&2 && exit 1; } ;;
    python3-arlab) in_root --userspec=1000:1000 python3 -c 'import arlab; print(arlab.verify("ring", ranks=[2, 8])); print(arlab.simulate("ring", ranks=8, size="1M"))' ;;
    python3-arlab-torch) in_root --userspec=1000:1000 python3 -c 'import arlab.torch; print(arlab.torch.init)' ;;
    libarlab-dev) in_root sh -c 'ls /usr/lib/cmake/arlab/arlabConfig.cmake' ;;
    *) echo "unknown package '$1'" >&2 && exit 2 ;;
  esac
  echo "$1 on $suite: installed and used" >&2
}

for archive in "${archives[@]}"; do use_archive "$archive"; done
[ ${#packages[@]} = 0 ] || use_packages "${packages[@]}"
