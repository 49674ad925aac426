"""AmpliGraph's results, and any other JSON or YAML object that holds metrics under their names.

References
----------
AmpliGraph 1, github.com/Accenture/AmpliGraph, ``experiments`` and ``ampligraph/evaluation/protocol.py``
(``select_best_model_ranking``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.aggregations import is_aggregation
from rankconst.catalogue.mentions import find_mentions, find_variant, find_within, names_known
from rankconst.catalogue.protocols import RELATION_PREDICTION
from rankconst.catalogue.tools import is_tool
from rankconst.errors import DataError
from rankconst.evaluation import Stated
from rankconst.names import read_count, squash
from rankconst.results.reading import (
    NO_SPLIT,
    Entries,
    Entry,
    Notes,
    Reader,
    Reading,
    Skipped,
    make_reading,
    names_step,
)
from rankconst.results.structured import (
    SPLIT_WORDS,
    Number,
    Record,
    Value,
    is_yaml,
    looks_structured,
    read_number,
    read_records,
)
from rankconst.results.tables.cells import is_number
from rankconst.results.tables.columns import (
    INVERTED,
    OF_KIND,
    ROLES,
    SPREADS,
    Meaning,
    contradict,
    find_inverted,
    find_other_tasks,
    find_split,
    is_kind,
    is_retrieval,
    is_vague,
    read_words,
)
from rankconst.results.tables.labels import find_rank_type, read_title, tell_label
from rankconst.results.tables.rows import join_names
from rankconst.results.tables.settings import (
    OF_EVAL,
    add_setting,
    count_tasks,
    find_pairs,
    names_setting,
    parse_heading,
    read_mode,
    read_model,
    read_pairs,
    read_remark,
    tell_beside,
    tell_program,
    tell_setting,
)
from rankconst.results.tables.surroundings import find_task
from rankconst.results.tables.units import (
    drop_contradictions,
    find_family,
    leave_small,
    name_percentages,
    settle_units,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping

    from rankconst.results.document import Document


_ROLES = {
    "dataset": "dataset",
    "dataset_name": "dataset",
    "eval_dataset": "dataset",
    "test_dataset": "dataset",
    "target_dataset": "dataset",
    "model": "model",
    "model_name": "model",
    "split": "split",
    "side": "side",
    "protocol": "protocol",
}
_CONTAINERS = {"results", "metrics"}
_SETTINGS = {
    "hyperparams", "hyperparameters", "model_params", "best_params", "params", "config", "args", "arguments",
    "settings", "options", "best_config", "best_hyperparameters", "hparams", "hyper_parameters", "cfg", "experiment",
    "setup",
}  # fmt: skip
# What holds settings if it holds no metrics; those of the evaluation.
_ABOUT = {"meta", "metadata", "info"}
_EVALUATION = re.compile(
    r"(?:eval(?:uation|uator)?|rank(?:ing|er)?|test(?:ing)?)(?:_(?:settings?|config|cfg|kwargs|args|params|options|"
    r"protocol|setup|details|info))?|protocol",
    re.IGNORECASE,
)
_COUNTS = {squash(name) for name in ("num tasks", *ROLES["num_tasks"]) if len(name) > 1}
# Where settings name a dataset, perhaps as a folder.
_FOLDERS = ("dataset", "dataset_name", "data_name", "data", "data_path", "data_dir", "benchmark")
# How much of a command line is read.
_LONGEST_COMMAND = 20_000
_VERSION = re.compile(r"v\d+(?:_ind)?", re.IGNORECASE)
_BY_RELATION = re.compile(r"(?:per|by)[_ -]relations?|relations", re.IGNORECASE)
# The name of any metric contains one of these; asking the catalogue is slower. A bare "std" belongs to another metric.
_LIKELY = re.compile(r"rank|hit|mr|h.?\d|dcg", re.IGNORECASE)
_BENCHMARK = re.compile(
    r"(?:fb|wn)[-_ ]?1[0-9]|yago|codex|nell|wikidata|wiki-?kg|bio-?kg|umls|kinship|nations|countries|dbpedia|wd50k",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Table:
    """An object with metrics, and what is around it."""

    line: int | None
    where: str
    path: tuple[str, ...]
    stated: Mapping[str, Any]
    values: Mapping[str, Value]


def _parse(key: str) -> Meaning | None:
    meaning = parse_heading(key) if _LIKELY.search(key) else None
    return meaning if meaning is not None and meaning.role == "measured" else None


def _walk(
    value: Value, where: str, path: tuple[str, ...], stated: Mapping[str, Any], line: int | None
) -> Iterator[_Table]:
    if isinstance(value, list):  # as json.dump and DataFrame.to_json(orient="records") write rows
        for place, each in enumerate(value, start=1):
            yield from _walk(each, f"{where}{place}.", path, stated, line)
    if not isinstance(value, dict):
        return
    value = _turn(_spell_out(value))
    own = _heed_model(_read_roles(value, path[-1] if path else ""))
    if "dataset" in own and "dataset" in stated and _ROLES.keys().isdisjoint(value):
        own |= _compare(stated["dataset"] or "", own["dataset"] or "")
    stated = {**stated, **own, _TOLD: (*stated.get(_TOLD, ()), *own[_TOLD])}
    if any(_parse(key) for key in value):
        yield _Table(line, where, path, stated, value)
    for key, inner in value.items():
        if key in _SETTINGS:
            continue
        words = {"split": key} if key in SPLIT_WORDS else read_words(key) or read_mode(key) or _read_query(key)
        onward = path if key in _CONTAINERS or words else (*path, key)
        told = _read_key(key, inner) if isinstance(inner, (dict, list)) else {}
        if where and _BY_RELATION.fullmatch(where.split(".")[-2]):
            told = {"relations": (key,)}
        yield from _walk(inner, f"{where}{key}.", onward, {**stated, **told, **words}, line)


def _heed_model(stated: dict[str, Any]) -> dict[str, Any]:
    """Return what an object says with what the name of its model does: ``RotatE (valid)``."""
    model = stated.get("model")
    return {**read_model(model, stated, frozenset()), **stated} if isinstance(model, str) else stated


def _read_key(key: str, inner: Value) -> dict[str, Any]:
    """Return what the key of an object or a list says of the metrics in it: a kind of relations, or another task."""
    if is_kind(key):
        return {"unclear": OF_KIND.format(key)}
    if key.lower() in _SPREADS:
        return {"unclear": f"{key!r} is how far numbers are spread"}
    split, words = find_split(key), key.replace("_", " ")
    said: dict[str, Any] = {"split": split} if split is not None else {}
    rank_type = find_rank_type(words)
    said |= {} if rank_type is None else {"rank_type": rank_type}
    first = next(iter(inner), {}) if isinstance(inner, list) else inner
    measured = isinstance(first, dict) and any(map(_parse, first))
    if key.lower() in {"relation", "relations", "rel"} and measured:
        return {"task": RELATION_PREDICTION}
    task = find_task(words)
    if task is not None or _BY_RELATION.fullmatch(key):
        return said if task is None or _BY_RELATION.fullmatch(key) else {**said, "task": task}
    if find_other_tasks(words) and measured:
        return {"unclear": f"{key!r} is not understood: it may be of other tasks, or of a part of them"}
    return said or read_pairs((key,)) or read_remark(words)


def _read_query(key: str) -> dict[str, str]:
    """Return the side of which SimKGC says that it asks forward, for the tail, or backward."""
    query = _QUERIES.fullmatch(key)
    return {} if query is None else {"side": "tail" if query[1].lower() == "forward" else "head"}


_QUERIES = re.compile(r"(forward|backward)(?:[ _](?:metrics|results|prediction|queries))?", re.IGNORECASE)


def _spell_out(value: dict[str, Value]) -> dict[str, Value]:
    """Return an object with a key for each number: of Hits@k by k, of hits@[1,3,10], of a metric named by a value."""
    named = next((each for key, each in value.items() if key in _NAMES and isinstance(each, str) and _parse(each)), "")
    spelt: dict[str, Value] = {}
    for key, each in value.items():
        ks = _LIST_OF_KS.fullmatch(key)
        by_k = each if isinstance(each, dict) and _HITS.fullmatch(key) else {}
        counted = {f"hits@{found[0]}": inner for k, inner in by_k.items() if (found := _K.search(k))}
        if counted and len(counted) == len(by_k) and counted.keys().isdisjoint(value):
            spelt |= counted
        elif ks is not None and isinstance(each, list) and len(each) == ks[1].count(",") + 1:
            spelt |= {f"hits@{k.strip()}": inner for k, inner in zip(ks[1].split(","), each, strict=True)}
        elif named and key in _VALUES and named not in value:
            spelt[named] = each
        else:
            spelt[key] = each
    return spelt


def _turn(value: dict[str, Value]) -> dict[str, Value]:
    """Return an object whose metrics hold numbers by split, side or dataset with an object for each of these."""
    inner = {key: each for key, each in value.items() if isinstance(each, dict) and _parse(key) and _are_places(each)}
    rest: dict[str, Value] = {key: each for key, each in value.items() if key not in inner}
    if any(place in rest for each in inner.values() for place in each):
        return value
    turned: dict[str, dict[str, Value]] = {}
    for metric, each in inner.items():
        for place, number in each.items():
            turned.setdefault(place, {})[metric] = number
    return {**rest, **turned}


def _are_places(value: Mapping[str, Value]) -> bool:
    """Tell whether all keys of numbers are splits, sides or datasets; some of them may say that they are of all."""
    if not value or any(isinstance(each, (dict, list, bool)) for each in value.values()):
        return False
    own = [key for key in value if key.lower() not in _ALL]
    return bool(own) and all(key in SPLIT_WORDS or names_known(key) or bool(read_words(key)) for key in own)


_ALL = {"avg", "average", "mean", "both", "all", "overall"}
_SPREADS = SPREADS | {"variance", "error", "errors", "delta", "diff"}
_HITS = re.compile(r"hits?(?:[@_ ]?(?:at[_ ]?)?[kn])?s?", re.IGNORECASE)
_K = re.compile(r"(?<![^@_])\d{1,9}$", re.ASCII)
_LIST_OF_KS = re.compile(r"hits?\s?@\s?\[([\d,\s]+)\]", re.IGNORECASE | re.ASCII)
_NAMES, _VALUES = {"metric", "metric_name", "name", "key", "measure"}, {"value", "score", "metric_value", "result"}
# What settings are of: a program, which may train; the numbers next to them; their evaluation.
_PROGRAM, _RESULTS, _EVALUATION_ONLY = "program", "results", "evaluation"
# What next to a number of negatives tells that these are of the training.
_TRAINED = re.compile(
    r"(?:learning_?rate|lr|batch_?size|(?:num_|n_|max_)?(?:train_)?(?:epochs?|steps|layers)|optimi[sz]er|"
    r"(?:.*_)?(?:dim|size|loss)|margin|gamma|dropout|weight_decay|regulari[sz]\w*|(?:do_)?train(?:_\w+)?|training|"
    r"(?:valid|warmup|warm_up)_steps|patience|early_stopping)"
)
_NEGATIVES = re.compile(r"(?:(?:num|n|nb)_?)?neg(?:ative)?s?(?:_(?:samples?|size|num|entities|candidates))?")
_OF_WHICH = (
    "it says {} {}, which may be of the training or of the evaluation: add --protocol sampled:{}, or the protocol of "
    "full ranks (--protocol standard)"
)
# What the Trainer of Hugging Face writes next to the metrics of whatever it was given to evaluate.
_GIVEN = {"eval_runtime", "eval_samples_per_second", "eval_steps_per_second", "eval_samples", "eval_loss"}


def _read_roles(value: Mapping[str, Value], name: str) -> dict[str, Any]:
    """Return what an object of that name says about its metrics."""
    texts = {key: str(each) for key, each in value.items() if isinstance(each, str | bool)}
    named = {role: text for key, text in texts.items() if (role := _find_role(key, text))}
    named |= {role: texts[key] for key, role in _ROLES.items() if key in texts}
    own = value.get("dataset")
    parts = {key: each for key, each in value.items() if isinstance(each, dict)}
    told_by = [each for key, each in parts.items() if key in _ABOUT and not _holds_metrics(each)]
    about = [each for each in told_by if not _is_of_training(each)]
    settings = [each for key, each in parts.items() if key in _SETTINGS or (each in told_by and each not in about)]
    settings += [own] if isinstance(own, dict) else []
    evaluations: dict[str, Value] = {key: each for key, each in parts.items() if _is_evaluation(key, each)}
    stated: dict[str, Any] = {**named}
    for each in (*settings, *about, evaluations):
        stated |= _find_dataset(each)
    told = _read_settings(_list_settings(value, (*settings, evaluations)), about)
    stated |= {role: texts[key] for key, role in _ROLES.items() if key in texts}
    for key in evaluations:
        stated |= _find_dataset(parts[key])
    for key in (key for key in texts if _RUN.fullmatch(key) and find_within(texts[key]) is not None):
        stated = {"dataset": find_within(texts[key]), "split": find_split(texts[key]), **stated}
    if _VERSION.fullmatch(version := texts.get("version") or texts.get("dataset_version", "")) and "dataset" in stated:
        stated["dataset"] = join_names(stated["dataset"], version)
    for key, text in texts.items():
        one = _tell(key, text) or (name and tell_setting(f"{name} {key}", text, anywhere=True)) or {}
        stated = add_setting(stated, one, text)
        if squash(key) in _COUNTS and (count := read_count(text)):
            stated["num_tasks"] = count
        if _NEGATIVES.fullmatch(key) and read_count(text) and not any(map(_TRAINED.fullmatch, value)):
            stated["missing"] = (("protocol", _OF_WHICH.format(key, text, text)),)
    # A program may evaluate another split while it trains.
    open_to = {role: each for role, each in told.items() if role != "split"}
    against = {"protocol": stated.get("filtered"), **stated}
    stated = told | contradict("", open_to, against) | stated
    stated.pop("filtered", None)
    stated = _heed_texts(stated, texts)
    if not value.keys().isdisjoint(_GIVEN):
        stated["missing"] = (("split", OF_EVAL), *stated.get("missing", ()))
    if is_retrieval(value):
        stated["task"] = "retrieval"
    stated[_TOLD] = tuple(role for role, said in stated.items() if said != named.get(role))
    relations = value.get("relations")
    if isinstance(relations, list) and relations and all(type(each) is str for each in relations):
        stated["relations"] = tuple(relations)
    results = value.get("results")
    # Other tools use the same names of metrics, but do not keep these settings with them.
    if ("hyperparams" in value and any(key.startswith("H@") for key in value)) or (
        "model_params" in value and isinstance(results, dict) and "hits_1" in results
    ):
        stated["tool"] = "ampligraph"
    return stated


def _heed_texts(stated: dict[str, Any], texts: Mapping[str, str]) -> dict[str, Any]:
    """Return what is said of an object's metrics with what its texts of any key say: a tie policy, a variant."""
    for key, text in texts.items():
        if (rank_type := find_rank_type(text)) is not None:
            stated = {"rank_type": rank_type, **stated}
        if text.lower() in _SPREADS:
            stated = {"unclear": f"its {key} is {text}, which is how far numbers are spread", **stated}
        if not _TRAINED_ON.match(key) and (variant := find_variant(text, stated.get("dataset") or "")):
            stated = {"unclear": f"{text!r} next to it names {variant}, its dataset is {stated['dataset']}", **stated}
    return stated


