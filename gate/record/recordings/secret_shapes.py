"""Secrets that are known by their shape alone: keys with a prefix, JSON web tokens, basic auth, random strings."""

from __future__ import annotations

import base64
import binascii
import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator

from gate.record.recordings.secret_names import API_KEY, PASSWORD, TOKEN, field_kind, words
from gate.record.recordings.spans import Span

RANDOM = "random"
LONGEST_TOKEN = 4096
"""Bytes. Longer runs without a space are data, such as an image in base64."""
SHORTEST = 12
LONGEST_BASE64 = 512
LONGEST_RANDOM = 160
SHORTEST_RANDOM = 24
LEAST_BITS = 3.8
"""Shannon entropy a character. 24 random characters out of 64 have 4.3 on average, long identifiers about 3.5."""
LEAST_BITS_WITHOUT_DIGITS = 4.5
"""With one digit only, as identifiers such as `Ipv6CidrBlock` have."""
LEAST_CHANGES = 0.34
"""Share of neighbours of different classes (small, capital, digit): 0.62 in random text, 0.25 in CamelCase."""

MOST_WORDS = 0.62
"""Share of characters in runs of two small letters and more: 0.33 in random text, above 0.62 in one of 25 such texts,
and below it in one of a hundred identifiers of words in CamelCase."""

