"""Model files: one safetensors file with a JSON manifest in its header; never pickle.

A file is untrusted. Reading it goes in steps, each of which relies only on those before it:
sizes (`container`), manifest (`manifest`), dtypes and shapes (`tensors`), all of them before
anything of the claimed size is allocated; then the digest, the values (`tensors`), and finally
the model, which must score some of its own rows (`state`). Whatever is wrong,
`lmkl_core.errors.ModelFileError` says it in one sentence.

The digest notices damage and careless changes, but an attacker can write a digest too: only
authenticated encryption stops that (`sealed`).
"""

from lmkl_core.model_file.files import (
    MAX_BYTES,
    from_bytes,
    load_model,
    load_with_manifest,
    save_model,
    to_bytes,
)
from lmkl_core.model_file.manifest import Manifest, ViewEntry
from lmkl_core.model_file.sealed import check_passphrase

__all__ = [
    "MAX_BYTES",
    "Manifest",
    "ViewEntry",
    "check_passphrase",
    "from_bytes",
    "load_model",
    "load_with_manifest",
    "save_model",
    "to_bytes",
]
