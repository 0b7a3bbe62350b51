"""Files that a disk, an editor or a stranger has changed, at every door that reads one."""

import io
import json
import math
import random
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fuzz.fuzzing import Door
from fuzz.odd_values import ODD
from small_tuning import TUNED
from tampered import with_records

from explorative_user_env.check.verify import verify
from explorative_user_env.commands.run import RUN_FILE
from explorative_user_env.evaluation import evaluate, load
from explorative_user_env.files import MADE_BY, Folder
from explorative_user_env.results.results import runs_with_cells
from explorative_user_env.results.store import about
from explorative_user_env.studies.tuning import Estimate, load_tuned

RECORD = replace(TUNED, stopping_time=Estimate(100.0, 90.0, math.nan))
"""With a figure that there is none of."""


def changed(text: bytes, rng: random.Random) -> bytes:
    """Return a file's content with something done to it."""
    kind = rng.randrange(6)
    place = rng.randrange(len(text)) if text else 0
    if kind == 0:
        return text[:place]
    if kind == 1:
        return text[:place] + bytes([rng.randrange(256)]) + text[place + 1 :]
    if kind == 2:
        return text[:place] + rng.randbytes(rng.randrange(1, 50)) + text[place:]
    if kind == 3:
        return rng.choice((b"", b"{}", b"[" * 200_000, b"9" * 5000, b"null", b"\xff\xfe", text * 2))
    return _with_an_odd_value(text, rng)


def _with_an_odd_value(text: bytes, rng: random.Random) -> bytes:
    """Return JSON in which a value, somewhere, is another."""
    try:
        whole = json.loads(text)
    except ValueError:
        return text[::-1]
    record = whole
    while isinstance(record, dict) and record:
        name = rng.choice(sorted(record))
        if not isinstance(record[name], dict) or rng.random() < 0.3:
            record[name] = rng.choice(ODD)
            break
        record = record[name]
    try:
        return json.dumps(whole, default=lambda value: "odd").encode("utf-8", "surrogatepass")
    except ValueError:  # a number of too many digits
        return b"{"


def _of_a_folder(
    name: str, folder: Path, file: str, read: Callable[[Path], Any], cost: int = 1
) -> Door:
    """Return a door at which one file of a copy of `folder` is changed."""

    def call(seed: int) -> Any:
        with tempfile.TemporaryDirectory() as place:
            copy = Path(shutil.copytree(folder, Path(place) / "copy"))
            content = (copy / file).read_bytes()
            (copy / file).write_bytes(changed(content, random.Random(seed)))
            return read(copy)

    seeds = frozenset({"seed"})
    return Door(name, call, {"seed": range(10**9)}, seeds, spared=seeds, cost=cost)


def _again(folder: Path) -> Any:
    return Folder(folder, {"command": "bench", "options": {"seed": 0}}).write(
        {"a": lambda path: path.write_text("a")}
    )


def of_files(place: Path) -> Iterator[Door]:
    """Return the doors, with their whole files in a folder."""
    (place / "bare").mkdir(parents=True)
    RECORD.save(place / "bare" / "tuned.json")
    Folder(place / "kept", {"command": "tune-n1"}).write({"tuned.json": RECORD.save})
    yield _of_a_folder("tuned.json", place / "bare", "tuned.json", load_tuned)
    yield _of_a_folder("tuned.json, kept", place / "kept", "tuned.json", load_tuned)
    yield _of_a_folder("made_by.json, read", place / "kept", MADE_BY, load_tuned)
    yield _of_a_folder("made_by.json, written over", place / "kept", MADE_BY, _again)
    (place / "runs").mkdir()
    run = place / "runs" / RUN_FILE
    evaluate(["BAIR", "UNI"], n_instances=4, max_steps=30, progress=False, store=run)
    yield _of_a_folder(RUN_FILE, place / "runs", RUN_FILE, _looked_into)
    yield _of_a_store("JSON of runs", run)
    yield _of_a_claim("runs verified, with seals that fit", run)
    (place / "rows").mkdir()
    met: Any = load(run)
    runs_with_cells([met]).to_csv(place / "rows" / "rows.csv", index=False)
    yield _of_a_folder("rows.csv verified", place / "rows", "rows.csv", _verified_rows)
    if find_spec("sb3_contrib") is None:
        return
    from explorative_user_env.rl import load_agent
    from explorative_user_env.shipped import shipped_models

    for name, model in shipped_models().items():
        for file in ("settings.json", "model.zip"):
            yield _of_a_folder(f"{name} {file}", model, file, load_agent, cost=4)
        data = place / name
        shutil.copytree(model, data)
        yield _of_data(name, data)


