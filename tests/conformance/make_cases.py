"""Writes the conformance cases that come from other programs and from the oracle.

`python -m tests.conformance.make_cases` writes them into the package.

The other areas (refusals, cube, match, bulk, dice, repeated) are written by hand, from the rules.
"""

from __future__ import annotations

import json
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Any

from bgbotd.conformance.cases import FOLDER
from tests import oracle
from tests.oracle import OPENING, Position
from tests.oracle.races import Races
from tests.oracle.thrown import throw_dice, throw_position
from tests.reference_cases import Case, read_cases, read_position

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.oracle import Play, Side

RESTRICTIONS = {
    oracle.FREE: "RESTRICTION_FREE",
    oracle.BOTH_DICE_FORCED: "RESTRICTION_BOTH_DICE_FORCED",
    oracle.LARGER_DIE_FORCED: "RESTRICTION_LARGER_DIE_FORCED",
    oracle.PARTIAL: "RESTRICTION_PARTIAL",
    oracle.DANCE: "RESTRICTION_DANCE",
    oracle.BLOCKED: "RESTRICTION_BLOCKED",
}
OWNERS = {"centre": "CUBE_OWNER_CENTERED", "player": "CUBE_OWNER_PLAYER", "opponent": "CUBE_OWNER_OPPONENT"}
UNITS = 36
"""The oracle's values are whole thirty-sixths of Medium's points."""
_DEFAULT_LIMIT = 4096
"""Of the cube, in the contract."""
_APART = 0.001
"""Chances of winning that differ by less say nothing about an order."""


def side(counts: Side) -> Case:
    """Write a side."""
    return {"points": list(counts[1:25]), "bar": counts[25], "off": counts[0]}


def written(position: Position) -> Case:
    """Write a position."""
    return {"player": side(position.player), "opponent": side(position.opponent)}


def source(position: Position) -> Case:
    """Write a position as a request holds it."""
    return {"position": written(position)}


def roll(die1: int, die2: int) -> Case:
    """Write dice."""
    return {"die1": die1, "die2": die2}


def steps(start: Position, play: Play) -> Iterator[Case]:
    """Write the steps of a play."""
    for number, step in enumerate(play.steps):
        before = start
        start = oracle.apply_step(before, *step)
        source_, die = play.steps[number]
        hit = start.opponent[oracle.BAR] > before.opponent[oracle.BAR]
        yield {"from": source_, "to": max(source_ - die, 0), "die": die, "hit": hit}


def asked(area: str, call: str, name: str, request: Case, because: str, **expected: Any) -> Case:  # noqa: ANN401 - any JSON
    """Write one case."""
    return {"name": f"{area} {name}", "call": f"bgbot.v1.{call}", "because": because, "request": request, **expected}


def rolls_to_try() -> Iterator[tuple[Position, int, int, str, list[str]]]:
    """Give the tricky positions, some of the reference and some thrown, so that every restriction occurs.

    Where there is one play only, and somebody has written it down by hand, it comes last.
    """
    for case in read_cases("tricky_plays.jsonl"):
        because = "a position behind a bug report on some program"
        only = [notation for notation in case["plays"] if case["distinct_results"] == 1 and is_usual(notation)]
        yield read_position(case["position"]), *case["dice"], because, only
    for case in read_cases("legal_plays.jsonl.gz")[::20]:
        yield read_position(case["position"]), *case["dice"], "the rules, checked by three generators", []
    random = Random(1)
    for _ in range(120):
        position = throw_position(random)
        if not position.is_over():
            yield position, *throw_dice(random), "the rules, section 2 and 3", []


def is_usual(notation: str) -> bool:
    """Tell whether a play written step by step is written as the contract writes it: nothing to join or to count."""
    ways = [step.rstrip("*").split("/") for step in notation.split()]
    sources, targets = {way[0] for way in ways}, {way[-1] for way in ways}
    return all(len(way) > 1 for way in ways) and len(sources) == len(ways) and not sources & targets


