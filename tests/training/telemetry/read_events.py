# Reads an event file like TensorBoard, from the specification of its bytes, without protobuf or code
# of arlab. Prints one event per line; stops with a message if a checksum is wrong.
#
#   read_events.py FILE
import struct
import sys


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def check(data, stored, what):
    crc = crc32c(data)
    masked = ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
    if masked != struct.unpack("<I", stored)[0]:
        sys.exit(f"wrong checksum of {what}")


def records(data):
    at = 0
    while at < len(data):
        head, length = data[at : at + 8], struct.unpack_from("<Q", data, at)[0]
        check(head, data[at + 8 : at + 12], "a length")
        body = data[at + 12 : at + 12 + length]
        check(body, data[at + 12 + length : at + 16 + length], "an event")
        yield body
        at += 16 + length


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """Returns the fields of a message: number -> last value."""
    return {number: values[-1] for number, values in all_fields(data).items()}


def all_fields(data):
    """Returns the fields of a message: number -> values."""
    found, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 1:
            value, at = struct.unpack_from("<d", data, at)[0], at + 8
        elif wire == 5:
            value, at = struct.unpack_from("<f", data, at)[0], at + 4
        elif wire == 2:
            length, at = varint(data, at)
            value, at = data[at : at + length], at + length
        else:
            sys.exit(f"wire type {wire}")
        found.setdefault(number, []).append(value)
    return found


def print_graph(data):
    """Prints each node of a GraphDef with its operation, inputs, and shape."""
    for node in map(all_fields, all_fields(data)[1]):
        [attribute] = map(fields, node[5])
        if attribute[1] != b"_output_shapes":
            sys.exit(f"attribute {attribute[1]}")
        shape = all_fields(fields(fields(attribute[2])[1])[7])
        sizes = [fields(dim)[1] for dim in shape.get(2, [])]
        print("node", node[1][0].decode(), node[2][0].decode(), [i.decode() for i in node.get(3, [])], sizes)


def doubles(packed):
    return list(struct.unpack(f"<{len(packed) // 8}d", packed))


for body in records(open(sys.argv[1], "rb").read()):
    event = fields(body)
    step = event.get(2, 0)
    if not 1.5e9 < event[1] < 1e10:
        sys.exit(f"wall time {event[1]}")
    if 3 in event:
        print("step", step, "version", event[3].decode())
        continue
    if 4 in event:
        print_graph(event[4])
        continue
    value = fields(fields(event[5])[1])
    tag = value[1].decode()
    if 2 in value:
        print("step", step, "scalar", tag, round(value[2], 6))
    if 5 in value:
        h = fields(value[5])
        counts, limits = doubles(h[7]), doubles(h[6])
        if len(counts) != len(limits) or sum(counts) != h[3] or limits != sorted(limits):
            sys.exit("buckets that do not fit")
        print("step", step, "histogram", tag, "min", h.get(1, 0.0), "max", h[2], "num", int(h[3]),
              "sum", h[4], "sum_squares", h[5], "counts", [int(c) for c in counts if c])