# What a run, or what was evaluated, is called: a model's name may be in it.
_TITLE = re.compile(r"title|label|tag|run|(?:(?:run|exp|experiment)_)?(?:name|id)", re.IGNORECASE)
_TRAINED_ON = re.compile(r"train|pretrain|source|from|base|model|path|file", re.IGNORECASE)


def _is_of_training(settings: Mapping[str, Value]) -> bool:
    """Tell whether settings, or parts of them, are those of a training."""
    inner = (each for each in settings.values() if isinstance(each, dict))
    return any(map(_TRAINED.fullmatch, settings)) or any(map(_is_of_training, inner))


def _read_settings(listed: Iterable[tuple[str, Value, str]], about: Iterable[Mapping[str, Value]]) -> dict[str, Any]:
    """Return what settings say of an evaluation, and what is said `about` it as if next to the metrics."""
    told: dict[str, Any] = {}
    for key, inner, of in listed:
        told = add_setting(told, _tell_own(key, inner, of), str(inner))
    for each in about:
        told |= {role: said for role, said in _read_around(each).items() if role not in told}
    return told


def _read_around(value: Mapping[str, Value]) -> dict[str, Any]:
    """Return what an object without metrics says of those around or below it."""
    return {role: said for role, said in _read_roles(value, "").items() if role in _AROUND}


