# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # dir, base, block, nodes, network and rate are cluster.bash's
# Sourced by cluster.bash, for clusters with --network: each node a network namespace of its own, with
# a link to a switch that tc throttles, and an equal part of the processor by a cgroup.

usual_rate=200mbit
queue=512kb # what may wait at an end of a link: some of the 64 KiB that Linux hands on as one

namespace() { echo "pippin-$base${1:+-$1}"; } # a node's, or the switch's
uplink() { echo "pippin$base"; }              # the host's link to the switch: at most 15 bytes

# RFC 2544 keeps 198.18.0.0/15 for benchmarks: a subnet for each block of ports, so that two clusters
# have two.
subnet() { echo "198.$((18 + base / block / 256)).$((base / block % 256))"; }

# in_network NODE COMMAND...: by nsenter, as `ip netns exec` would hide the cgroups.
in_network() { nsenter --net="/run/netns/$(namespace "$1")" "${@:2}"; }

# --- whether it can be had here ------------------------------------------------------------------

need_network() {
  local program
  for program in ip tc nsenter unshare; do
    command -v "$program" >/dev/null || no_network "$program is not installed (Debian: iproute2, util-linux)"
  done
  [ "$(id -u)" -eq 0 ] || no_network "only root may make links and throttle them"
  unshare --net --uts --mount bash -c "ip link add left type veth peer name right && ip link add switch type bridge &&
    tc qdisc add dev left root tbf rate 1mbit burst 128k limit $queue && tc qdisc add dev right root handle 1: htb &&
    tc filter add dev right parent 1: protocol ip u32 match ip dst 198.18.0.1/32 flowid 1:1" >/dev/null 2>&1 ||
    no_network "this kernel, or who runs this, has no namespaces, veth, bridge, tbf, htb or u32"
  make_processors || no_network "no cgroup for processors can be made"
}

no_network() { fail "--network cannot be had here: $*"; }

# --- links -----------------------------------------------------------------------------------------

make_network() {
  local name
  mkdir "$dir/network"
  hosts_file >"$dir/network/hosts"
  tried ip netns add "$(namespace)"
  tried ip -n "$(namespace)" link add switch type bridge
  tried ip -n "$(namespace)" link set switch up
  tried ip link add "$(uplink)" type veth peer name host netns "$(namespace)"
  connect host "$(uplink)"
  for name in $(node_names); do
    tried ip netns add "$(namespace "$name")"
    tried ip -n "$(namespace "$name")" link set lo up
    tried ip -n "$(namespace)" link add "$name" type veth peer name eth0 netns "$(namespace "$name")"
    connect "$name" eth0 -n "$(namespace "$name")"
    shape "$name"
  done
}

hosts_file() {
  local name
  echo "127.0.0.1 localhost"
  echo "$(address_of host) $(host_name)"
  for name in $(node_names); do echo "$(address_of "$name") $name"; done
}

# connect NAME INTERFACE [-n NAMESPACE]: a link's end, with its address, and the switch's port of that name.
connect() {
  tried ip -n "$(namespace)" link set "$1" master switch up
  tried ip "${@:3}" address add "$(address_of "$1")/24" dev "$2"
  tried ip "${@:3}" link set "$2" up
}

tried() { "$@" >"$dir/log/network.out" 2>&1 || fail "$*: $(tail -n 1 "$dir/log/network.out")"; }

remove_network() {
  local name
  if [ "$(id -u)" -ne 0 ] || ! command -v ip >/dev/null; then return; fi
  ip link delete "$(uplink)" 2>/dev/null || true
  for name in $(ip netns list | grep -oE "^$(namespace)(-n[0-9]+)?( |$)"); do ip netns delete "$name" || true; done
  remove_processors
}

# Rates: a file NODE for what is not as at the start, and FIRST-SECOND for the way between two nodes.
rate_of() { cat "$dir/network/$1" 2>/dev/null || echo "${rate:-$usual_rate}"; }

