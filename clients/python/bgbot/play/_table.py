"""A person and a bot at a table: whose turn it is, what may be done, and what has happened.

Nothing of the rules is known here; every question goes to the daemon.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from bgbot import v1
from bgbot._errors import BgbotError
from bgbot._sealed_dice import SealedRoll, commitment, derive_roll

if TYPE_CHECKING:
    from bgbot._client import AsyncClient

PERSON, BOT = "you", "the bot"
_NO_ENGINE = "ENGINE_UNAVAILABLE"
"""Where the daemon's engine cannot run the bot never doubles, takes every cube, accepts every resignation, and nothing
is judged."""
_OWNERS = {
    v1.CUBE_OWNER_PLAYER: v1.CUBE_OWNER_OPPONENT,
    v1.CUBE_OWNER_OPPONENT: v1.CUBE_OWNER_PLAYER,
}
_KINDS = {v1.RESULT_KIND_SINGLE: "a game", v1.RESULT_KIND_GAMMON: "a gammon", v1.RESULT_KIND_BACKGAMMON: "a backgammon"}
_RESTRICTIONS = {
    v1.RESTRICTION_BOTH_DICE_FORCED: "Both dice must be played.",
    v1.RESTRICTION_LARGER_DIE_FORCED: "Use the {larger}!",
    v1.RESTRICTION_PARTIAL: "Not all dice can be played.",
    v1.RESTRICTION_DANCE: "No moves: nothing enters.",
    v1.RESTRICTION_BLOCKED: "No moves.",
}


class Standing(NamedTuple):
    """Where the match stands, seen by the side whose turn it is."""

    turn: str
    """`PERSON` or `BOT`."""
    position: v1.Position
    match: v1.MatchState
    decision: v1.Decision.ValueType
    dice: v1.Dice | None = None

    @property
    def source(self) -> v1.PositionSource:
        """The position as requests want it."""
        return v1.PositionSource(position=self.position)


class Loss(NamedTuple):
    """What a play of the person's has lost against the best one."""

    played: str
    best: str
    equity: float
    """Points per unit of the cube, normalised in a match; from 0."""


