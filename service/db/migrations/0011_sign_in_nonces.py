"""Sign-in codes and links are not stored any more, neither as hashes nor in letters: they follow from a nonce."""

from typing import Any

CHANGES = """
delete from sign_in_code;
alter table sign_in_code add column nonce varchar(32) not null default '';
alter table sign_in_code add column browser varchar(64);
alter table sign_in_code drop column code_hash;
alter table sign_in_code drop column link_hash;
alter table sign_in_code drop column tries;
update letter set status = 'dropped', trouble = 'It came too late to be of use.'
    where kind = 'sign-in' and status in ('waiting', 'parked');
update letter set details = '{}' where kind = 'sign-in'
"""


def up(migrator: Any, db: Any) -> None:
    """Forget the codes; people who are signing in at this moment ask for a new one."""
    for statement in CHANGES.split(";"):
        db.execute_sql(statement)
