"""Signs what is passed on with the maker's Ed25519 key, and verifies whose a file from elsewhere is.

A signature covers a purpose and the bytes of a file, so that one for a story is none for a campaign. The
name in it is what its maker says; whose key it is, the user has said (`makers.json` in the home).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import msgspec

from narratoria.contracts.read import UNDECODABLE
from narratoria.errors import ContractViolation, NarratoriaException, Problem, RecordExists
from narratoria.files import file_lock, replace_file

if TYPE_CHECKING:  # imported where something is signed
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

OWN_KEY, KNOWN_MAKERS = "maker.json", "makers.json"
KEY_BYTES, SIGNATURE_BYTES = 32, 64
LONGEST_NAME = 100

Name: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_NAME)]


class Signature(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """States who has signed a file, as it stands in the file."""

    maker: Name  # as they call themselves
    key: Annotated[str, msgspec.Meta(max_length=100)]  # the public key, in base64
    signature: Annotated[str, msgspec.Meta(max_length=200)]


class OwnKey(msgspec.Struct, frozen=True):
    name: Name
    private: str


@dataclass(frozen=True, slots=True)
class Maker:
    """Says who has signed a file; `known_as` is empty where the user has not said whose the key is."""

    name: str
    key: str
    known_as: str = ""

    def __str__(self) -> str:
        if self.known_as:
            return f"signed by {self.known_as}"
        return f"signed by somebody you do not know, who says to be {self.name} (key {self.key})"


def create_key(home: Path, name: str) -> Maker:
    """Make the user's own key; RecordExists where there is one, for what it has signed is known by it."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    if own_maker(home) is not None:
        raise RecordExists(f"{home / OWN_KEY} is your key already; what you have signed is known by it")
    private = Ed25519PrivateKey.generate()
    own = OwnKey(_checked_name(name), _text(private.private_bytes_raw()))
    with file_lock(home / OWN_KEY):
        replace_file(home / OWN_KEY, msgspec.json.encode(own), private=True)
    return Maker(own.name, _text(private.public_key().public_bytes_raw()), own.name)


def own_maker(home: Path) -> Maker | None:
    """Return the user as a maker, or None without a key."""
    own = _read_own(home)
    if own is None:
        return None
    return Maker(own.name, _text(_private_key(home, own).public_key().public_bytes_raw()), own.name)


def sign(home: Path, purpose: str, content: bytes) -> Signature:
    """Sign bytes for a purpose with the user's own key; NarratoriaException without one."""
    own = _read_own(home)
    if own is None:
        raise NarratoriaException("you have no key to sign with; make one: narratoria maker create NAME")
    private = _private_key(home, own)
    public = _text(private.public_key().public_bytes_raw())
    return Signature(own.name, public, _text(private.sign(_message(purpose, content))))


def verify(home: Path, purpose: str, content: bytes, signature: Signature) -> Maker:
    """Return who has signed these bytes; ContractViolation where the signature is not for them."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        public = Ed25519PublicKey.from_public_bytes(_bytes(signature.key, KEY_BYTES))
        public.verify(_bytes(signature.signature, SIGNATURE_BYTES), _message(purpose, content))
    except (InvalidSignature, ValueError):
        message = f"its signature, by {signature.maker!r}, is not for what is in it: it was changed since"
        raise ContractViolation([Problem(f"{message}, or never signed. Ask for it again")]) from None
    own = own_maker(home)
    known = own.name if own and own.key == signature.key else known_makers(home).get(signature.key, "")
    return Maker(signature.maker, signature.key, known)


def read_signature(document: bytes) -> Signature:
    """Decode a signature; ContractViolation for what is none."""
    try:
        return msgspec.json.decode(document, type=Signature)
    except UNDECODABLE as error:
        raise ContractViolation([Problem(f"its signature cannot be read: {error}")]) from None


def known_makers(home: Path) -> dict[str, str]:
    """Return the names that the user has given to keys; ContractViolation for a file that cannot be read."""
    path = home / KNOWN_MAKERS
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except FileNotFoundError:
        return {}
    except (OSError, *UNDECODABLE) as error:
        message = f"cannot be read ({error}); mend or remove it, and nobody in it is known"
        raise ContractViolation([Problem(message, file=str(path))]) from None


def change_known(home: Path, key: str, name: str | None) -> None:
    """Know a key by a name, or with None no longer."""
    try:
        _bytes(key, KEY_BYTES)
    except ValueError:
        raise ContractViolation([Problem(f"{key!r} is no key; it has 44 letters and ends in =")]) from None
    with file_lock(home / KNOWN_MAKERS):
        makers = known_makers(home)
        makers.pop(key, None)
        if name is not None:
            makers[key] = _checked_name(name)
        replace_file(home / KNOWN_MAKERS, msgspec.json.encode(makers), private=True)


def _message(purpose: str, content: bytes) -> bytes:
    return f"narratoria {purpose}\n".encode() + hashlib.sha512(content).digest()


def _read_own(home: Path) -> OwnKey | None:
    path = home / OWN_KEY
    try:
        return msgspec.json.decode(path.read_bytes(), type=OwnKey)
    except FileNotFoundError:
        return None
    except (OSError, *UNDECODABLE) as error:
        raise _unreadable(path, str(error)) from None


def _private_key(home: Path, own: OwnKey) -> Ed25519PrivateKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    try:
        return Ed25519PrivateKey.from_private_bytes(_bytes(own.private, KEY_BYTES))
    except ValueError as error:
        raise _unreadable(home / OWN_KEY, str(error)) from None


def _unreadable(path: Path, why: str) -> ContractViolation:
    message = f"is no key ({why}); put a copy of it back, or remove it and make another"
    return ContractViolation([Problem(message, file=str(path))])


def _checked_name(name: str) -> str:
    plain = " ".join(name.split())
    if not 1 <= len(plain) <= LONGEST_NAME or not plain.isprintable():
        raise ContractViolation([Problem(f"a maker's name has 1 to {LONGEST_NAME} letters")])
    return plain


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _bytes(text: str, size: int) -> bytes:
    try:
        content = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from None
    if len(content) != size:
        raise ValueError(f"{len(content)} bytes, and {size} are expected")
    return content
