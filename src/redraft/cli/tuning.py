"""calibrate RECORDS…: which stopping rules and controller settings pay off for the user's own questions. calibrate answers: from which confidence to answer."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from redraft.cli.inform import print_json
from redraft.cli.options import SEED, FiniteRange
from redraft.cli.safe import one_line, safe
from redraft.errors import InputError, UsageError

if TYPE_CHECKING:
    from redraft.policy import Policy
    from redraft.replay import History
    from redraft.settings import Settings
    from redraft.studies.prefixes import Prefixes, Score
    from redraft.studies.rows import Row
    from redraft.studies.tuning import Calibration, Gain, StopGrid
    from redraft.trace import Record

__all__ = ["Material", "Request", "commit", "material_from", "score_from", "stopping_command", "write_recommended"]

HARD_CAP_HINT = (
    "make some with a policy that only its hard cap stops, for example redraft eval DATA.jsonl --policy hardcap.toml, where hardcap.toml says "
    'base = "controlled", stops = ["hard_cap"], max_turns = 8; their ids are in redraft trace list'
)
LARGEST_NUMBER = 10_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """What was asked of `calibrate`."""

    data: tuple[str, ...]
    tag: str | None
    policy: str | None
    metric: str | None
    judged: str | None
    judge: str | None
    allow_same_judge: bool
    cluster: str | None
    price: float
    seed: int
    output: str
    report: str | None
    live: bool
    yes: bool
    shortlist: int
    strictness: bool
    as_json: bool
    quiet: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Material:
    """What the arguments named: records by name, in full and as the pure rules see them, and rows with gold."""

    records: dict[str, Sequence[Record]]
    histories: dict[str, History]
    rows: tuple[Row, ...]
    metric: str
    """The metric of the rows' format."""
    unusable: tuple[str, ...]


@click.command("stopping", short_help="Calibrate stopping rules and controller settings on hard-cap records.")
@click.argument("data", nargs=-1, metavar="RECORDS|DATA...")
@click.option("--tag", metavar="TAG", help="All kept runs with this tag too. See: redraft trace tag.")
@click.option("--policy", metavar="NAME", help="The default, which stays unless another is shown to be better; default: the one of the records' name.")
@click.option("--metric", metavar="NAME", help="How rows with gold score a text; default: the metric of their format. See redraft eval.")
@click.option("--judged", metavar="FILE", help='Scores given before, JSON lines: {"query", "answer", "score"}, score from 0 to 1.')
@click.option("--judge", metavar="NAME", help="A model that judges each text blindly; its calls are counted first, and made with --yes.")
@click.option("--allow-same-judge", is_flag=True, help="Let a model judge that made the records, and warn of it.")
@click.option("--cluster", metavar="FIELD", help="Field of the rows by which questions belong together, such as domain.")
@click.option("--price", type=FiniteRange(0, 1), default=0.0, metavar="Q", help="Quality that 1,000 tokens are worth; default 0: quality alone.")
@click.option("--seed", type=SEED, default=0, metavar="S", help="Seed of the split and of the resampling.")
@click.option("-o", "--output", default="policy.toml", metavar="FILE", help="Where the recommended policy goes; default policy.toml.")
@click.option("--report", metavar="FILE", help="Write a report too: Markdown, or with .html a page with figures.")
@click.option("--live", is_flag=True, help="Settings of the controller too: says what running a short list of them would cost.")
@click.option("--yes", is_flag=True, help="Make the calls that --live or --judge needs.")
@click.option("--shortlist", type=click.IntRange(1, 20), default=3, metavar="N", help="With --live: settings that are run; default 3.")
@click.option("--strictness", is_flag=True, help="With --live: run other levels of strictness too; their runs are live from the first check on.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output, and nothing else there.")
@click.option("--quiet", is_flag=True, help="No progress.")
def stopping_command(**given: Any) -> None:
    """Replay a grid of stopping rules over hard-cap records, exactly, and write the policy that pays off as a file.

    RECORDS are ids of kept runs, exported files, or folders of them. DATA are rows with gold for their questions, as redraft eval takes them. Half of the
    questions choose a setting, the other half says what it gains; the default stays unless the lower bound of that gain is above 0.
    """
    from redraft.settings import find_policy, load_settings
    from redraft.studies.prefixes import judged_prefixes
    from redraft.studies.qualities import cluster_by
    from redraft.studies.tuning import calibrate_stopping

    request, settings = Request(**given), load_settings()
    material = material_from(request)
    for problem in material.unusable:
        sys.stderr.write(f"redraft: {one_line(problem)}\n")
    if not material.histories:
        raise InputError(f"there is no record to calibrate on; {HARD_CAP_HINT}")
    cluster_of = cluster_by(material.rows, request.cluster) if request.cluster else None
    _check_output(request)
    if request.judge is not None:
        _check_before_judging(request, material, settings)
    score = score_from(request, material, settings)
    if score is None:
        return
    prefixes = judged_prefixes(material.histories.items(), score, cluster_of=cluster_of)
    for reason in prefixes.left_out:
        sys.stderr.write(f"redraft: left out: {one_line(reason)}\n")
    default = find_policy(request.policy or _known(prefixes.histories[0].policy.name, settings), settings)
    stop_grid, found = calibrate_stopping(prefixes, default, seed=request.seed, price=request.price)
    result = _stopping_json(stop_grid, found, prefixes)
    policy, gain, label = stop_grid.policy(found.recommended), found.gain, stop_grid.label(found.recommended)
    if not request.as_json:
        _print_stopping(stop_grid, found, prefixes)
    controllers: list[tuple[str, Gain]] = []
    if request.live:
        from redraft.cli.tuning_live import live_calibration

        live = live_calibration(request, material, prefixes, stop_grid, score, settings)
        result["controller"] = live.plain()
        controllers = [(candidate.label, each) for candidate, each in zip(live.candidates, live.gains, strict=False)]
        if live.best is not None and (not gain.recommended or live.best[1].interval[0] > gain.interval[0]):
            policy, gain, label = live.best[0].policy, live.best[1], live.best[0].label
    if request.report is not None:
        from redraft.studies.report import save_report
        from redraft.studies.tuning_report import calibration_report

        save_report(calibration_report(stop_grid, found, prefixes, live=controllers, made_by=commit()), Path(request.report))
    target = write_recommended(request, policy, base=default.name, label=label, gain=gain, n=len(prefixes), settings=found.settings)
    result |= {"recommended": {"label": label, "default": not gain.recommended, "reason": gain.reason, "saved": str(target)}}
    if request.as_json:
        print_json(result)
    else:
        sys.stdout.write(safe(f"\nrecommended: {label if gain.recommended else 'the default'}\n{gain.reason}\nsaved: {target}\n"))


