package io.github.bgbotd;

import io.github.bgbotd.v1.Position;
import io.github.bgbotd.v1.PositionSource;
import io.github.bgbotd.v1.Side;
import java.util.Map;

/** Ways to say a position. */
public final class Positions {
  private static final Map<Integer, Integer> STARTING_SIDE = Map.of(6, 5, 8, 3, 13, 5, 24, 2);

  private Positions() {}

  /** Gives the position at the start of a game, the same from both sides. */
  public static Position starting() {
    Side.Builder side = Side.newBuilder();
    for (int point = 1; point <= 24; point++) {
      side.addPoints(STARTING_SIDE.getOrDefault(point, 0));
    }
    return Position.newBuilder().setPlayer(side).setOpponent(side).build();
  }

  /** Gives a position in the form in which requests want it. */
  public static PositionSource source(Position position) {
    return PositionSource.newBuilder().setPosition(position).build();
  }

  /**
   * Gives an ID in the form in which requests want it: an XGID, with or without its leading {@code
   * XGID=}, or a GNU Backgammon Position ID, alone or as {@code PositionID:MatchID}. Whether it can be
   * read is for the daemon to judge.
   */
  public static PositionSource source(String id) {
    // An XGID has ten fields joined by colons, a GNU Backgammon ID two at most.
    boolean xgid = id.startsWith("XGID=") || id.chars().filter(letter -> letter == ':').count() > 1;
    PositionSource.Builder source = PositionSource.newBuilder();
    return (xgid ? source.setXgid(id) : source.setGnubgId(id)).build();
  }
}
