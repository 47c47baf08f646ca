#!/usr/bin/env bash
# Runs ./lab on a fresh Debian 12: a chroot without compiler, CMake, MPI, Catch2 or Boost.
#
#   sudo tests/fresh_machine.sh <folder for the chroot> [test|demo]
#
# If the folder is empty, makes the chroot (about 300 MB before ./lab, 2 GB after; delete it manually).
# Puts a clean clone of the committed state into it and runs ./lab there. Uses apt's proxy settings of this
# machine; MIRROR names another Debian mirror. Not part of ctest, because it downloads packages.
set -euo pipefail
root=${1:?usage: tests/fresh_machine.sh <folder> [test|demo]}
verb=${2:-test}
repository=$(cd "$(dirname "$0")/.." && pwd)
mirror=${MIRROR:-http://deb.debian.org/debian}

[ "$(id -u)" = 0 ] || { echo "a chroot needs root: use sudo" >&2 && exit 3; }
command -v debootstrap >/dev/null || { echo "apt install debootstrap" >&2 && exit 3; }
[ -e "$root/etc/debian_version" ] || debootstrap --variant=minbase bookworm "$root" "$mirror"
root=$(cd "$root" && pwd)

apt-config dump Acquire | grep -iE '^Acquire::(https?::|Check-|Retries)' >"$root/etc/apt/apt.conf.d/99host" || true
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
rm -rf "$root/root/arlab"
git clone -q "$repository" "$root/root/arlab"

unmount() { umount -Rl "$root/proc" "$root/dev" 2>/dev/null || true; }
trap unmount EXIT
for folder in proc dev; do
  mount --rbind "/$folder" "$root/$folder"
  mount --make-rslave "$root/$folder"
done
env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
  http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" \
  chroot "$root" /bin/bash -c "cd /root/arlab && time ./lab $verb"