def _check_output(request: Request) -> None:
    """Whether what comes of it can be kept, before anything is paid.

    Raises:
        InputError: there is a file of another origin, or no folder.
    """
    from redraft.studies.recommending import MARK

    for target in (Path(request.output), *([Path(request.report)] if request.report is not None else [])):
        if not target.absolute().parent.is_dir() or target.is_dir():
            raise InputError(f"cannot write {target}: there is no such folder, or it is one; choose another file")
    target = Path(request.output)
    try:
        if target.exists() and not target.read_bytes().startswith(MARK.encode()):
            raise InputError(f"{target} is there already and was not written by calibrate; choose another file with -o")
    except OSError as error:
        raise InputError(f"cannot read {target}: {error.strerror or error}; choose another file with -o") from None


def _check_before_judging(request: Request, material: Material, settings: Settings) -> None:
    """Whether the records can be compared with the default at all, before a judge is paid for them.

    Raises:
        InputError: they cannot, or there are too few.
    """
    from redraft.settings import find_policy
    from redraft.studies.prefixes import hard_capped
    from redraft.studies.tuning import stop_grid

    usable = [history for history in material.histories.values() if hard_capped(history)]
    if len({history.task.query for history in usable}) < 2:
        raise InputError(f"records of at least two questions are needed, one to choose and one to compare; {len(usable)} hard-cap records are there")
    default = find_policy(request.policy or _known(usable[0].policy.name, settings), settings)
    stop_grid(usable, default, min(len(history.turns) for history in usable))


def material_from(request: Request) -> Material:
    """Records and rows from what the arguments name: a folder, a file of either kind, or the id of a run.

    Raises:
        InputError: a file is neither.
    """
    from redraft.replay import history_of
    from redraft.studies.datasets import FORMATS, OWN, read_dataset
    from redraft.trace import read_jsonl

    rows: list[Row] = []
    records: dict[str, Sequence[Record]] = {}
    histories: dict[str, History] = {}
    unusable: list[str] = []
    forms: list[str] = []
    for name, content in _contents(request):
        if content is not None and _holds_rows(content):
            found, bad, form = read_dataset(Path(name))
            rows += found
            forms.append(form)
            unusable += [f"{name}, line {item.line}: skipped: {item.message}" for item in bad]
            continue
        try:
            events = read_jsonl(content) if content is not None else _kept(name)
            histories[name] = history_of(events)
            records[name] = events
        except InputError as error:
            unusable.append(f"{name}: {error}")
    return Material(records=records, histories=histories, rows=tuple(rows), metric=FORMATS[forms[0] if forms else OWN].metric, unusable=tuple(unusable))


def score_from(request: Request, material: Material, settings: Settings) -> Score | None:
    """What says how good a text is; None where a judge was named and its calls were only counted.

    Raises:
        UsageError: nothing, or more than one thing, was named that could.
    """
    from redraft.studies.metrics import metric_named
    from redraft.studies.qualities import given_scores, gold_scores
    from redraft.studies.rows import Gold

    gold = [row for row in material.rows if row.gold != Gold()]
    ways = {"DATA with gold": bool(gold), "--judged": request.judged is not None, "--judge": request.judge is not None}
    named = [way for way, given in ways.items() if given]
    if request.judged is not None and request.judge is not None:
        raise UsageError("--judged and --judge both say how good an answer is; name one")
    if request.judged is not None:
        return given_scores(Path(request.judged))
    if request.judge is not None:
        from redraft.cli.tuning_judge import judged_now, makers_of
        from redraft.studies.prefixes import hard_capped, retained_texts

        asked = [(history.task, text) for history in material.histories.values() if hard_capped(history) for text in retained_texts(history)]
        return judged_now(request, asked, makers_of(material), settings)
    if not named:
        raise UsageError("what says how good an answer is? Give the rows with gold as well, or scores with --judged FILE, or a judge with --judge NAME")
    return gold_scores(gold, metric_named(request.metric or material.metric))