# How a program was started: a line, or its words.
_COMMAND = re.compile(r"(?:command|cmd|argv|args|arguments|cli)(?:_?line)?", re.IGNORECASE)


def _list_settings(
    value: Mapping[str, Value], parts: Iterable[Mapping[str, Value]]
) -> Iterator[tuple[str, Value, str]]:
    """Yield the settings in parts of an object, as :func:`_flatten` does, and those that a program was started with."""
    for each in parts:
        yield from _flatten(each, alone=not _is_of_training(each))
    for started in (value[key] for key in value if _COMMAND.fullmatch(key)):
        words = [each for each in started if isinstance(each, str)] if isinstance(started, list) else []
        text = (started if isinstance(started, str) else " ".join(words))[:_LONGEST_COMMAND]
        yield from ((pair.name, pair.value, _PROGRAM) for pair in find_pairs(text, len(text), set()))


def _flatten(
    settings: Mapping[str, Value], part: str = "", of: str = "", *, alone: bool
) -> Iterator[tuple[str, Value, str]]:
    """Yield settings, those of a part of a program with its name before theirs, and what they are of.

    They are `alone` if none of them is of a training.
    """
    for key, value in settings.items():
        if isinstance(value, dict):
            inner = _EVALUATION_ONLY if _is_evaluation(key, value) else of
            yield from _flatten(value, f"{key} ", inner, alone=alone)
        else:
            yield (key if of else f"{part}{key}"), value, of or (_RESULTS if alone and not part else _PROGRAM)


