"""What looks like what: to a scanner, to a reader, to a filter."""

from __future__ import annotations

OCR = {
    "rn": "m", "m": "rn", "cl": "d", "d": "cl", "vv": "w", "w": "vv", "li": "h", "h": "li", "l": "1I", "I": "l1",
    "1": "lI", "O": "0", "0": "O", "o": "0", "S": "5", "5": "S", "B": "8", "8": "B", "Z": "2", "2": "Z", "g": "q",
    "q": "g", "e": "c", "c": "e", "i": "l", "t": "f", "f": "t", "u": "v", "G": "6", "6": "G",
}  # fmt: skip
"""What optical character recognition takes for what; one letter as a value is one choice of several."""

PAIRED = frozenset({"m", "d", "w", "h"})
"""Keys of `OCR` whose value is one piece of two letters, not two choices."""

HOMOGLYPHS = {
    "a": "а", "c": "с", "d": "ԁ", "e": "е", "h": "һ", "i": "і", "j": "ј", "o": "оο", "p": "р", "q": "ԛ", "s": "ѕ",
    "v": "ν", "w": "ԝ", "x": "х", "y": "у", "A": "АΑ", "B": "ВΒ", "C": "С", "E": "ЕΕ", "H": "НΗ", "I": "ІΙ", "J": "Ј",
    "K": "КΚ", "M": "МΜ", "N": "Ν", "O": "ОΟ", "P": "РΡ", "S": "Ѕ", "T": "ТΤ", "X": "ХΧ", "Y": "ΥҮ", "Z": "Ζ",
}  # fmt: skip
"""Latin letters and the Cyrillic and Greek ones that most fonts draw alike."""

ZERO_WIDTH = "\u200b\u2060\ufeff"
"""Zero width space, word joiner, zero width no-break space: a reader sees none of them."""

LEET = {
    "a": "4@", "b": "8", "e": "3", "g": "9", "i": "1!", "l": "1", "o": "0", "s": "5", "t": "7", "z": "2",
}  # fmt: skip

ACCENTS = {
    "a": "\u0300\u0301\u0302\u0308", "e": "\u0300\u0301\u0302\u0308", "i": "\u0300\u0301\u0302\u0308",
    "o": "\u0300\u0301\u0302\u0308", "u": "\u0300\u0301\u0302\u0308", "c": "\u0327\u0301", "n": "\u0303\u0301",
    "s": "\u030c\u0301", "z": "\u030c\u0301", "y": "\u0301\u0308",
}  # fmt: skip
"""Combining marks of letters that exist with them in one piece: grave, acute, circumflex, and so on."""

BARE = {
    "ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE",
    "þ": "th", "Þ": "Th", "ı": "i",
}  # fmt: skip
"""Letters without a decomposition, as they are typed where a keyboard lacks them."""
