"""Files of runs as somebody who cheats leaves them: with SQL."""

import json
import shutil
import sqlite3
from contextlib import closing


def by_sql(honest, place, *words):
    """Return a copy of a file in which these statements were carried out."""
    shutil.copyfile(honest, place)
    with closing(sqlite3.connect(place)) as db, db:
        for each in words:
            db.execute(each)
    return place


def without_digests(path):
    """Take out of a file what tells its rows from any others, and return it."""
    return with_records(path, lambda record: record.pop("digests", None))


def with_records(path, change, table="results", column="record"):
    """Change what a file says in a column of JSON, in place."""
    with closing(sqlite3.connect(path)) as db, db:
        for row, text in db.execute(f"SELECT rowid, {column} FROM {table}").fetchall():
            record = json.loads(text)
            change(record)
            words = f"UPDATE {table} SET {column} = ? WHERE rowid = ?"
            db.execute(words, (json.dumps(record), row))
    return path