def _is_evaluation(key: str, value: Value) -> bool:
    """Tell whether a key and its object are settings of the evaluation; an object of metrics is its result."""
    return isinstance(value, dict) and _EVALUATION.fullmatch(key) is not None and not _holds_metrics(value)


def _holds_metrics(value: Value) -> bool:
    """Tell whether an object has a metric, or another one within has."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(map(_holds_metrics, inner)) or (isinstance(value, dict) and any(map(_parse, value)))


# Keys whose text may hold dataset and split.
_RUN = re.compile(
    r"name|(?:run|exp|experiment)(?:_(?:name|id))?|(?:save|output|log|checkpoint|ckpt|model)?_?(?:path|dir|file)",
    re.IGNORECASE,
)


def _tell_own(key: str, value: Value, of: str) -> Mapping[str, Any]:
    """Return what a setting of a program says of its evaluation; split, side and protocol are as in columns."""
    if not isinstance(value, str | bool):
        return {}
    text = str(value)
    told = tell_program(key, text, evaluated=of == _EVALUATION_ONLY)
    if told or of == _EVALUATION_ONLY:
        return told or _tell(key, text)
    whole = _NOTES.fullmatch(key) is not None or (of == _RESULTS and key != "mode")
    told = {name: word for name, word in _tell(key, text).items() if name == "split" or (whole and name != "relations")}
    return {} if told.get("split") == "train" else told


def _tell(key: str, text: str) -> Mapping[str, Any]:
    """Return what a name with a text says of the numbers next to them; nothing if it is one of training."""
    if _TRAINED.fullmatch(key):
        return {}
    told = (tell_setting(key, text) or {}) if key in _ROLES else tell_beside(key, text)
    if _TITLE.fullmatch(key):
        return told or read_title(text)
    return told or (read_remark(text) if is_vague(key) else {})


# What says anything of the numbers next to it, those of a program's settings included.
_NOTES = re.compile(r"(?:note|comment|remark|description|detail|evaluation|eval|ranking)s?", re.IGNORECASE)


def _find_dataset(settings: Mapping[str, Value]) -> dict[str, str]:
    """Return the known dataset that settings name, or its folder."""
    for key in (*_FOLDERS, "name"):
        text = settings.get(key)
        name = text.rstrip("/").rpartition("/")[2] if isinstance(text, str) else ""
        if _BENCHMARK.search(name):
            version = settings.get("version") or settings.get("dataset_version")
            versioned = isinstance(version, str) and _VERSION.fullmatch(version)
            return {"dataset": join_names(name, str(version)) if versioned else name}
    return {}


def _find_role(key: str, text: str) -> str:
    """Return what a key says of its object, as the heading of a column would; a path or a number is no name."""
    meaning = None if "/" in text or is_number(text) else parse_heading(key)
    role = "" if meaning is None else meaning.role
    known = {"tool": is_tool, "aggregation": is_aggregation}.get(role)
    if known is not None:  # networks have frameworks and aggregations, too
        return role if known(text) else ""
    return role if role in {"dataset", "model"} else ""


_AROUND = {
    "dataset", "split", "side", "protocol", "task", "num_triples", "num_tasks", "missing", "unclear", "relations",
    "aggregation", "rank_type",
}  # fmt: skip


def _list_tables(records: tuple[Record, ...]) -> list[_Table]:
    tables: list[_Table] = []
    around: dict[str, Value] = {}  # what lines without metrics say of those below
    stated: Mapping[str, Any] | None = {}
    for place, record in enumerate(records):
        own = _take_settings(record.value, first=place == 0 and len(records) > 1)
        if stated is None:
            stated = _read_around(around)
            stated = {**stated, _TOLD: tuple(stated)}
        found = list(_walk(record.value, "", (), stated, record.line))
        if not found and own and len(around) < _MOST_AROUND:
            # A line that names the dataset begins anew.
            around, stated = own if _names_dataset(own) else around | own, None
        tables += found
    return tables


def _names_dataset(settings: Mapping[str, Value]) -> bool:
    """Tell whether a setting, or one in a part of them, is that of the dataset."""
    inner = (each for each in settings.values() if isinstance(each, dict))
    return not _DATASETS.isdisjoint(settings) or any(map(_names_dataset, inner))


_DATASETS = {key for key, role in _ROLES.items() if role == "dataset"}


def _take_settings(value: Value, *, first: bool) -> dict[str, Value]:
    """Return what an object without metrics says of the lines below it: settings, or notes.

    The first line is made of settings as a whole, a further one if it is of nothing else.
    """
    if not isinstance(value, dict):
        return {}
    parts: dict[str, Value] = {key: each for key, each in value.items() if isinstance(each, dict)}
    texts: dict[str, Value] = {key: each for key, each in value.items() if isinstance(each, str | bool)}
    noted = all(type(each) is not Number or names_setting(key) for key, each in texts.items())
    return {"settings": texts, **parts} if first else {**(texts if noted else {}), **parts}


_MOST_AROUND = 200


def _load(document: Document) -> tuple[Record, ...]:
    """Return what a file is made of; nothing if it is neither JSON nor YAML."""
    try:
        return read_records(document) if looks_structured(document) or is_yaml(document) else ()
    except DataError:
        if looks_structured(document):
            raise
        return ()  # its lines may be read one by one


def _recognise(document: Document) -> bool:
    return any(
        _parse(key) and (not isinstance(value, (dict, list)) or _read_mean(value) is not None)
        for table in _list_tables(_load(document)[:5])
        for key, value in table.values.items()
    )


def _read(document: Document) -> Reading:
    tables = _list_tables(read_records(document))
    levels = _name_levels([table.path for table in tables])
    rows: list[dict[str, str]] = []
    entries: list[Entry] = []
    skipped: list[Skipped] = []
    filters: list[tuple[Hashable, bool]] = []  # of each number: what it is of, apart from the filter, and if it has one
    for table in tables:
        stated = {**dict(zip(levels.get(len(table.path), ()), table.path, strict=False)), **table.stated}
        stated |= next(filter(None, (_compare(each, stated.get("dataset") or "") for each in table.path)), {})
        row = {"line": "" if table.line is None else str(table.line)}
        row |= {key: str(each) for key, each in table.values.items() if names_step(key) and read_count(str(each))}
        row |= {role: said for role, said in stated.items() if isinstance(said, str) and role not in _UNSHOWN}
        inverted = find_inverted(table.values)
        for key, value in table.values.items():
            meaning = _parse(key)
            if meaning is None or meaning.metric is None:
                continue
            place = f"{table.where}{key}"
            text, why = _read_mean(value) or read_number(value)
            if why := meaning.reason or (INVERTED if key in inverted else why):
                skipped.append(Skipped(table.line, place, why))
                continue
            if meaning.percent and "%" not in text:
                text = f"{text}%"
            row[key] = text
            own = {role: each for role in _OWN if (each := getattr(meaning, role)) is not None}
            said = {role: each for role, each in stated.items() if role in _STATED}
            said |= _compare_own(key, meaning.dataset or "", said.get("dataset") or "")
            if meaning.filtered:
                said.pop("protocol", None)
            said = {**own, **said, **{role: own[role] for role in own if role != "dataset"}}
            graphs = said.get("dataset", "").split(" or ")
            said |= {"dataset": None, "among": tuple(graphs)} if len(graphs) > 1 else {}
            context = Stated(**count_tasks(said))
            # Such files are often rounded, so the last digit is uncertain.
            entries.append(Entry(meaning.metric, text, len(rows), key, table.line, context, meaning.adjustment))
            of = (table.line, table.path, meaning.metric, meaning.adjustment, context.split, context.side)
            filters.append((of, bool(meaning.filtered or "filtered" in stated)))
        rows.append(row)
    notes = Notes()
    told = Entries(_leave_split(_tell_raw(_heed_comments(document, entries), filters)))
    likely = leave_small(told, find_family, notes, percent=document.percent)
    settled = settle_units(likely, find_family, notes, percent=document.percent)
    settled = drop_contradictions(settled, notes)
    names = dict.fromkeys(name for table in tables for name in table.stated.get(_TOLD, ()) if name in _OWN)
    parts = (f"{', '.join(names)} from the settings next to its numbers" if names else "", name_percentages(settled))
    reading = make_reading(document, READER.key, "wide", rows, settled, skipped=(*skipped, *notes.skipped()))
    return replace(reading, understood="; ".join(filter(None, parts)))


def _compare_own(key: str, name: str, dataset: str) -> dict[str, str]:
    """Return why it is unclear what a metric is of whose name has another dataset, or a label in its place."""
    if not name or not dataset or (remark := read_remark(name)):
        return dict(remark) if name and dataset else {}
    known = [mention.key for mention in find_mentions(name) if mention.known]
    other = known and known != [mention.key for mention in find_mentions(dataset)]
    return {"unclear": f"{key!r} names {name}, its dataset is {dataset}: correct one of them."} if other else {}


def _compare(name: str, dataset: str) -> dict[str, str]:
    """Return why it is unclear what numbers are of if a name is of a variant of their dataset, or the other way."""
    variant = find_variant(name, dataset) or find_variant(dataset, name)
    return {"unclear": f"{name!r} above it is not its dataset, {dataset}: correct one of them."} if variant else {}


def _heed_comments(document: Document, entries: list[Entry]) -> list[Entry]:
    """Return numbers of YAML; what its comments say of numbers, only the user can say: ``# validation``."""
    said = [(text, tell_label(text)) for text in dict.fromkeys(_list_comments(document))]
    told = [(text.strip(), each) for text, each in said if each is not None]
    missing = tuple(
        (role, _COMMENTED.format(text, role, role))
        for text, each in told
        for role in ("split", "side", "protocol")
        if getattr(each, role) not in {None, "test", "both"}
    )
    others = (
        _COMMENTED_TASK.format(text, each.task or "a part of them")
        for text, each in told
        if each.unclear or each.num_triples or (each.task and (read_remark(text) or read_pairs((text,))))
    )
    unclear = next(others, "")
    if not missing and not unclear:
        return entries
    whole = ((entry, entry.context) for entry in entries)
    return [
        entry._replace(
            context=replace(old, missing=(*old.missing, *missing), unclear=old.unclear or unclear),
        )
        for entry, old in whole
    ]


