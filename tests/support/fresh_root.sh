#!/usr/bin/env bash
# Sourced by scripts that need a fresh Debian 12 or 13 or Ubuntu 24.04: makes a root folder of it, and runs commands there.
# Uses apt's proxy settings of this machine; MIRROR names another mirror, KEYRING other keys.

make_root() { # <folder> <bookworm|trixie|noble>: unless it is complete; sets root
  local suite=$2 mirror options script
  local keys=${KEYRING:-/usr/share/keyrings/ubuntu-archive-keyring.gpg}
  root=$1
  case $suite in
    bookworm | trixie) mirror=${MIRROR:-http://deb.debian.org/debian} options=() script=() ;;
    noble) # debootstrap of Debian 12 knows its steps by the name of an older release
      mirror=${MIRROR:-http://archive.ubuntu.com/ubuntu} script=(gutsy)
      options=("--components=main,universe" "--keyring=$keys") ;;
    *) echo "unknown release '$suite': use bookworm, trixie or noble" >&2 && exit 2 ;;
  esac
  [ "$(id -u)" = 0 ] || { echo "a chroot needs root: use sudo" >&2 && exit 3; }
  command -v debootstrap >/dev/null || { echo "apt install debootstrap" >&2 && exit 3; }
  [ "$suite" != noble ] || [ -e "$keys" ] || {
    echo "no file $keys: Ubuntu's package ubuntu-keyring has it; or name another in KEYRING" >&2 && exit 3
  }
  if [ ! -e "$root/complete" ]; then # written last: one that was interrupted is made again
    debootstrap --variant=minbase "${options[@]}" "$suite" "$root" "$mirror" "${script[@]}"
    touch "$root/complete"
  fi
  root=$(cd "$root" && pwd)
  local settings
  settings=$(apt-config dump Acquire)
  sed -nE '/^Acquire::(https?::|Check-|Retries)/Ip' <<<"$settings" >"$root/etc/apt/apt.conf.d/99host"
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
}

mounted=()
unmount() { # what stays mounted would be deleted with the folder
  local status=$? folder
  for folder in "${mounted[@]}"; do
    umount -Rl "$folder" || { echo "unmount $folder before you delete $root" >&2 && status=4; }
  done
  exit "$status"
}

mount_system() { # until this script ends
  local folder
  trap unmount EXIT
  for folder in proc dev sys; do
    mount --rbind "/$folder" "$root/$folder"
    mounted+=("$root/$folder")
    mount --make-rslave "$root/$folder"
  done
}

in_root() { # [options of chroot...] <command...>
  local options=()
  while [[ $1 == --* ]]; do options+=("$1") && shift; done
  chroot "${options[@]}" "$root" /usr/bin/env -i HOME="${home:-/root}" LANG=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" "$@"
}
