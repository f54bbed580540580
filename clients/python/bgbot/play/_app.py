"""The terminal program: keys, clicks and what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual import work
from textual.app import App
from textual.binding import Binding
from textual.widgets import Footer, Input, RichLog, Static

from bgbot import v1
from bgbot._errors import BgbotError
from bgbot.play._board_view import BoardView
from bgbot.play._table import BOT, Table

if TYPE_CHECKING:
    from collections.abc import Awaitable, Coroutine

    from textual.app import ComposeResult
    from textual.binding import BindingType

_MOVABLE, _CHOSEN, _LANDING = "reverse", "black on yellow", "black on green"
_ACTIONS = {
    "roll": v1.CUBE_ACTION_ROLL,
    "double": v1.CUBE_ACTION_DOUBLE,
    "take": v1.CUBE_ACTION_TAKE,
    "pass": v1.CUBE_ACTION_PASS,
    "beaver": v1.CUBE_ACTION_BEAVER,
}
_KEYS = {"roll": "r", "double": "d", "take": "t", "pass": "p", "beaver": "b"}
_QUESTIONS = {
    v1.DECISION_DOUBLE_OR_ROLL: "Roll or double?",
    v1.DECISION_TAKE_OR_PASS: "The bot doubles. Take or pass?",
    v1.DECISION_BEAVER_RESPONSE: "The bot beavers. Take or pass?",
    v1.DECISION_MATCH_OVER: "The match is over. Press q to leave.",
}


_OFFERED = {
    v1.DECISION_DOUBLE_OR_ROLL: ("roll", "double"),
    v1.DECISION_TAKE_OR_PASS: ("take", "pass", "beaver"),
    v1.DECISION_BEAVER_RESPONSE: ("take", "pass"),
}
"""The keys of each decision; whether a double or a beaver is allowed, the daemon says."""


class PlayApp(App[None]):
    """A match against a level."""

    TITLE = "Backgammon"
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = None  # else the field for typing, hidden, would take the keys
    CSS = """
    Screen { overflow-x: hidden; }
    BoardView { width: 60; height: 14; }
    #prompt { height: auto; max-height: 2; text-style: bold; }
    RichLog { min-height: 3; }
    Input { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(key, f"cube('{name}')", name.capitalize()) for name, key in _KEYS.items()),
        Binding("left", "choose(-1)", "Checker", key_display="←→", show=False),
        Binding("right", "choose(1)", show=False),
        Binding("up,down", "land", show=False),
        Binding("enter", "go", "Go"),
        Binding("u", "undo", "Undo"),
        Binding("slash", "type", "Type", key_display="/"),
        Binding("escape", "leave", show=False),
        Binding("h", "hint", "Hint"),
        Binding("x", "resign", "Resign"),
        Binding("q", "quit", "Quit"),
    ]

    def __init__(self, table: Table) -> None:
        """Play at a table that has begun."""
        super().__init__()
        self.table = table
        self._source: int | None = None
        self._target: int | None = None
        self._picked = False
        """Whether the person has chosen the source, or it is only the first there is."""
        self._logged = 0
        self._pips = (0, 0)
        self._working = False
        self._behind = False
        """Whether something has failed between what is shown and where the table stands."""
        self._asked_to_resign = False

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only the keys that mean something now."""
        standing, choices = self.table.standing, self.table.choices
        if action == "cube":
            return parameters[0] in _OFFERED.get(standing.decision, ()) and standing.turn != BOT
        if action in {"undo", "type", "hint"}:
            return choices is not None
        return True

    def compose(self) -> ComposeResult:
        """Lay out the board above a line that asks, and what has happened below."""
        yield BoardView(id="board")
        yield Static(id="prompt")
        yield Input(placeholder="8/5 6/5", id="notation")
        yield RichLog(id="log", wrap=True)
        yield Footer()

    def on_mount(self) -> None:
        """Show the opening roll, and play on from there."""
        self.query_one(RichLog).can_focus = False
        self._do(_nothing())

    def _do(self, action: Coroutine[Any, Any, object]) -> None:
        """Do something unless something is being done: a key pressed too early would mean another state."""
        if self._working:
            action.close()
            return
        self._working = True
        self._work(action)

    @work
    async def _work(self, action: Awaitable[object]) -> None:
        """Do something, then all that asks nobody, and show each state; a refusal is said."""
        try:
            await action
            self._behind = True
            await self._show()
            while not self._waits():
                await self.table.go_on()
                await self._show()
            self._behind = False
        except BgbotError as error:
            self._say(f"{_in_words(error)}{' Enter tries again.' if self._behind else ''}")
        except LookupError as error:
            self._say(f"{error}.")
        finally:
            self._working = False

    def _waits(self) -> bool:
        """Say whether the person has to decide."""
        standing = self.table.standing
        if self.table.is_over:
            return True
        if standing.decision == v1.DECISION_OPENING_ROLL or standing.turn == BOT:
            return False
        return standing.decision != v1.DECISION_PLAY or self.table.choices is not None

    async def _show(self) -> None:
        """Show where the table stands now."""
        table = self.table
        position, _ = table.seen_by_person()
        pips = await table.client.evaluation.CountPips(
            v1.CountPipsRequest(position=v1.PositionSource(position=position))
        )
        self._pips = pips.player_pips, pips.opponent_pips
        self._picked = False
        self._draw()
        for line in table.log[self._logged :]:
            self.query_one(RichLog).write(line)
        self._logged = len(table.log)
        self.refresh_bindings()
        if table.is_over and table.losses:
            self.query_one(RichLog).write(_analysis(table))

    def _draw(self) -> None:
        """Draw the board with what is chosen, and ask."""
        table, sources = self.table, self._sources()
        if self._source not in sources:
            self._source, self._target = (sources[0] if sources else None), None
        if self._target not in self._targets():
            self._target = next(iter(self._targets()), None)
        dice = table.standing.dice if table.choices else None
        self.query_one(BoardView).show(*table.seen_by_person(), dice, self._pips, self._marked())
        self._say(self._question())

    def _marked(self) -> dict[int, str]:
        marked = dict.fromkeys(self._sources(), _MOVABLE)
        marked |= dict.fromkeys(self._targets(), "underline green")
        if self._source is not None:
            marked[self._source] = _CHOSEN
        if self._target is not None:
            marked[self._target] = _LANDING
        return marked

    def _sources(self) -> list[int]:
        """Give the points that a checker may move from, the rearmost first."""
        steps = self.table.choices.steps if self.table.choices else []
        return sorted({getattr(step, "from") for step in steps}, reverse=True)

    def _targets(self) -> list[int]:
        steps = self.table.choices.steps if self.table.choices else []
        return [step.to for step in steps if getattr(step, "from") == self._source]

    def _question(self) -> str:
        standing, choices = self.table.standing, self.table.choices
        if standing.turn == BOT and not self.table.is_over:
            return "The bot thinks ..."
        if choices and choices.turn_complete:
            return "Enter ends the turn, u takes a step back."
        if choices:
            left = "-".join(map(str, choices.remaining_dice))
            return f"Play {left}: ←→ the checker, ↑↓ where to, Enter moves. Or click, or / to type."
        return _QUESTIONS.get(standing.decision, "")

    def _say(self, words: str) -> None:
        self._asked_to_resign = False
        self.query_one("#prompt", Static).update(words)

    def _acting(self, action: Coroutine[Any, Any, object]) -> None:
        """Do what the person wants; after a failure first catch up with the table."""
        if self._behind or self.table.is_over:
            action.close()
            action = _nothing()
        self._do(action)

    def action_cube(self, name: str) -> None:
        """Roll, double, take, pass or beaver."""
        self._acting(self.table.act(_ACTIONS[name]))

    def action_choose(self, direction: int) -> None:
        """Choose the next checker that may move."""
        if sources := self._sources():
            at = sources.index(self._source) if self._source in sources else 0
            self._pick(sources[(at + direction) % len(sources)])

    def action_land(self) -> None:
        """Choose another landing spot."""
        if (targets := self._targets()) and not self._working:
            at = targets.index(self._target) if self._target in targets else -1
            self._target = targets[(at + 1) % len(targets)]
            self._draw()

    def _pick(self, source: int) -> None:
        if not self._working:
            self._source, self._target, self._picked = source, None, True
            self._draw()

    def action_go(self) -> None:
        """Move the chosen checker, end a complete turn, roll, or try again what has failed."""
        choices = self.table.choices
        if self._behind:
            self._acting(_nothing())
        elif choices and choices.turn_complete:
            self._acting(self.table.finish_turn())
        elif self._source is not None and self._target is not None:
            self._acting(self.table.step(self._source, self._target))
        elif self.table.standing.decision == v1.DECISION_DOUBLE_OR_ROLL:
            self.action_cube("roll")

    def action_undo(self) -> None:
        """Take the last step back."""
        self._acting(self.table.undo())

    def action_type(self) -> None:
        """Type a play in notation."""
        if self.table.choices:
            field = self.query_one(Input)
            field.display = True
            field.focus()

    def action_leave(self) -> None:
        """Type no play after all."""
        field = self.query_one(Input)
        field.display = False
        field.clear()
        self.set_focus(None)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Play what was typed."""
        self.action_leave()
        if event.value:
            self._acting(self.table.finish_turn(event.value))

    def on_board_view_tapped(self, event: BoardView.Tapped) -> None:
        """Choose a checker by a click, or move the chosen one."""
        chosen = self._picked or event.point not in self._sources()
        if chosen and event.point in self._targets() and self._source is not None:
            self._acting(self.table.step(self._source, event.point))
        elif event.point in self._sources():
            self._pick(event.point)

    async def action_hint(self) -> None:
        """Show the best plays."""
        try:
            ranked = await self.table.hints()
        except BgbotError as error:
            self._say(_in_words(error))
            return
        for play in ranked.plays:
            self.query_one(RichLog).write(f"  {play.equity:+.3f}  {play.play.notation}")

    def action_resign(self) -> None:
        """Offer the smallest resignation that the bot accepts, when asked twice."""
        if self._asked_to_resign:
            self._acting(self._resign())
        elif self._waits() and not self.table.is_over and not self._working:
            self._say("Give the game up? Press x again, or play on.")
            self._asked_to_resign = True

    async def _resign(self) -> None:
        for kind in (v1.RESULT_KIND_SINGLE, v1.RESULT_KIND_GAMMON, v1.RESULT_KIND_BACKGAMMON):
            if await self.table.resign(kind):
                return


async def _nothing() -> None:
    """Only show the state again."""


def _in_words(error: BgbotError) -> str:
    """Say what was wrong, without the paths of the request."""
    return "; ".join(violation.description for violation in error.violations) or f"{error.code.name}: {error.message}."


def _analysis(table: Table) -> str:
    """Say what the person's plays have lost, the dearest first."""
    lost = sorted((loss for loss in table.losses if loss.equity > 0), key=lambda loss: -loss.equity)
    total = sum(loss.equity for loss in lost)
    lines = [f"Your {len(table.losses)} plays lost {total:.3f} in all, by a quick look; the dearest:"]
    lines += [f"  {loss.equity:.3f}  {loss.played}, better {loss.best}" for loss in lost[:5]]
    return "\n".join(lines)
