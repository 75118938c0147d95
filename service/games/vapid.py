"""The key pair that identifies this server to the push services of browsers (VAPID).

It is in the database, because all processes need the same one: with another key, every subscription is refused.
"""

import base64
from typing import Final

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02

from service.db.connection import Database, transaction
from service.db.models import ServerKey

_NAME: Final = "vapid"


def load_vapid_key(database: Database) -> Vapid02:
    """The key pair, which is created at the first start and after restoring a backup from before there was one."""
    stored = ServerKey.select(ServerKey.value).where(ServerKey.name == _NAME)
    if not stored.exists(database):
        key = Vapid02()
        key.generate_keys()
        with transaction(database):
            # If another process is faster, its key stays.
            ServerKey.insert(name=_NAME, value=key.private_pem().decode()).on_conflict_ignore().execute(database)
    return Vapid02.from_pem(stored.scalar(database).encode())


def public_key(database: Database) -> str:
    """The public key, as browsers want it: the uncompressed point in URL-safe base64 without padding."""
    point = load_vapid_key(database).public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return base64.urlsafe_b64encode(point).rstrip(b"=").decode()
