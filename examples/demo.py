"""Starts a daemon, asks it about one position over gRPC, and stops it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bgbot import BgbotError, Client, draw_board, v1

if TYPE_CHECKING:
    from collections.abc import Iterator

# Match to 5, the player leads 2-1 and has rolled 5-3: is it time to bring the builders, or to run and hit?
XGID = "XGID=-b-B-BCBB---bB--ab-f---bB-:0:0:1:53:2:1:0:5:10"


def main() -> None:
    """Show a board, its legal plays, what each level plays, and a request that is refused."""
    with daemon() as address, Client(address) as client:
        print(f"Daemon on {address}\n\n{XGID}\n")
        source = v1.PositionSource(xgid=XGID)
        state = client.rules.ConvertPosition(v1.ConvertPositionRequest(position=source))
        pips = state.player_pips, state.opponent_pips
        print(draw_board(state.position, dice=state.dice, match=state.match, pips=pips))

        answer = client.rules.ListLegalPlays(v1.ListLegalPlaysRequest(position=source))
        print(f"\n{len(answer.plays)} legal plays:")
        notations = [play.notation for play in answer.plays]
        for row in range(0, len(notations), 5):
            print("  " + "".join(f"{notation:<17}" for notation in notations[row : row + 5]).rstrip())

        print("\nWhat each level plays:")
        for bot in client.bots.ListBots(v1.ListBotsRequest()).bots:
            if bot.available:
                choice = client.bots.ChoosePlay(v1.ChoosePlayRequest(position=source, level=bot.level, seed=2026))
                print(f"  {bot.title:<13}{choice.play.notation}")
            else:
                print(f"  {bot.title:<13}{bot.unavailable_because}")

        print("\nA request that makes no sense is refused field by field:")
        seven = v1.Dice(die1=7, die2=3)
        try:
            client.rules.ListLegalPlays(v1.ListLegalPlaysRequest(position=v1.PositionSource(xgid=XGID), dice=seven))
        except BgbotError as error:
            print(f"  {error.code.name} {error.reason}")
            for violation in error.violations:
                print(f"  {violation.field}: {violation.description}")
    print("\nDaemon stopped cleanly.")


@contextmanager
def daemon() -> Iterator[str]:
    """Run a daemon on a free port while its address is in use; it must end without an error."""
    command = [str(Path(sys.executable).with_name("bgbotd")), "serve", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        # The daemon logs one JSON object a line; the one that says "serving" has the port it was given.
        for line in process.stderr or ():
            event = json.loads(line) if line.startswith("{") else {}
            if event.get("event") == "serving":
                break
            sys.stderr.write(line)
        else:
            sys.exit("The daemon did not start.")
        try:
            yield event["listen"]
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate()
    if process.returncode != 0:
        sys.exit(f"The daemon ended with status {process.returncode}.")


if __name__ == "__main__":
    main()
