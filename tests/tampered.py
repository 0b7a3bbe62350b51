"""Files of runs as somebody who cheats leaves them: with SQL."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

from explorative_user_env.results.records import digest

Change = Callable[[Any], Any]


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


def with_request(path, change):
    """Change what a file says that it was asked for, in both places."""

    def of_about(whole):
        if isinstance(whole, dict):  # the other entry says that the run is finished
            change(whole["options"])

    with_records(path, of_about, "about", "value")

    def of_results(record):
        change(record["request"])
        record["cell"]["seed"] = record["request"]["seed"]

    return with_records(path, of_results)


def with_parts(path, change):
    """Change what the runs of a file are said to follow from, with keys that fit."""
    with_records(path, change, "parts")
    with closing(sqlite3.connect(path)) as db, db:
        rows = db.execute("SELECT id, task, agent, record FROM parts").fetchall()
        for number, task, agent, text in rows:
            key = digest({"task": task, "agent": agent, **json.loads(text)})
            db.execute("UPDATE parts SET key = ? WHERE id = ?", (key, number))
    return path