# Both ways: the node's own end, on which the ways to other nodes may be slower yet, and the switch's.
shape() {
  local node=$1 own pair other number
  own=$(rate_of "$node")
  set -- -n "$(namespace "$node")"
  tc "$@" qdisc delete dev eth0 root 2>/dev/null || true
  tried tc "$@" qdisc add dev eth0 root handle 1: htb default 1
  add_class "$own" 1 "$@"
  for pair in "$dir/network/$node-"n* "$dir/network/"n*"-$node"; do
    if [ ! -e "$pair" ]; then continue; fi
    other=${pair##*/} other=${other/#$node-/} other=${other/%-$node/}
    number=$((${other#n} + 1))
    add_class "$(cat "$pair")" "$number" "$@"
    tried tc "$@" filter add dev eth0 parent 1: protocol ip u32 match ip dst "$(address_of "$other")/32" \
      flowid "1:$(printf %x "$number")"
  done
  tried tc -n "$(namespace)" qdisc replace dev "$node" root tbf rate "$own" burst 128k limit "$queue"
}

# add_class RATE NUMBER -n NAMESPACE: tc reads class numbers in hexadecimal.
add_class() {
  local class
  class=$(printf %x "$2")
  tried tc "${@:3}" class add dev eth0 parent 1: classid "1:$class" htb rate "$1" burst 128k cburst 128k quantum 60000
  tried tc "${@:3}" qdisc add dev eth0 parent "1:$class" bfifo limit "$queue"
}

is_rate() { [[ $1 =~ ^[1-9][0-9]*[kmg]bit$ ]]; }

# link DIR NODE [NODE] --rate RATE | --heal
link() {
  load_network "${1:-}"
  shift || true
  local ends=() file name
  while [[ ${1:-} == n* ]]; do
    is_node "$1"
    ends+=("$1")
    shift
  done
  case "${#ends[@]}" in 1) file=${ends[0]} ;; 2) file=${ends[0]}-${ends[1]} ;; *) bad_usage "link: one node or two are needed" ;; esac
  [ "${ends[0]}" != "${ends[1]:-}" ] || bad_usage "link: '${ends[0]}' twice"
  if [ "${#ends[@]}" -eq 2 ]; then rm -f "$dir/network/${ends[1]}-${ends[0]}"; fi
  case "${1:-}" in
    --rate)
      is_rate "${2:-}" || bad_usage "--rate '${2:-}': a whole number of kbit, mbit or gbit is needed"
      echo "$2" >"$dir/network/$file" ;;
    --heal) rm -f "$dir/network/$file" ;;
    *) bad_usage "link: --rate RATE or --heal is needed" ;;
  esac
  for name in "${ends[@]}"; do shape "$name"; done
}

# --- other traffic -----------------------------------------------------------------------------------

# By perl, which every Debian has: a probe would look busily for what comes, and take processor from nodes
# whose network is to be spoilt. Port BASE + i is free in all nodes but i.
# shellcheck disable=SC2016 # for perl
{
  receiver='$l = IO::Socket::INET->new(Listen => 8, LocalPort => $ARGV[0], ReuseAddr => 1) or die "$!\n";
    while ($c = $l->accept) { next if fork; 1 while sysread $c, $b, 1 << 20; exit }'
  sender='$b = "\0" x (1 << 20);
    for (1 .. 50) { last if $s = IO::Socket::INET->new("$ARGV[0]:$ARGV[1]"); select undef, undef, undef, 0.1 }
    $s or die "$!\n"; 1 while syswrite $s, $b'
}

# traffic DIR NODE NODE SECONDS: a stream each way, until the seconds are over.
traffic() {
  load_network "${1:-}"
  local a=${2:-} b=${3:-} seconds=${4:-} pids pid begin
  is_node "$a"
  is_node "$b"
  [ "$a" != "$b" ] || bad_usage "traffic: two nodes are needed"
  [[ $seconds =~ ^[0-9]+(\.[0-9]+)?$ ]] || bad_usage "traffic: for how many seconds? '$seconds'"
  command -v perl >/dev/null || fail "perl: not installed"
  pids=() begin=$SECONDS
  stream "$a" "$b"
  stream "$b" "$a"
  for pid in "${pids[@]}"; do wait "$pid" || true; done 2>/dev/null # all end by a signal
  [ "$((SECONDS - begin + 1))" -ge "${seconds%.*}" ] || fail "traffic ended early: $(tail -n 1 "$dir/log/traffic.out")"
}

