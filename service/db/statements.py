"""SQL that the query builder can't express, written once for both databases: `?` stands for a value."""

from collections.abc import Sequence
from typing import Any

from service.db.connection import Database


def run(database: Database, statement: str, values: Sequence[Any]) -> Any:
    """Execute the statement and return the cursor."""
    return database.execute_sql(statement.replace("?", database.param), values)
