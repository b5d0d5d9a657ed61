"""How client and warden talk: a JSON object, then the bytes that do not fit into JSON, each of a told length."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Sequence
from typing import Any

_LENGTH = struct.Struct("!I")


def send(channel: socket.socket, head: dict[str, Any], blobs: Sequence[bytes] = ()) -> None:
    """Send one message.

    Raises:
        OSError: the other end is gone.
    """
    text = json.dumps({"head": head, "sizes": [len(blob) for blob in blobs]}).encode()
    channel.sendall(b"".join((_LENGTH.pack(len(text)), text, *blobs)))


def receive(channel: socket.socket) -> tuple[dict[str, Any], list[bytes]]:
    """Receive one message.

    Raises:
        EOFError: the other end is gone.
    """
    (length,) = _LENGTH.unpack(_exactly(channel, _LENGTH.size))
    message = json.loads(_exactly(channel, length))
    return message["head"], [_exactly(channel, size) for size in message["sizes"]]


def _exactly(channel: socket.socket, size: int) -> bytes:
    buffer = bytearray(size)
    view = memoryview(buffer)
    place = 0
    while place < size:
        try:
            got = channel.recv_into(view[place:])
        except ConnectionResetError:
            got = 0
        if not got:
            raise EOFError
        place += got
    return bytes(buffer)