def _contents(request: Request) -> list[tuple[str, bytes | None]]:
    """Name and content of all that was named; None for the id of a kept run."""
    from redraft.cli.trace import opened_records, read_run

    found: list[tuple[str, bytes | None]] = []
    for name in request.data:
        folder = Path(name)
        files = sorted(str(path) for path in folder.glob("*.jsonl")) if folder.is_dir() else [name]
        if not files:
            raise InputError(f"the folder {name} has no .jsonl file; export runs into it with redraft trace export RUN -o FILE.jsonl")
        found += [(file, read_run(file)) for file in files]
    if request.tag is not None:
        from redraft.records import Filters

        page = opened_records().list(filters=Filters(tag=request.tag), limit=LARGEST_NUMBER)
        found += [(row.id, None) for row in page.rows]
    return found


def _kept(run: str) -> Sequence[Record]:
    from redraft.cli.trace import opened_records

    return opened_records().events(run)


def _holds_rows(content: bytes) -> bool:
    """Whether a file begins with a row of data, not with an event of a record."""
    import json

    from redraft.studies.datasets import format_of

    first = next((line for line in content.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip()), b"")
    try:
        value: Any = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and "header" not in value and format_of(cast("dict[str, Any]", value)) is not None


def _known(name: str, settings: Settings) -> str:
    """The records' policy, where it has a name that can be found."""
    from redraft.policies import POLICIES

    if name in POLICIES or name in settings.policies:
        return name
    raise UsageError(f"the records were made under {name!r}, which only says to go on; name the default that they are compared with: --policy controlled")


def write_recommended(request: Request, policy: Policy, *, base: str, label: str, gain: Gain, n: int, settings: int) -> Path:
    """Write the policy file, and give its path.

    Raises:
        InputError: it cannot be written.
    """
    from redraft.studies.recommending import policy_toml

    target = Path(request.output)
    reasons = [
        f"{f'Recommended: {label}. ' if gain.recommended else ''}{gain.reason[0].upper()}{gain.reason[1:]}.",
        f"n = {n} records, {gain.n} of them held out in {gain.clusters} clusters; {settings} stopping settings compared; seed {request.seed}; "
        f"1,000 tokens are worth {request.price:g} of quality; {commit()}.",
        "It holds for questions like those, this model and these tools; measure again when one of them changes.",
    ]
    summary = f"calibrated on {n} records: {label if gain.recommended else 'the default stays'}"
    text = policy_toml(policy, base=base, name=target.stem, summary=summary, reasons=reasons)
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {target}: {error.strerror or error}; choose another file with -o") from None
    return target


def commit() -> str:
    """The version of this package, with the commit where it runs from a checkout."""
    import subprocess

    import redraft

    root = Path(redraft.__file__).resolve().parents[2]
    if (root / ".git").exists():
        try:
            done = subprocess.run(["git", "-C", str(root), "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False, timeout=10)
        except (OSError, subprocess.SubprocessError):
            return f"redraft {redraft.__version__}"
        if done.returncode == 0:
            return f"redraft {redraft.__version__}, commit {done.stdout.strip()}"
    return f"redraft {redraft.__version__}"


def _stopping_json(grid: StopGrid, found: Calibration, prefixes: Prefixes) -> dict[str, Any]:
    from redraft.events import plain

    return {
        "n": len(prefixes),
        "left_out": list(prefixes.left_out),
        "settings": found.settings,
        "distinct": found.distinct,
        "seed": found.seed,
        "price": found.price,
        "chosen": grid.label(found.chosen),
        "gain": plain(found.gain),
        "front": [plain(point) for point in found.front],
        "made_by": commit(),
    }


def _print_stopping(grid: StopGrid, found: Calibration, prefixes: Prefixes) -> None:
    lines = [
        f"{found.settings:,} stopping settings over {len(prefixes)} records of {prefixes.cap} turns; {found.distinct:,} of them differ on these records",
        f"chosen on the other half: {grid.label(found.chosen)}",
        "",
        f"held out (n = {found.gain.n})          quality (95 %)              tokens (95 %)                  made worse",
    ]
    for point in found.front:
        low, high = point.quality_interval
        least, most = point.tokens_interval
        lines.append(
            f"  {point.quality:.3f} ({low:.3f} to {high:.3f})  {point.tokens:>8,.0f} ({least:,.0f} to {most:,.0f})  "
            f"{point.regressions} of {point.n}  {point.label}"
        )
    sys.stdout.write(safe("\n".join(lines)) + "\n")