def legal_plays() -> Iterator[Case]:
    """Ask for every play, in canonical order, with its steps."""
    for number, (position, die1, die2, because, only) in enumerate(rolls_to_try(), start=1):
        turn = oracle.legal_plays(position, die1, die2)
        plays = [{"steps": [*steps(position, play)], "result": written(play.result)} for play in turn.plays]
        for play, notation in zip(plays, only, strict=False):
            play["notation"] = notation
        yield asked(
            "legal plays",
            "RulesService/ListLegalPlays",
            str(number),
            {"position": source(position), "dice": roll(die1, die2)},
            because,
            answer={
                "plays": plays,
                "dicePlayed": turn.dice_played,
                "restriction": RESTRICTIONS[turn.restriction],
            },
        )


def legal_steps() -> Iterator[Case]:
    """Ask what a checker may do first, and after one step of a play."""
    random = Random(2)
    for number in range(1, 61):
        position = throw_position(random)
        die1, die2 = throw_dice(random)
        if position.is_over():
            continue
        dice = (die1,) * 4 if die1 == die2 else (die1, die2)
        first = oracle.legal_steps(position, dice)
        request = {"position": source(position), "dice": roll(die1, die2)}
        yield from _steps_case(f"{number}, to begin with", request, position, dice, [])
        if first:
            yield from _steps_case(f"{number}, after one", request, position, dice, [random.choice(first)])


def _steps_case(
    name: str, request: Case, start: Position, dice: tuple[int, ...], played: list[oracle.Step]
) -> Iterator[Case]:
    current, left = start, list(dice)
    for step in played:
        left.remove(step.die)
        current = oracle.apply_step(current, *step)
    turn = oracle.legal_plays(start, dice[0], dice[1])
    over = current.is_over() or len(played) == turn.dice_played
    offered = [] if over else _offered(current, tuple(left), {play.result for play in turn.plays})
    played_steps = [*steps(start, oracle.Play(current, tuple(played)))]
    offered_steps = [
        {
            "from": step.source,
            "to": max(step.source - step.die, 0),
            "die": step.die,
            "hit": oracle.apply_step(current, *step).opponent != current.opponent,
        }
        for step in offered
    ]
    yield asked(
        "steps",
        "RulesService/ListLegalSteps",
        name,
        {**request, "played": played_steps},
        "the rules, section 2: only steps that keep the duty to use the most dice",
        answer={
            "steps": offered_steps,
            "current": written(current),
            "remainingDice": {"$inAnyOrder": left if offered else []},
            "turnComplete": not offered,
        },
    )


def _offered(current: Position, left: tuple[int, ...], results: set[Position]) -> list[oracle.Step]:
    """Give the steps that begin a legal play, and a single one that ends the game as a legal play does."""
    ends = {
        step
        for die in left
        for step in oracle.open_steps(current, die)
        if (after := oracle.apply_step(current, *step)).is_over() and after in results
    }
    return sorted(ends | set(oracle.legal_steps(current, left)), reverse=True)


def levels() -> Iterator[Case]:
    """Ask what Medium and Hard choose, with their values, and what Easy may choose."""
    random = Random(3)
    positions = [(OPENING, 3, 1), (OPENING, 6, 6), (OPENING, 6, 5)]
    while len(positions) < 60:
        position = throw_position(random)
        if not position.is_over():
            positions.append((position, *throw_dice(random)))
    for number, (position, die1, die2) in enumerate(positions, start=1):
        request = {"position": source(position), "dice": roll(die1, die2)}
        ranked = {"MEDIUM": oracle.rank_medium(position, die1, die2)}
        if number <= 30:  # the oracle takes up to a second for each
            ranked["HARD"] = oracle.rank_hard(position, die1, die2)
        for level, plays in ranked.items():
            yield _choice(level, number, request, position, plays)
        dice = (die1,) * 4 if die1 == die2 else (die1, die2)
        results = [{"result": written(result)} for result in oracle.easy_chances(position, dice)]
        yield asked(
            "levels",
            "BotService/ChoosePlay",
            f"EASY {number}",
            {**request, "level": "LEVEL_EASY", "seed": str(number)},
            "the rules, section 5: each single step of a legal play is as likely",
            answer={"play": {"$oneOf": results}, "stamp": {"seed": str(number)}},
            times=3,
        )


def _choice(level: str, number: int, request: Case, position: Position, ranked: Any) -> Case:  # noqa: ANN401 - Ranked
    scale = UNITS if level == "MEDIUM" else UNITS * UNITS
    candidates = [
        {
            "play": {"steps": [*steps(position, one.play)], "result": written(one.play.result)},
            "value": {"$near": [one.value / scale, 1e-9]},
        }
        for one in ranked[:6]
    ]
    return asked(
        "levels",
        "BotService/ChoosePlay",
        f"{level} {number}",
        {**request, "level": f"LEVEL_{level}", "candidates": 6},
        "the rules, section 5",
        answer={
            "play": candidates[0]["play"],
            "candidates": candidates,
            "valueUnit": "VALUE_UNIT_MEDIUM_POINTS",
        },
    )


