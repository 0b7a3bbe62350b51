"""What passes between the grader and the process of a submission: frames of fixed form.

Nothing of a frame is ever run, unpickled or believed: a kind, the number of the request that it
answers, a whole number and a text that is cut off.
"""

import os
import struct
from typing import NamedTuple

REQUEST_FORM = struct.Struct("<BIqqI")
"""Of a request: kind, number, two whole numbers, and how many bytes follow."""

REPLY_FORM = struct.Struct("<BIqH")
"""Of a reply: kind, number of the request, a whole number, and how many bytes of text follow."""

START, RESET, OBSERVE, ACT, ANSWER, CHECK = range(1, 7)
"""Kinds of requests; those to reset and to observe ask for the next arm as well."""

ENDED, READY, ARM, DONE, RAISED, NO_ARM, CAUGHT, CHECK_DONE = range(8)
"""Kinds of replies; `ENDED` is none: it stands where no more will come."""

LONGEST_TEXT = 1000
"""Bytes of text in a reply."""


class ClosedError(Exception):
    """Nothing more can be read."""


class Reply(NamedTuple):
    """What the process of a submission tells."""

    kind: int
    number: int
    value: int
    text: str = ""


def packed_request(
    kind: int, number: int, first: int = 0, second: int = 0, more: bytes = b""
) -> bytes:
    """Return a request as bytes."""
    return REQUEST_FORM.pack(kind, number, first, second, len(more)) + more


def packed_reply(reply: Reply) -> bytes:
    """Return a reply as bytes, its text cut off."""
    text = reply.text.encode("utf-8", "replace")[:LONGEST_TEXT]
    return REPLY_FORM.pack(reply.kind, reply.number, reply.value, len(text)) + text


def read_exactly(descriptor: int, size: int) -> bytes:
    """Return the next bytes.

    Raises:
        ClosedError: if there are not so many.
    """
    data = os.read(descriptor, size)
    while len(data) < size:
        more = os.read(descriptor, size - len(data))
        if not more:
            raise ClosedError
        data += more
    return data


def read_reply(descriptor: int) -> Reply:
    """Return the next reply; one of a form that there is none of is of kind `ENDED`."""
    kind, number, value, length = REPLY_FORM.unpack(read_exactly(descriptor, REPLY_FORM.size))
    if length > LONGEST_TEXT:
        return Reply(ENDED, number, value)
    text = read_exactly(descriptor, length).decode("utf-8", "replace") if length else ""
    return Reply(kind, number, value, text)
