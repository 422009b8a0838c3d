"""The hook in Python: what countersign-hook does, for the comparison of hook_bench.sh. argv[1] is the socket."""
import os
import socket
import struct
import sys


def field(data):
    return struct.pack(">I", len(data)) + data


def read(stream, length):
    data = b""
    while len(data) < length:
        more = stream.recv(length - len(data))
        if not more:
            sys.exit(0)
        data += more
    return data


call = sys.stdin.buffer.read()
daemon = socket.socket(socket.AF_UNIX)
try:
    daemon.connect(sys.argv[1])
except OSError:
    sys.exit(0)
body = b"".join([
    field(b"claude"), field(b"PermissionRequest"), struct.pack(">I", 125000), field(os.getcwdb()),
    field(os.environb.get(b"PATH", b"")), struct.pack(">II", 0, 0), field(call),
])
daemon.sendall(b"CS\x01\x01" + field(body))
sys.stdout.buffer.write(read(daemon, struct.unpack(">I", read(daemon, 4))[0]))
