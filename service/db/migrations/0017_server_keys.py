"""Keys that all processes of a server share, such as the one that signs web push messages."""

from typing import Any


def up(migrator: Any, db: Any) -> None:
    """Add the table."""
    db.execute_sql("create table server_key (name varchar(16) not null primary key, value text not null)")