def notations() -> Iterator[Case]:
    """Ask for IDs, read and written."""
    for number, case in enumerate(read_cases("position_ids.jsonl")[::3], start=1):
        ids = {"gnubgPositionId": case["gnubg_position_id"], "gnubgMatchId": case["gnubg_match_id"]}
        state = {
            "length": case["match_length"],
            "playerScore": case["player_score"],
            "opponentScore": case["opponent_score"],
            "jacoby": case["jacoby"],
            "cube": {"value": case["cube_value"], "owner": OWNERS[case["cube_owner"]]},
        }
        because = "GNU Backgammon reading the XGID"
        position = written(read_position(case["position"]))
        read = {"position": position, "match": {**state, "beavers": case["beavers"]}, **ids}
        for form, text in (
            ("xgid", case["xgid"]),
            ("gnubg_id", f"{case['gnubg_position_id']}:{case['gnubg_match_id']}"),
        ):
            answer = {**read, **_as_it_came(text)} if form == "xgid" else {**read, "match": state}
            if form == "xgid":
                answer["match"]["cubeLimit"] = 2 ** int(text.rpartition(":")[2])
            answer["lost"] = {"$inAnyOrder": [*_lost(answer["match"], rolled=case["dice"] is not None)]}
            request = {"position": {form: text}}
            yield asked(
                "notations", "RulesService/ConvertPosition", f"{form} {number}", request, because, answer=answer
            )


def _as_it_came(xgid: str) -> Case:
    """Give the dice of an XGID, and the XGID again where it is seen by the side that decides, as answers are."""
    _, _, _, turn, dice, *_ = xgid.split(":")
    rolled = None if dice == "00" else roll(int(dice[0]), int(dice[1]))
    return {"dice": rolled, **({"xgid": xgid} if turn == "1" else {})}


def _lost(match: Case, *, rolled: bool) -> Iterator[Case]:
    """Say what IDs cannot carry: a Position ID has checkers only, a Match ID no beavers and no limit of the cube."""
    length, scores = match["length"], (match["playerScore"], match["opponentScore"])
    limited = match.get("cubeLimit", _DEFAULT_LIMIT) != _DEFAULT_LIMIT
    said = {
        "dice": rolled,
        "match.length": length,
        "match.player_score": scores[0],
        "match.opponent_score": scores[1],
        "match.crawford": length and length - 1 in scores,
        "match.jacoby": match["jacoby"],
        "match.beavers": match.get("beavers"),
        "match.cube.value": match["cube"]["value"] > 1,
        "match.cube.owner": match["cube"]["owner"] != "CUBE_OWNER_CENTERED",
        "match.cube_limit": limited,
    }
    yield from ({"notation": "NOTATION_GNUBG_POSITION_ID", "field": name} for name, there in said.items() if there)
    for name in ("match.beavers", "match.cube_limit"):
        if said[name]:
            yield {"notation": "NOTATION_GNUBG_MATCH_ID", "field": name}


def rankings() -> Iterator[Case]:
    """Ask for the plays of the end of a race at double match point, where each has one right place, and of others."""
    random, races = Random(4), Races()
    for number in range(1, 31):
        ranked: list[tuple[float, Play]] = []
        while len(ranked) < 2 or any(best - next_ < _APART for (best, _), (next_, _) in pairwise(ranked)):
            position, (die1, die2) = Position(races.throw(random), races.throw(random)), throw_dice(random)
            ranked = races.ranked(position, die1, die2)
        answer = [_ranked(rank, position, play, win, ranked[0][0]) for rank, (win, play) in enumerate(ranked, start=1)]
        request = {
            "position": source(position),
            "dice": roll(die1, die2),
            "match": {"length": 1, "crawford": "CRAWFORD_STATE_CRAWFORD_GAME"},
            "depth": "DEPTH_STATIC",
        }
        yield _ranking(f"of a race, {number}", request, answer)
        if notation := answer[-1]["play"].get("notation"):
            own = [{**answer[0], "included": False}, {**answer[-1], "included": True}]
            yield _ranking(f"with one's own play, {number}", {**request, "maxPlays": 1, "includePlay": notation}, own)
    for number in range(1, 11):
        position, (die1, die2) = throw_position(random), throw_dice(random)
        if not position.is_over():
            request = {"position": source(position), "dice": roll(die1, die2), "depth": "DEPTH_STATIC"}
            plays = oracle.legal_plays(position, die1, die2).plays
            every = [{"play": {"steps": [*steps(position, play)], "result": written(play.result)}} for play in plays]
            yield _ranking(f"of every play, {number}", request, {"$inAnyOrder": every})