def _looked_into(folder: Path) -> None:
    about(folder / RUN_FILE)
    str(load(folder / RUN_FILE))


KEPT_AS_JSON = (
    ("about", "value"),
    ("sessions", "made_by"),
    ("results", "record"),
    ("results", "parts"),
)
"""Tables of a file of runs, with a column that is JSON."""


def _of_a_store(name: str, file: Path) -> Door:
    """Return a door at which one of the records of a file of runs is changed."""

    def call(seed: int) -> Any:
        rng = random.Random(seed)
        table, column = rng.choice(KEPT_AS_JSON)
        with tempfile.TemporaryDirectory() as place:
            copy = shutil.copy(file, Path(place) / RUN_FILE)
            with closing(sqlite3.connect(copy)) as db:
                ((text,), *_) = db.execute(f"SELECT {column} FROM {table}").fetchall()
                new = changed(text.encode(), rng).decode("utf-8", "replace")
                db.execute(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (new, text))
                db.commit()
            return _looked_into(Path(place))

    seeds = frozenset({"seed"})
    return Door(name, call, {"seed": range(10**9)}, seeds, spared=seeds)


def _verified_rows(folder: Path) -> None:
    str(verify(folder / "rows.csv", rows=3, compiled=False, progress=False))


def _of_a_claim(name: str, file: Path) -> Door:
    """Return a door at which a value of a record is another, and its seal fits again."""
    tables = (*KEPT_AS_JSON, ("parts", "record"))

    def call(seed: int) -> Any:
        rng = random.Random(seed)
        table, column = rng.choice(tables)
        with tempfile.TemporaryDirectory() as place:
            copy = Path(shutil.copy(file, Path(place) / RUN_FILE))
            with_records(copy, lambda record: _put_something_odd(record, rng), table, column)
            str(verify(copy, rows=3, compiled=False, progress=False))

    seeds = frozenset({"seed"})
    return Door(name, call, {"seed": range(10**9)}, seeds, spared=seeds, cost=2)


MOST_STEPS = 1000
"""A file may ask for any number of steps, and whoever verifies it may interrupt that."""


def _fits(value: Any) -> bool:
    """Return whether JSON has a word for a value, and it asks for no long run."""
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return "ud800" not in text and not (isinstance(value, int | float) and abs(value) > MOST_STEPS)


AS_JSON = list(filter(_fits, ODD))


def _put_something_odd(record: Any, rng: random.Random) -> None:
    """Change one value, somewhere in a record."""
    while isinstance(record, dict | list) and record:
        key: Any = rng.choice(list(record) if isinstance(record, dict) else range(len(record)))
        if not isinstance(record[key], dict | list) or rng.random() < 0.2:
            record[key] = rng.choice(AS_JSON)
            return
        record = record[key]


def _of_data(name: str, folder: Path) -> Door:
    """Return a door at which the JSON inside of a model is changed, and its archive is whole."""
    from zipfile import ZipFile

    from explorative_user_env.rl import load_agent

    def call(seed: int) -> Any:
        rng = random.Random(seed)
        whole, written = ZipFile(folder / "model.zip"), io.BytesIO()
        with ZipFile(written, "w") as archive:
            part = rng.choice(("data", "data", "data", *whole.namelist()))
            for each in whole.namelist():
                content = whole.read(each)
                archive.writestr(each, changed(content, rng) if each == part else content)
        with tempfile.TemporaryDirectory() as place:
            copy = Path(shutil.copytree(folder, Path(place) / "copy"))
            (copy / "model.zip").write_bytes(written.getvalue())
            return load_agent(copy)

    seeds = frozenset({"seed"})
    return Door(f"{name} data", call, {"seed": range(10**9)}, seeds, spared=seeds, cost=4)