def _list_comments(document: Document) -> Iterator[str]:
    """Yield the comments of YAML, but for those of settings of a training, behind them or right above."""
    lines = document.lines if is_yaml(document) else ()
    keys = [found[1] if (found := _KEY.match(line)) is not None else "" for line in lines]
    for i, line in enumerate(lines):
        key = next(filter(None, keys[i : i + _NEAR]), "")
        if (found := _COMMENT.search(line)) and not (_TRAINED.fullmatch(key) or _NEGATIVES.fullmatch(key)):
            yield found[1]


_NEAR = 2
_KEY = re.compile(r"\s*+(?:- )?[\"']?([\w@.-]{1,40})[\"']?\s?:")
_COMMENT = re.compile(r"(?m)(?:^|(?<=[ \t]))#[# \t]*+([^\n]{1,200})")
_COMMENTED_TASK = "the comment {!r} may say that its numbers are of other tasks ({}): take it out, or write it as a key"
_COMMENTED = "the comment {!r} may say a {} of its numbers: add --{}, or write it as a key"


def _tell_raw(entries: list[Entry], filters: list[tuple[Hashable, bool]]) -> Iterator[Entry]:
    """Yield numbers, as raw those that are there again, filtered: ``mrr`` next to ``filtered_mrr``."""
    filtered = {of: entry.text for entry, (of, is_filtered) in zip(entries, filters, strict=True) if is_filtered}
    for entry, (of, is_filtered) in zip(entries, filters, strict=True):
        plain = not is_filtered and entry.context.protocol is None and filtered.get(of, entry.text) != entry.text
        yield entry._replace(context=replace(entry.context, protocol="raw")) if plain else entry