_SHAPES = (
    (API_KEY, rb"sk-[A-Za-z0-9_-]{20,}"),
    (API_KEY, rb"(?:sk|rk|pk)_(?:live|test|prod)_[A-Za-z0-9]{16,}"),
    (
        API_KEY,
        rb"(?:gsk_|xai-|pplx-|r8_|tgp_v1_|csk-|nvapi-|fw_|lsv2_(?:pt|sk)_|sk-lf-|jina_|voyage-)[A-Za-z0-9_-]{24,}",
    ),
    (API_KEY, rb"AIza[A-Za-z0-9_-]{30,}"),
    (API_KEY, rb"(?:AKIA|ASIA|AROA|ABIA)[A-Z2-7]{16}(?![A-Za-z0-9])"),
    (API_KEY, rb"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    (API_KEY, rb"GOCSPX-[A-Za-z0-9_-]{20,}"),
    (API_KEY, rb"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    (TOKEN, rb"gh[pousr]_[A-Za-z0-9]{20,}"),
    (TOKEN, rb"github_pat_[A-Za-z0-9_]{22,}"),
    (TOKEN, rb"gl(?:pat|dt|rt|cbt)-[A-Za-z0-9_-]{20,}"),
    (TOKEN, rb"xox[abeoprs]-[A-Za-z0-9-]{10,}"),
    (TOKEN, rb"xapp-[0-9]-[A-Za-z0-9-]{10,}"),
    (TOKEN, rb"ya29\.[A-Za-z0-9_.-]{20,}"),
    (TOKEN, rb"hf_[A-Za-z0-9]{30,}"),
    (TOKEN, rb"npm_[A-Za-z0-9]{30,}"),
    (TOKEN, rb"pypi-[A-Za-z0-9_-]{50,}"),
    (TOKEN, rb"do[opr]_v1_[0-9a-f]{32,}"),
    (TOKEN, rb"dapi[0-9a-f]{32}"),
    (TOKEN, rb"AGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    (TOKEN, rb"T[A-Z0-9]{8,}/B[A-Z0-9]{8,}/[A-Za-z0-9]{20,}"),
    (TOKEN, rb"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    (TOKEN, rb"eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){4}"),
)
_BOUNDARY = rb"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=\\u[0-9A-Fa-f]{4})|(?<=%[0-9A-Fa-f]{2}))"
_SHAPE = re.compile(_BOUNDARY + b"(?:" + b"|".join(b"(" + shape + b")" for _, shape in _SHAPES) + b")")
_STARTS = (b"sk-", b"hf_", b"AKIA", b"AIza", b"ghp_", b"xox", b"eyJ")
_TRIGGER = re.compile(rb"[0-9][A-Za-z]")
_CHARACTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_.-"
_REST = re.compile(rb"[A-Za-z0-9+/_.\-]*+={0,2}")
_ESCAPE = re.compile(rb"(?:[nrtbf]|u[0-9A-Fa-f]{4})")
_SLUG = re.compile(rb"sk(?:-[a-z_]{1,19}|-[0-9]{1,4})+")
_WORD = re.compile(rb"[A-Z]?[a-z]{2,}")
_HEX = re.compile(rb"(?:0x)?[0-9A-Fa-f-]+")
_ID = re.compile(rb"[a-z][a-z0-9]{1,15}[-_](?=[A-Za-z0-9])")
_DATA_STARTS = (
    b"iVBOR",
    b"/9j/",
    b"R0lGOD",
    b"UklGR",
    b"JVBER",
    b"SUkq",
    b"AAAA",
    b"H4sI",
    b"UEsDB",
    b"T2dnUw",
    b"Zkxh",
)
_DATA_BEFORE = re.compile(rb"(?:base64,|sha(?:1|224|256|384|512)[-:=]|md5[-:=]|h1:)\Z", re.I)
_WRAPPED_BEFORE = re.compile(rb"[A-Za-z0-9+/]{24}(?:\\+[rn]|\r?\n)[ \t]{0,16}\Z|://[^\s\"'<>]{0,96}\Z")
_WRAPPED_AFTER = re.compile(rb"(?:\\+[rn]|\r?\n)[ \t]{0,16}[A-Za-z0-9+/]{24}")
_FIELD_BEFORE = re.compile(rb"([A-Za-z0-9_$-]{1,64})(?:\\*[\"'])?\s{0,4}[:=]\s{0,4}(?:\\*[\"'])?\Z")
# fmt: off
_DATA_WORDS = frozenset({
    "id", "ids", "hash", "digest", "checksum", "sha", "md5", "fingerprint", "signature", "cursor", "etag",
    "nonce", "embedding", "obfuscation", "json", "uuid", "guid", "ref", "commit", "revision", "version",
    "integrity", "data", "image", "audio", "model", "continuation", "boundary", "state", "path", "name",
    "url", "uri", "file", "after", "before",
})
# fmt: on
_STANDARD = bytes.maketrans(b"-_", b"+/")
_PAIR = re.compile(r"[\w.@+-]{1,64}:(?!//)[^\s:]{4,128}")


def tokens(data: bytes) -> Iterator[tuple[int, int]]:
    """Runs of the characters of keys in which a letter follows a digit, or that hold the start of a known key.

    It searches for digits, of which text has few, and grows each place into its run: linear, about 5 ns a byte.
    """
    following = dict.fromkeys(_STARTS, -1)
    seen, place = 0, -1
    while True:
        if place < seen:
            found = _TRIGGER.search(data, seen)
            place = found.start() if found else len(data)
        here = place
        for text, known in following.items():
            if known < seen:
                known = data.find(text, seen)  # noqa: PLW2901
                following[text] = known = known if known >= 0 else len(data)  # noqa: PLW2901
            here = min(here, known)
        if here == len(data):
            return
        start = _run_start(data, here, seen)
        rest = _REST.match(data, max(here, start))
        seen = max(here + 1, rest.end() if rest else 0)
        yield start, seen


def shaped(data: bytes, start: int, end: int, *, random: bool) -> Iterator[Span]:
    """Secrets within one token: known shapes, else basic auth in base64, else (where asked) a random string."""
    if not SHORTEST <= end - start <= LONGEST_TOKEN:
        return
    known = [found for found in _SHAPE.finditer(data, start, end) if not is_slug(found.group())]
    for found in known:
        yield Span(found.start(), found.end(), _SHAPES[(found.lastindex or 1) - 1][0])
    if known:
        return
    if is_basic(data[start:end]):
        yield Span(start, end, PASSWORD)
    elif random:
        for piece in re.finditer(rb"[^.]+", data[start:end]):
            if looks_random(piece.group()) and not _is_data(data, start + piece.start(), start + piece.end()):
                yield Span(start + piece.start(), start + piece.end(), RANDOM)


def looks_random(token: bytes) -> bool:
    """Whether a token looks drawn at random, and not like an identifier, a hash, an id, a path or encoded text.

    Three measures: the Shannon entropy of its characters (Shannon 1948, "A mathematical theory of communication",
    section 6), how much of it reads like words, and how often neighbours are of different classes.
    """
    core = token.rstrip(b"=")
    if not SHORTEST_RANDOM <= len(core) <= LONGEST_RANDOM or _HEX.fullmatch(core) or _ID.match(core):
        return False
    if core.startswith((b"--", *_DATA_STARTS)) or _from_base64(token) is not None:
        return False
    plain = [kind for kind in map(_class, core) if kind != "other"]
    if len(set(plain)) < 3 or len(plain) < 0.85 * len(core):
        return False
    if sum(map(len, _WORD.findall(core))) > MOST_WORDS * len(core):
        return False
    changes = sum(a != b for a, b in itertools.pairwise(plain)) / (len(plain) - 1)
    bits = entropy(core)
    return changes >= LEAST_CHANGES and bits >= (LEAST_BITS if plain.count("digit") > 1 else LEAST_BITS_WITHOUT_DIGITS)


def entropy(token: bytes) -> float:
    """Shannon entropy of the bytes of a token, in bits a byte; 0 for an empty one."""
    return -sum(count / len(token) * math.log2(count / len(token)) for count in Counter(token).values())


def is_basic(token: bytes) -> bool:
    """Whether a token is `user:password` in base64, or a known key in it."""
    text = _from_base64(token)
    if text is None:
        return False
    return _PAIR.fullmatch(text) is not None or any(
        not is_slug(found.group()) for found in _SHAPE.finditer(text.encode())
    )


def is_slug(token: bytes) -> bool:
    """Whether what begins as a key is words joined by hyphens, as in a style sheet's `sk-toggleable-content`."""
    return _SLUG.fullmatch(token) is not None


def _run_start(data: bytes, here: int, seen: int) -> int:
    """Where the run around a place begins, an escape such as the `n` of `\\n` left out."""
    window = data[max(seen, here - LONGEST_TOKEN) : here]
    start = here - (len(window) - len(window.rstrip(_CHARACTERS)))
    return after_escape(data, start)


def after_escape(data: bytes, start: int) -> int:
    """Where a word begins, the letters of an escape such as `\\n` or `\\u0026` left out."""
    escape = _ESCAPE.match(data, start) if start and data[start - 1] == 0x5C else None
    return escape.end() if escape else start


def _from_base64(token: bytes) -> str | None:
    """The printable text that a token encodes; None where it is none."""
    core = token.rstrip(b"=").translate(_STANDARD)
    if not SHORTEST <= len(core) <= LONGEST_BASE64 or len(core) % 4 == 1:
        return None
    try:
        text = base64.b64decode(core + b"=" * (-len(core) % 4), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    return text if all(each.isprintable() or each in "\r\n\t" for each in text) else None


def _is_data(data: bytes, start: int, end: int) -> bool:
    """Whether what stands around a token says that it is data: an id, a hash, an address, a line of wrapped base64."""
    before = data[max(0, start - 96) : start]
    if _DATA_BEFORE.search(before) or _WRAPPED_BEFORE.search(before) or _WRAPPED_AFTER.match(data, end):
        return True
    found = _FIELD_BEFORE.search(before)
    if found is None:
        return False
    name = found.group(1).decode("ascii")
    said = words(name)
    if not said:
        return False
    return said[-1] in _DATA_WORDS or said[0] == "encrypted" or (said[-1] == "token" and not field_kind(name))


def _class(character: int) -> str:
    text = chr(character)
    if text.islower():
        return "small"
    if text.isupper():
        return "capital"
    return "digit" if text.isdigit() else "other"
