#!/usr/bin/env bash
# Runs ./lab on a fresh Debian 12 or Ubuntu 24.04: a chroot without compiler, CMake, MPI, Catch2 or Boost.
#
#   sudo tests/fresh_machine.sh <folder for the chroot> [test|demo] [bookworm|noble]
#
# If the folder has no complete chroot, makes it (about 300 MB before ./lab, 2 GB after; delete it manually).
# Puts a clean clone of the committed state into it, runs ./lab there, and ends with its status. Uses apt's proxy
# settings of this machine; MIRROR names another mirror, KEYRING other keys. Not part of ctest, because it
# downloads packages; ctest runs it with stand-ins (tests/lab/).
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
if [ ! -e "$root/complete" ]; then # written last: one that was interrupted is made again
  debootstrap --variant=minbase "${options[@]}" "$suite" "$root" "$mirror" "${script[@]}"
  touch "$root/complete"
fi
root=$(cd "$root" && pwd)

settings=$(apt-config dump Acquire)
sed -nE '/^Acquire::(https?::|Check-|Retries)/Ip' <<<"$settings" >"$root/etc/apt/apt.conf.d/99host"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
rm -rf "$root/root/arlab"
git clone -q "$repository" "$root/root/arlab"

# What stays mounted would be deleted with the folder.
mounted=()
unmount() {
  local status=$? folder
  for folder in "${mounted[@]}"; do
    umount -Rl "$folder" || { echo "unmount $folder before you delete $root" >&2 && status=4; }
  done
  exit "$status"
}
trap unmount EXIT
for folder in proc dev sys; do
  mount --rbind "/$folder" "$root/$folder"
  mounted+=("$root/$folder")
  mount --make-rslave "$root/$folder"
done
started=$SECONDS status=0
chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
  http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" \
  /bin/bash -c 'cd /root/arlab && exec ./lab "$1"' bash "$verb" || status=$?
echo "./lab $verb on $suite: status $status after $((SECONDS - started)) s" >&2
exit "$status"
