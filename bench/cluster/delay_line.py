#!/usr/bin/env python3
"""Carries packets between two interfaces, each a given time later: delay_line.py INTERFACE INTERFACE SECONDS. For kernels without netem.

The offsets of checksums and of segments that the network card would fill in travel with the packets.
"""
import collections
import select
import socket
import sys
import time

ALL_PROTOCOLS, SOL_PACKET, PACKET_VNET_HDR, PACKET_OUTGOING = 3, 263, 15, 4
MOST = 1 << 17  # bytes of a packet whose segments the kernel has not cut yet


def opened(interface):
    end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL_PROTOCOLS))
    end.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
    end.bind((interface, ALL_PROTOCOLS))
    end.setblocking(False)
    return end


def carry(first, second, seconds):
    other = {first: second, second: first}
    due = collections.deque()  # time, end, packet: all wait as long, so they stay in order
    while True:
        wait = max(0.0, due[0][0] - time.monotonic()) if due else None
        for end in select.select([first, second], [], [], wait)[0]:
            try:
                while True:
                    packet, address = end.recvfrom(MOST)
                    if address[2] != PACKET_OUTGOING:
                        due.append((time.monotonic() + seconds, other[end], packet))
            except BlockingIOError:
                pass
            except OSError:  # the interface is gone, or down: so is the line
                return
        while due and due[0][0] <= time.monotonic():
            _, end, packet = due.popleft()
            try:
                end.send(packet)
            except OSError:  # a full queue loses it, as any switch does
                pass


if __name__ == "__main__":
    carry(opened(sys.argv[1]), opened(sys.argv[2]), float(sys.argv[3]))
