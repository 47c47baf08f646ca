#!/bin/sh
# Verbs: arlab list topologies, arlab show topology: output, files, exit codes.
#
#   verbs.sh <arlab>
set -eu
arlab=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

wants() { # <exit code> <words in the output> <command...>
  code=$1 words=$2
  shift 2
  got=0
  said=$("$@" 2>&1) || got=$?
  case "$got:$said" in
    "$code:"*"$words"*) ;;
    *) echo "wanted $code and '$words' from: $*; got $got: $said" >&2 && exit 1 ;;
  esac
}

wants 0 '| fat_tree ' "$arlab" list topologies
wants 0 '| d_mod_k ' "$arlab" list topologies
wants 0 '| 128 ' "$arlab" show topology fat_tree:k=8
wants 0 '25 Gbit/s per host' "$arlab" show topology fat_tree:k=8,oversubscription=4
wants 0 'torus:dims=4x4x2' "$arlab" show topology torus -p 32 -o torus.svg
grep -q '<svg' torus.svg
wants 0 'note: --svg is now --output' "$arlab" show topology ring --svg ring.svg
grep -q '<svg' ring.svg
wants 2 'leave out --hosts' "$arlab" show topology ring -o ring.svg --hosts
wants 2 "did you mean 'torus'?" "$arlab" show topology tours
wants 2 'is disconnected: ' "$arlab" show topology ring:hosts=4,dead=h0--h1,dead=h2--h3
wants 2 'does not fit' "$arlab" show topology ring:routing=valiant
wants 3 'cannot read none.dot' "$arlab" show topology none.dot
wants 3 'cannot write' "$arlab" show topology ring -o /proc/none/ring.svg

echo 'graph { node [kind=host]; edge [bandwidth="1Gbps", latency=0]; a -- b -- c }' >path.dot
printf 'c\na\nb\n' >place.txt
wants 0 'c to a ... b' "$arlab" show topology path.dot:placement=place.txt -p 3
printf 'c\nc\n' >place.txt
wants 2 "line 2: host 'c' is already taken on line 1" "$arlab" show topology path.dot:placement=place.txt -p 2
