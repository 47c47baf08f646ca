#!/usr/bin/env bash
# Runs ./lab on a fresh Debian 12 or 13 or Ubuntu 24.04: a chroot without compiler, CMake, MPI, Catch2 or Boost.
#
#   sudo tests/fresh_machine.sh <folder for the chroot> [test|demo] [bookworm|trixie|noble]
#
# If the folder has no complete chroot, makes it (about 300 MB before ./lab, 2 GB after; delete it manually).
# Puts a clean clone of the committed state into it, runs ./lab there, and ends with its status. Uses apt's proxy
# settings of this machine; MIRROR names another mirror, KEYRING other keys. Not part of ctest, because it
# downloads packages; ctest runs it with stand-ins (tests/lab/).
set -euo pipefail
folder=${1:?usage: tests/fresh_machine.sh <folder> [test|demo] [bookworm|trixie|noble]}
verb=${2:-test}
suite=${3:-bookworm}
repository=$(cd "$(dirname "$0")/.." && pwd)
. "$repository/tests/support/fresh_root.sh"

make_root "$folder" "$suite"
rm -rf "$root/root/arlab"
git clone -q "$repository" "$root/root/arlab"
mount_system
started=$SECONDS status=0
in_root /bin/bash -c 'cd /root/arlab && exec ./lab "$1"' bash "$verb" || status=$?
echo "./lab $verb on $suite: status $status after $((SECONDS - started)) s" >&2
exit "$status"
