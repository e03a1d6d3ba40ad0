"""Model files: one safetensors file with a JSON manifest in its header; never pickle.

Files are untrusted. Sizes (`container`), manifest (`manifest`), dtypes and shapes (`tensors`) are
checked before anything of the claimed size is allocated. Then follow the digest, the values
(`tensors`) and the model, which must score some of its own rows (`state`). The digest detects
damage and careless changes; only authenticated encryption (`sealed`) stops an attacker.
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