def _ranking(name: str, request: Case, plays: Any) -> Case:  # noqa: ANN401 - any JSON
    call, because = "EvaluationService/RankPlays", "the rules; every roll to the end of the race, counted"
    return asked("rankings", call, name, request, because, answer={"plays": plays}, needs="engine")


def _ranked(rank: int, position: Position, play: Play, win: float, best: float) -> Case:
    """Write a play of a race at double match point, where equity is that of winning alone."""
    moved = [*steps(position, play)]
    notation = " ".join(f"{step['from']}/{step['to'] or 'off'}" for step in moved)
    return {
        "rank": rank,
        "play": {
            "steps": moved,
            "result": written(play.result),
            **({"notation": notation} if is_usual(notation) else {}),
        },
        "probabilities": {"win": {"$near": [round(win, 6), 1e-5]}},
        "equity": {"$near": [round(2 * win - 1, 6), 1e-4]},
        "loss": {"$near": [round(2 * (best - win), 6), 1e-4]},
    }


def evaluations() -> Iterator[Case]:
    """Ask for exact bear-offs, and for chances near those of another engine."""
    for number, case in enumerate(read_cases("bearoff_exact.jsonl")[::3], start=1):
        for owner in ("owned", "centred", "opponent"):
            yield _bearoff(number, case, owner)
    for number, case in enumerate(read_cases("gnubg_2ply.jsonl")[::5], start=1):
        names = {
            "win": "win",
            "winGammon": "win_gammon",
            "winBackgammon": "win_backgammon",
            "loseGammon": "lose_gammon",
            "loseBackgammon": "lose_backgammon",
        }
        chances = {ours: {"$near": [case[theirs], 0.08]} for ours, theirs in names.items()}
        yield asked(
            "evaluations",
            "EvaluationService/Evaluate",
            f"of a 2-ply engine, {number}",
            {"position": source(read_position(case["position"])), "depth": "DEPTH_PLY3"},
            "GNU Backgammon, 2-ply; engines differ, so this is wide",
            answer={"probabilities": chances, "cubelessEquity": {"$near": [case["cubeless_equity"], 0.2]}},
            needs="engine",
        )


def _bearoff(number: int, case: Case, owner: str) -> Case:
    cubes = {
        "owned": {"value": 2, "owner": "CUBE_OWNER_PLAYER"},
        "centred": {"value": 1, "owner": "CUBE_OWNER_CENTERED"},
        "opponent": {"value": 2, "owner": "CUBE_OWNER_OPPONENT"},
    }
    return asked(
        "evaluations",
        "EvaluationService/Evaluate",
        f"bear-off {number}, cube {owner}",
        {
            "position": source(read_position(case["position"])),
            "match": {"cube": cubes[owner]},
            "depth": "DEPTH_STATIC",
        },
        "GNU Backgammon's exact two-sided database",
        answer={
            "phase": "PHASE_BEAROFF",
            "cubelessEquity": {"$near": [case["cubeless_equity"], 0.0002]},
            "cubefulEquity": {"$near": [case[f"equity_cube_{owner}"], 0.0002]},
        },
        needs="engine",
    )


AREAS = {
    "rankings": rankings,
    "legal_plays": legal_plays,
    "legal_steps": legal_steps,
    "levels": levels,
    "notations": notations,
    "evaluations": evaluations,
}


def lines(cases: Iterable[Case]) -> str:
    """Write one case a line."""
    return "".join(f"{json.dumps(case, separators=(',', ':'))}\n" for case in cases)


if __name__ == "__main__":
    for area, make in AREAS.items():
        (FOLDER / f"{area}.jsonl").write_text(lines(make()), encoding="utf-8")