# stream FROM TO: adds to the caller's pids.
stream() {
  local port=$((base + ${1#n}))
  of_traffic "$2" perl -MIO::Socket::INET -e "$receiver" "$port" &
  pids+=("$!")
  of_traffic "$1" perl -MIO::Socket::INET -e "$sender" "$(address_of "$2")" "$port" &
  pids+=("$!")
}

of_traffic() { launch traffic nsenter --net="/run/netns/$(namespace "$1")" timeout "$seconds" "${@:2}"; }

# --- processors --------------------------------------------------------------------------------------

# The folder of this cluster's cgroups, where the second version has the processor, or the first.
processors() {
  local first
  first=$(awk '$3 == "cgroup" && $4 ~ /(^|,)cpu(,|$)/ {print $2; exit}' /proc/mounts)
  echo "${first:-/sys/fs/cgroup}/$(namespace)"
}

make_processors() {
  local name top
  top=$(processors)
  mkdir "$top" || return 1
  if [ -e "$top/cgroup.controllers" ]; then
    echo +cpu >"${top%/*}/cgroup.subtree_control" && echo +cpu >"$top/cgroup.subtree_control" || return 1
  fi
  # Eight times what another session gets, where there is one: what the nodes leave is its.
  if [ -e "$top/cpu.weight" ]; then echo 800 >"$top/cpu.weight"; else echo 8192 >"$top/cpu.shares"; fi || return 1
  for name in $(node_names); do mkdir "$top/$name" && give_processor "$name" 1 || return 1; done
} 2>/dev/null

remove_processors() {
  local top
  top=$(processors)
  if [ -d "$top" ]; then find "$top" -depth -type d -exec rmdir {} + 2>/dev/null || true; fi
}

# give_processor NODE SHARE: of an equal part for every node. All of it is no limit, as a rank that looks
# busily for what comes would use it up, and then the network would wait for the processor. The period is
# so short that a matrix product of a canary lasts some.
give_processor() {
  local period_us=10000 quota_us cgroup
  cgroup=$(processors)/$1
  quota_us=$(awk -v share="$2" -v cores="$(nproc)" -v nodes="$nodes" -v period="$period_us" \
    'BEGIN {part = cores < nodes ? cores / nodes : 1; quota = int(share * part * period); print quota < 1000 ? 1000 : quota}')
  if [ -e "$cgroup/cpu.max" ]; then
    if [ "$2" = 1 ]; then quota_us=max; fi
    echo "$quota_us $period_us" >"$cgroup/cpu.max"
  else
    if [ "$2" = 1 ]; then quota_us=-1; fi
    echo "$period_us" >"$cgroup/cpu.cfs_period_us" && echo "$quota_us" >"$cgroup/cpu.cfs_quota_us"
  fi
}

# processor DIR NODE --share SHARE
processor() {
  load_network "${1:-}"
  is_node "${2:-}"
  [ "${3:-}" = --share ] || bad_usage "processor: --share SHARE is needed"
  [[ ${4:-} =~ ^(1|0?\.[0-9]*[1-9][0-9]*)$ ]] || bad_usage "--share '${4:-}': above 0 and at most 1 is needed"
  give_processor "$2" "$4" 2>/dev/null || fail "$2: its processor cannot be limited"
}

# --- nodes -----------------------------------------------------------------------------------------

# on_own_machine NODE COMMAND...: as launch has it, in the node's namespaces, with its name and processor.
# shellcheck disable=SC2016 # for the shell in there
on_own_machine() {
  local cgroup
  cgroup=$(processors)/$1
  launch "$1" nsenter --net="/run/netns/$(namespace "$1")" unshare --uts --mount --propagation slave bash -c '
    echo $$ >"$0/cgroup.procs" && hostname "$1" && mount --bind "$2" /etc/hosts && exec "${@:3}"' \
    "$cgroup" "$1" "$dir/network/hosts" "${@:2}"
}

load_network() {
  load "${1:-}"
  [ -n "$network" ] || bad_usage "$dir was started without --network"
}

is_node() { [[ ${1:-} == n* ]] && is_part "$1"; }