def _leave_split(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield numbers; those without a split are of one that only the user can name, where others are of test."""
    listed = list(entries)
    named = any(entry.context.split is not None and find_split(entry.context.split) == "test" for entry in listed)
    for entry in listed:
        open_split = named and not entry.context.split and "split" not in dict(entry.context.missing)
        missing = (("split", NO_SPLIT), *entry.context.missing)
        yield entry._replace(context=replace(entry.context, missing=missing)) if open_split else entry


# What the name of a metric says, and what is around it.
_OWN = ("dataset", "split", "side", "protocol", "rank_type")
_STATED = {*_OWN, "aggregation", "tool", "model", "task", "unclear", "relations", "num_tasks", "num_triples", "missing"}
_TOLD = "told"  # the names of what settings say
_UNSHOWN = {"aggregation", "tool", "task", "unclear"}


def _read_mean(value: Value) -> tuple[str, str] | None:
    """Return a mean over runs with its deviation, as ``{"mean": 0.47, "std": 0.01}`` has it; None if it is none."""
    if not isinstance(value, dict) or not value.keys() >= {"mean", "std"}:
        return None
    (mean, why), (deviation, _) = read_number(value["mean"]), read_number(value["std"])
    return (f"{mean} ± {deviation}" if deviation else mean, why)


def _name_levels(paths: list[tuple[str, ...]]) -> dict[int, tuple[str, ...]]:
    """Return the names of the keys around a table, by how many there are.

    A level with a benchmark's name holds datasets; without one, AmpliGraph's order is assumed: dataset, then model.
    """
    levels: dict[int, tuple[str, ...]] = {}
    for depth in {len(path) for path in paths}:
        same = [path for path in paths if len(path) == depth]
        found = next((level for level in range(depth) if any(_BENCHMARK.search(path[level]) for path in same)), None)
        if found is None and depth == 2:
            found = 0
        others = iter(("model", *(f"key {place}" for place in range(2, depth + 1))))
        levels[depth] = tuple("dataset" if level == found else next(others) for level in range(depth))
    return levels


READER = Reader("ampligraph", "AmpliGraph, and other JSON and YAML objects of metrics", _recognise, _read)
