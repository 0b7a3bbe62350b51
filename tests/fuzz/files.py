"""Files that a disk, an editor or a stranger has changed, at every door that reads one."""

import json
import math
import random
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from fuzz.fuzzing import ODD, WORDS, Door
from small_tuning import TUNED
from tampered import with_records

from explorative_user_env.check.verify import verify
from explorative_user_env.commands.run import RUN_FILE
from explorative_user_env.evaluation import evaluate, load
from explorative_user_env.files import MADE_BY, Folder
from explorative_user_env.results.results import runs_with_cells
from explorative_user_env.results.store import about
from explorative_user_env.studies.tuning import Estimate, load_tuned


def changed(text, rng):
    place = rng.randrange(len(text)) if text else 0
    match rng.randrange(6):
        case 0:
            return text[:place]
        case 1:
            return text[:place] + bytes([rng.randrange(256)]) + text[place + 1 :]
        case 2:
            return text[:place] + rng.randbytes(rng.randrange(1, 50)) + text[place:]
        case 3:
            all_of_it = (b"", b"{}", b"[" * 200_000, b"9" * 5000, b"null", b"\xff\xfe", text * 2)
            return rng.choice(all_of_it)
    try:
        record = json.loads(text)
        _put_something_odd(record, rng, ODD)
        return json.dumps(record, default=lambda value: "odd").encode("utf-8", "surrogatepass")
    except ValueError:  # it is no JSON, or has a number of too many digits
        return text[::-1]


# What JSON has a word for, and asks for no long run.
AS_JSON = [None, True, False, *(word for word in WORDS if word != "\ud800"), [], {}, {"a": 1}, [1]]
AS_JSON += [0, 1, 2, 3, 7, -1, -2, 0.0, -0.0, 0.1, 0.5, 1.5, -0.5, 1e-300, 5e-324]


def _put_something_odd(record, rng, odd=AS_JSON):
    while isinstance(record, dict | list) and record:
        key = rng.choice(list(record) if isinstance(record, dict) else range(len(record)))
        if not isinstance(record[key], dict | list) or rng.random() < 0.2:
            record[key] = rng.choice(odd)
            return
        record = record[key]


def _door(name, folder, change, cost=1):
    def call(seed):
        with tempfile.TemporaryDirectory() as place:
            copy = Path(shutil.copytree(folder, Path(place) / "copy"))
            return change(copy, random.Random(seed))

    seeds = frozenset({"seed"})
    return Door(name, call, {"seed": range(10**9)}, seeds, spared=seeds, cost=cost)


def _of_a_file(folder, file, read):
    def change(copy, rng):
        (copy / file).write_bytes(changed((copy / file).read_bytes(), rng))
        return read(copy)

    return _door(f"{folder.name}: {file}", folder, change)


def of_files(place):
    tuned = replace(TUNED, stopping_time=Estimate(100.0, 90.0, math.nan))
    (place / "bare").mkdir()
    tuned.save(place / "bare" / "tuned.json")
    yield _of_a_file(place / "bare", "tuned.json", load_tuned)
    Folder(place / "kept", {"command": "tune-n1"}).write({"tuned.json": tuned.save})
    yield _of_a_file(place / "kept", MADE_BY, load_tuned)
    (place / "runs").mkdir()
    run = place / "runs" / RUN_FILE
    short = {"max_steps": 30, "compiled": False, "progress": False}
    evaluate(["BAIR", "UNI"], n_instances=4, store=run, **short)
    yield _of_a_file(place / "runs", RUN_FILE, _looked_into)
    yield _door("runs verified, with seals that fit", place / "runs", _with_a_claim, cost=2)
    (place / "rows").mkdir()
    runs_with_cells([load(run)]).to_csv(place / "rows" / "rows.csv", index=False)
    yield _of_a_file(place / "rows", "rows.csv", _verified_rows)


def _looked_into(folder):
    about(folder / RUN_FILE)
    str(load(folder / RUN_FILE))


def _verified_rows(folder):
    str(verify(folder / "rows.csv", rows=3, compiled=False, progress=False))


AS_TEXT = [("about", "value"), ("sessions", "made_by"), ("results", "record")]
AS_TEXT += [("results", "parts"), ("parts", "record")]


def _with_a_claim(folder, rng):
    file = folder / RUN_FILE
    with_records(file, lambda record: _put_something_odd(record, rng), *rng.choice(AS_TEXT))
    str(verify(file, rows=3, compiled=False, progress=False))
