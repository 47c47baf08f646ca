#!/usr/bin/env bash
# Runs the portable program where nothing else is: a root folder with no library, no shell, no /etc, as a user without rights.
#
#   sudo tests/empty_machine.sh ARCHIVE   an arlab-*-portable.tar.gz, which .ci/release makes of a build of preset portable
#
# Not part of ctest, since that build takes minutes. What works here works on every Linux with these processors.
set -euo pipefail
archive=${1:?usage: tests/empty_machine.sh ARCHIVE}
[ "$(id -u)" = 0 ] || { echo "a chroot needs root: use sudo" >&2 && exit 3; }
root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null; rm -rf "$root"' EXIT
mkdir -p "$root/proc" "$root/tmp" "$root/arlab"
mount -t proc proc "$root/proc"
tar -C "$root/arlab" --strip-components=1 -xf "$archive"
chmod 755 "$root"
chmod 1777 "$root/tmp"

say() { printf '\n== arlab %s\n' "$*"; }
arlab() {
  say "$@"
  chroot --userspec=1000:1000 "$root" /arlab/bin/arlab "$@"
}

began=$(date +%s%N)
arlab verify ring -p 2..16
arlab simulate ring,butterfly -p 64 -s 1M --json /tmp/simulated.jsonl
arlab run ring,tree -p 2 -s 64K -b threads --time 20ms --json /tmp/measured.jsonl
arlab report /tmp/simulated.jsonl /tmp/measured.jsonl -o /tmp/report.html
arlab doctor
printf '\nall in %d ms\n' $((($(date +%s%N) - began) / 1000000))