@dataclass
class Table:
    """One match. What the person may not do now is refused by the daemon, as a `BgbotError`."""

    client: AsyncClient
    level: v1.Level.ValueType
    match: v1.MatchState
    seed: bytes
    standing: Standing = field(init=False)
    choices: v1.ListLegalStepsResponse | None = field(default=None, init=False)
    """What the person may do with a checker now; none when it is not at a play."""
    played: list[v1.Step] = field(default_factory=list, init=False)
    """The steps of the person's turn so far."""
    log: list[str] = field(default_factory=list, init=False)
    """What has happened, a line each."""
    losses: list[Loss] = field(default_factory=list, init=False)
    rolls: list[tuple[SealedRoll, bool]] = field(default_factory=list, init=False)
    """Every roll, and whether it opened a game."""

    async def begin(self) -> None:
        """Publish what the dice are sealed with, and throw for the first game."""
        self.log.append(f"Dice sealed with {commitment(self.seed).hex()}")
        await self._start_game(self.match)

    def seen_by_person(self) -> tuple[v1.Position, v1.MatchState]:
        """Give position and match as the person sees them, whoever's turn it is."""
        position, match = self.standing.position, self.standing.match
        if self.choices:
            position = self.choices.current
        if self.standing.turn == BOT:
            position = v1.Position(player=position.opponent, opponent=position.player)
            match = _mirrored(match)
        return position, match

    def farewell(self) -> list[str]:
        """Say what outlives the board on the terminal: the score, and what the dice can be checked with."""
        _, match = self.seen_by_person()
        return [
            f"You {match.player_score}, the bot {match.opponent_score}.",
            f"{len(self.rolls)} rolls of the seed {self.seed.hex()},",
            f"sealed with {commitment(self.seed).hex()}.",
        ]

    @property
    def is_over(self) -> bool:
        """Whether the match is won."""
        return self.standing.decision == v1.DECISION_MATCH_OVER

    async def go_on(self) -> None:
        """Do what asks nobody: a new game's opening, the bot's next action, and a turn without a move."""
        standing = self.standing
        if standing.decision == v1.DECISION_OPENING_ROLL:
            _, match = self.seen_by_person()
            await self._start_game(match)
        elif standing.turn == BOT and standing.decision == v1.DECISION_PLAY:
            await self._play_bots()
        elif standing.turn == BOT:
            await self._act(await self._bots_action())
        elif standing.decision == v1.DECISION_PLAY and self.choices is None:
            await self._open_turn()

    async def act(self, action: v1.CubeAction.ValueType) -> None:
        """Roll, double, take, pass or beaver, as the person decides."""
        await self._act(action)

    async def step(self, source: int, target: int) -> None:
        """Move one of the person's checkers by one step that is offered.

        Raises:
            LookupError: if it is not.

        """
        steps = self.choices.steps if self.choices else []
        found = [step for step in steps if (getattr(step, "from"), step.to) == (source, target)]
        if not found:
            raise LookupError(f"no step from {source} to {target}")
        await self._ask_for_steps([*self.played, found[0]])

    async def undo(self) -> None:
        """Take back the last step of this turn."""
        if self.played:
            await self._ask_for_steps(self.played[:-1])

    async def finish_turn(self, notation: str | None = None) -> None:
        """End the person's turn with the steps played, or with a play in notation."""
        play = v1.Play(steps=self.played)
        asked = {"notation": notation} if notation is not None else {"play": play}
        standing = self.standing
        answer = await self.client.rules.ApplyPlay(
            v1.ApplyPlayRequest(position=standing.source, dice=standing.dice, match=standing.match, **asked)
        )
        await self._judge(answer.play)
        self.log.append(f"You play {answer.play.notation}")
        self.played, self.choices = [], None
        self._follow(answer)

    async def hints(self) -> v1.RankPlaysResponse:
        """Rank the person's plays by a quick look; equities are the person's, per unit of the cube."""
        return await self._ranked(max_plays=5)

    async def resign(self, kind: v1.ResultKind.ValueType) -> bool:
        """Offer the bot a game, gammon or backgammon; say whether it accepts."""
        position, match = self.seen_by_person()
        if not await self._bot_accepts(position, match, kind):
            self.log.append(f"The bot does not accept {_KINDS[kind]}")
            return False
        scored = await self.client.rules.ScoreGame(
            v1.ScoreGameRequest(match=match, winner=v1.GAME_SIDE_OPPONENT, kind=kind)
        )
        self.log.append(f"You resign {_KINDS[kind]}: {scored.points} to the bot")
        self.played, self.choices = [], None
        decision = v1.DECISION_MATCH_OVER if scored.match_over else v1.DECISION_OPENING_ROLL
        self.standing = Standing(PERSON, position, scored.next_match, decision)
        self._reveal_at_the_end()
        return True

    async def _bot_accepts(self, position: v1.Position, match: v1.MatchState, kind: v1.ResultKind.ValueType) -> bool:
        try:
            answer = await self.client.bots.ChooseResignation(
                v1.ChooseResignationRequest(
                    position=v1.PositionSource(
                        position=v1.Position(player=position.opponent, opponent=position.player)
                    ),
                    match=_mirrored(match),
                    level=self.level,
                    decision=v1.RESIGNATION_DECISION_ACCEPT_OR_REFUSE,
                    offered=kind,
                )
            )
        except BgbotError as error:
            if error.reason != _NO_ENGINE:
                raise
            return True
        return answer.action == v1.RESIGNATION_ACTION_ACCEPT

    async def _start_game(self, match: v1.MatchState) -> None:
        roll = derive_roll(self.seed, len(self.rolls), opening=True)
        answer = await self.client.rules.StartGame(
            v1.StartGameRequest(match=match, dice=v1.Dice(die1=roll.dice[0], die2=roll.dice[1]))
        )
        # Only a roll that began a game counts: whoever tries again after a failure sees the same dice.
        self.rolls.append((roll, True))
        turn = PERSON if answer.beginner == v1.GAME_SIDE_PLAYER else BOT
        self.log.append(f"{turn.capitalize()} begin{'s' if turn == BOT else ''} with {_roll(answer.dice)}")
        self.standing = Standing(turn, answer.position, answer.match, answer.next_decision, answer.dice)

    async def _open_turn(self) -> None:
        if self.standing.dice is None:
            self.log.append(f"You roll {_roll(self._roll_now())}")
        await self._ask_for_steps([])
        if self.choices and (said := _RESTRICTIONS.get(self.choices.restriction)):
            self.log.append(said.format(larger=max(self.choices.dice.die1, self.choices.dice.die2)))

    async def _ask_for_steps(self, played: list[v1.Step]) -> None:
        """Take over the steps of a turn, once the daemon has said what may follow."""
        standing = self.standing
        self.choices = await self.client.rules.ListLegalSteps(
            v1.ListLegalStepsRequest(position=standing.source, dice=standing.dice, played=played)
        )
        self.played = played

    async def _play_bots(self) -> None:
        standing = self.standing
        dice = standing.dice or self._roll_now()
        choice = await self.client.bots.ChoosePlay(
            v1.ChoosePlayRequest(position=standing.source, dice=dice, match=standing.match, level=self.level)
        )
        answer = await self.client.rules.ApplyPlay(
            v1.ApplyPlayRequest(position=standing.source, dice=dice, match=standing.match, play=choice.play)
        )
        self.log.append(f"The bot rolls {_roll(dice)} and plays {answer.play.notation}")
        self._follow(answer)

    async def _bots_action(self) -> v1.CubeAction.ValueType:
        standing = self.standing
        allowed = await self.client.rules.ListCubeActions(
            v1.ListCubeActionsRequest(position=standing.source, match=standing.match, decision=standing.decision)
        )
        actions = [status.action for status in allowed.actions if status.allowed]
        if len(actions) == 1:
            return actions[0]
        try:
            choice = await self.client.bots.ChooseCubeAction(
                v1.ChooseCubeActionRequest(
                    position=standing.source, match=standing.match, level=self.level, decision=standing.decision
                )
            )
        except BgbotError as error:
            if error.reason != _NO_ENGINE:
                raise
            return v1.CUBE_ACTION_ROLL if v1.CUBE_ACTION_ROLL in actions else v1.CUBE_ACTION_TAKE
        return choice.action

    async def _act(self, action: v1.CubeAction.ValueType) -> None:
        standing = self.standing
        answer = await self.client.rules.ApplyCubeAction(
            v1.ApplyCubeActionRequest(
                position=standing.source, match=standing.match, decision=standing.decision, action=action
            )
        )
        if action != v1.CUBE_ACTION_ROLL:
            word = v1.CubeAction.Name(action).removeprefix("CUBE_ACTION_").lower()
            ending = ("es" if word == "pass" else "s") if standing.turn == BOT else ""
            self.log.append(f"{standing.turn.capitalize()} {word}{ending}")
        self._follow(answer)

    async def _judge(self, play: v1.Play) -> None:
        """Note what the person's play has lost, for the end of the match."""
        try:
            ranked = await self._ranked(max_plays=1, include_play=play.notation)
        except BgbotError as error:
            if error.reason != _NO_ENGINE:
                raise
            return
        self.losses.append(Loss(play.notation, ranked.plays[0].play.notation, ranked.plays[-1].loss))

    async def _ranked(self, max_plays: int, include_play: str = "") -> v1.RankPlaysResponse:
        standing = self.standing
        return await self.client.evaluation.RankPlays(
            v1.RankPlaysRequest(
                position=standing.source,
                dice=standing.dice,
                match=standing.match,
                depth=v1.DEPTH_STATIC,
                max_plays=max_plays,
                include_play=include_play,
            )
        )

    def _follow(self, answer: v1.ApplyPlayResponse | v1.ApplyCubeActionResponse) -> None:
        """Take over what follows; where nobody decides it stays in the view of the side that has acted."""
        turn, outcome = self.standing.turn, answer.outcome
        if outcome.game_over:
            won = turn if outcome.winner == v1.GAME_SIDE_PLAYER else _other(turn)
            how = "by a pass" if outcome.passed else _KINDS[outcome.kind]
            self.log.append(f"{won.capitalize()} win{'s' if won == BOT else ''} {how}, {outcome.points} points")
        elif answer.next_side == v1.GAME_SIDE_OPPONENT:
            turn = _other(turn)
        self.standing = Standing(turn, answer.next, answer.next_match, answer.next_decision)
        self._reveal_at_the_end()

    def _reveal_at_the_end(self) -> None:
        if self.is_over:
            self.log.append(f"The seed of the dice was {self.seed.hex()}")

    def _roll_now(self) -> v1.Dice:
        """Throw the dice of this turn; they lie there whatever fails afterwards."""
        roll = derive_roll(self.seed, len(self.rolls), opening=False)
        self.rolls.append((roll, False))
        dice = v1.Dice(die1=roll.dice[0], die2=roll.dice[1])
        self.standing = self.standing._replace(dice=dice)
        return dice


def _other(turn: str) -> str:
    return BOT if turn == PERSON else PERSON


def _mirrored(match: v1.MatchState) -> v1.MatchState:
    """Give a match state as the other side sees it."""
    mirrored = v1.MatchState()
    mirrored.CopyFrom(match)
    mirrored.player_score, mirrored.opponent_score = match.opponent_score, match.player_score
    mirrored.cube.owner = _OWNERS.get(match.cube.owner, match.cube.owner)
    return mirrored


def _roll(dice: v1.Dice) -> str:
    return f"{dice.die1}-{dice.die2}"
