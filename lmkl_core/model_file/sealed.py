"""Protected model files: a key from scrypt, authenticated encryption by AES-256-GCM.

The file, byte by byte::

    place   size  contents
    0       8     magic, the ASCII letters LMKLSEAL
    8       1     version of this layout, 1
    9       1     scrypt's n as a power of two: n = 2^this, 14 to 18
    10      1     scrypt's r, 8
    11      1     scrypt's p, 1 to 4
    12      16    salt, random
    28      12    nonce, random
    40      rest  an ordinary model file, encrypted; its last 16 bytes are the tag of GCM

To read one: normalise the passphrase to Unicode's NFKC, remove spaces, tabs and line ends (U+0020,
U+0009, U+000A, U+000D) at both ends, encode it as UTF-8. Derive 32 bytes with scrypt from it and
the salt. Decrypt the rest with AES-256-GCM under that key and the nonce, with the first 40 bytes as
associated data. The result is as untrusted as any model file. Every file has a new random salt and
nonce, so no key is used twice.

The parameters of scrypt are read before anything is authenticated, so they are bounded: a file can
cost at most 256 MiB and a few seconds.

This protects against people who get the file (a lost disk, a backup, a shared folder): they learn
its length, its date and that it is a model of this program, and cannot change it unnoticed. It does
not protect against guessing, so the passphrase must be long (one guess costs 128 MiB and 0.34 s on
one core), nor against programs that read memory, the keyboard or the swap file, nor against
deletion or replacement by an older protected file.
"""

import os
import struct
import unicodedata
from contextlib import suppress
from io import BufferedIOBase
from typing import TYPE_CHECKING, NamedTuple

from lmkl_core.errors import InvalidInputError, PassphraseNeeded, WrongPassphrase
from lmkl_core.model_file.container import Refused, read_exactly

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

MAGIC = b"LMKLSEAL"
VERSION = 1
SALT_BYTES, NONCE_BYTES, TAG_BYTES, KEY_BYTES = 16, 12, 16, 32
HEADER = struct.Struct(f"<{len(MAGIC)}sBBBB{SALT_BYTES}s{NONCE_BYTES}s")

LARGEST = 2**31 - 1
"""Maximum number of bytes that OpenSSL encrypts in one call."""

SHORTEST_PASSPHRASE = 15
"""Minimum length, as NIST SP 800-63B-4 requires of a password used alone."""

LONGEST_PASSPHRASE = 1024
_WHITESPACE = " \t\r\n"


class Cost(NamedTuple):
    """Parameters of scrypt (RFC 7914), with n as a power of two."""

    log2_n: int
    r: int
    p: int

    def check(self) -> None:
        """Refuse parameters out of bounds, before anything is allocated."""
        low, high = CHEAPEST.log2_n, DEAREST.log2_n
        if not (low <= self.log2_n <= high and self.r == COST.r and 1 <= self.p <= DEAREST.p):
            raise Refused("opening it would take an impossible amount of work")


COST = Cost(17, 8, 1)
"""Parameters of new files: 128 MiB, as OWASP recommends."""

CHEAPEST, DEAREST = Cost(14, 8, 1), Cost(18, 8, 4)
"""Bounds of the parameters of files that are opened."""


def check_passphrase(passphrase: str) -> str:
    """Return why a passphrase cannot be used, or an empty text if it can.

    Only the length is checked: rules about letters and digits lead to worse passphrases.
    """
    if not isinstance(passphrase, str):
        return f"A passphrase of type {type(passphrase).__name__} cannot be used: pass a str."
    if len(passphrase) > LONGEST_PASSPHRASE:
        return f"The passphrase is longer than {LONGEST_PASSPHRASE} characters: use fewer."
    text, typed = _normalised(passphrase), passphrase.strip(_WHITESPACE)
    if not text:
        return "The passphrase is empty: enter one."
    # Control characters cannot be typed; unassigned ones may be normalised differently one day.
    if any(unicodedata.category(character) in ("Cc", "Cn", "Cs") for character in typed):
        return "The passphrase contains characters that are not text: use others."
    if min(len(text), len(typed)) < SHORTEST_PASSPHRASE:
        return (
            f"The passphrase needs at least {SHORTEST_PASSPHRASE} characters: four or five "
            "unrelated words are easy to remember and hard to guess."
        )
    return ""


def encrypted(data: bytes, passphrase: str, cost: Cost | None = None) -> bytes:
    """Return the contents of a protected file; tests use a cheaper cost than `COST`."""
    if problem := check_passphrase(passphrase):
        raise InvalidInputError(problem)
    if len(data) > LARGEST - TAG_BYTES:
        raise Refused("it is too large for a passphrase", "save it without a passphrase")
    cost = cost or COST
    cost.check()
    salt, nonce = os.urandom(SALT_BYTES), os.urandom(NONCE_BYTES)
    header = HEADER.pack(MAGIC, VERSION, cost.log2_n, cost.r, cost.p, salt, nonce)
    return header + _cipher(passphrase, cost, salt).encrypt(nonce, data, header)


def decrypted(stream: BufferedIOBase, size: int, passphrase: str | None) -> bytes:
    """Return the model file inside a protected file of ``size`` bytes, which may be hostile."""
    if size < HEADER.size + TAG_BYTES:
        raise Refused("it ends too early")
    if size - HEADER.size > LARGEST:
        raise Refused("it is too large for a protected model")
    header = read_exactly(stream, HEADER.size)
    _, version, log2_n, r, p, salt, nonce = HEADER.unpack(header)
    if version != VERSION:
        raise Refused(
            f"its protection (version {version}) is unknown to this program",
            "use a newer version of the program",
        )
    cost = Cost(log2_n, r, p)
    cost.check()
    if passphrase is None:
        raise Refused("it is protected by a passphrase", "enter the passphrase", PassphraseNeeded)
    secret = read_exactly(stream, size - HEADER.size)
    return _opened(_cipher(passphrase, cost, salt), nonce, secret, header)


def _opened(cipher: "AESGCM", nonce: bytes, secret: bytes, header: bytes) -> bytes:
    """Decrypt; return nothing unless everything is authentic."""
    from cryptography.exceptions import InvalidTag

    try:
        return cipher.decrypt(nonce, secret, header)
    except InvalidTag:
        raise _not_opened() from None


def _cipher(passphrase: str, cost: Cost, salt: bytes) -> "AESGCM":
    """Derive the key, which is slow on purpose, and return the cipher."""
    # Imported here because most models have no passphrase and the package may be missing.
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
    except ImportError as error:
        raise Refused(
            "its passphrase needs the package cryptography, which is missing",
            "install it with: pip install cryptography",
        ) from error

    scrypt = Scrypt(salt=salt, length=KEY_BYTES, n=1 << cost.log2_n, r=cost.r, p=cost.p)
    return AESGCM(scrypt.derive(_bytes_of(passphrase)))


def _bytes_of(passphrase: str) -> bytes:
    """Return the input of scrypt; refuse passphrases that no file can have."""
    if isinstance(passphrase, str) and 0 < len(passphrase) <= LONGEST_PASSPHRASE:
        with suppress(UnicodeEncodeError):
            return _normalised(passphrase).encode("utf-8")
    raise _not_opened()


def _not_opened() -> Refused:
    reason = "the passphrase is wrong, or the file was changed"
    return Refused(reason, "try again", WrongPassphrase)


def _normalised(passphrase: str) -> str:
    return unicodedata.normalize("NFKC", passphrase).strip(_WHITESPACE)
