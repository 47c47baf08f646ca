#!/usr/bin/env bash
# Runs ./lab on a fresh Debian 12 or Ubuntu 24.04: a chroot without compiler, CMake, MPI, Catch2 or Boost.
#
#   sudo tests/fresh_machine.sh <folder for the chroot> [test|demo] [bookworm|noble]
#
# If the folder is empty, makes the chroot (about 300 MB before ./lab, 2 GB after; delete it manually).
# Puts a clean clone of the committed state into it and runs ./lab there. Uses apt's proxy settings of this
# machine; MIRROR names another mirror, KEYRING other keys. Not part of ctest, because it downloads packages.
set -euo pipefail
root=${1:?usage: tests/fresh_machine.sh <folder> [test|demo] [bookworm|noble]}
verb=${2:-test}
suite=${3:-bookworm}
repository=$(cd "$(dirname "$0")/.." && pwd)
keys=${KEYRING:-/usr/share/keyrings/ubuntu-archive-keyring.gpg}
case $suite in
  bookworm) mirror=${MIRROR:-http://deb.debian.org/debian} options=() script=() ;;
  noble) # debootstrap of Debian 12 knows its steps by the name of an older release
    mirror=${MIRROR:-http://archive.ubuntu.com/ubuntu} script=(gutsy)
    options=("--components=main,universe" "--keyring=$keys") ;;
  *) echo "unknown release '$suite': use bookworm or noble" >&2 && exit 2 ;;
esac

[ "$(id -u)" = 0 ] || { echo "a chroot needs root: use sudo" >&2 && exit 3; }
command -v debootstrap >/dev/null || { echo "apt install debootstrap" >&2 && exit 3; }
[ "$suite" = bookworm ] || [ -e "$keys" ] || {
  echo "no file $keys: Ubuntu's package ubuntu-keyring has it; or name another in KEYRING" >&2 && exit 3
}
[ -e "$root/etc/debian_version" ] ||
  debootstrap --variant=minbase "${options[@]}" "$suite" "$root" "$mirror" "${script[@]}"
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
