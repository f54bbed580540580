package io.github.bgbotd;

import io.github.bgbotd.v1.Position;
import io.github.bgbotd.v1.Side;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A board for the terminal. */
public final class Board {
  private static final String PLAYER = "●";
  private static final String OPPONENT = "○";

  /** Rows of checkers between the edge and the middle; a number tells what does not fit. */
  private static final int ROWS = 5;

  private Board() {}

  /**
   * Draws a position as its player sees it: at the bottom, moving from 24 at the top right to 1.
   *
   * @param position with its 24 points a side, as every answer of the daemon has them
   */
  public static String draw(Position position) {
    List<String> top = half(position, 13, 1, OPPONENT, position.getOpponent());
    List<String> bottom = half(position, 12, -1, PLAYER, position.getPlayer());
    Collections.reverse(bottom);
    List<String> lines = new ArrayList<>();
    lines.add(edge(13, 1, "┌┬┬┐") + "  " + OPPONENT + " opponent");
    lines.addAll(top);
    lines.add("│" + " ".repeat(19) + "│BAR│" + " ".repeat(19) + "│");
    lines.addAll(bottom);
    lines.add(edge(12, -1, "└┴┴┘") + "  " + PLAYER + " player");
    return String.join("\n", lines);
  }

  /** Draws twelve points with a side's bar between them, row by row from the edge to the middle. */
  private static List<String> half(Position position, int first, int step, String checker, Side side) {
    List<String> rows = new ArrayList<>();
    for (int row = 0; row < ROWS; row++) {
      StringBuilder line = new StringBuilder("│ ");
      for (int i = 0; i < 12; i++) {
        if (i == 6) {
          // Checkers on the bar stand towards the middle, away from the edge that the points grow from.
          line.append(String.format("│ %-2s│ ", stack(checker, side.getBar(), ROWS - 1 - row)));
        }
        int point = first + i * step;
        int own = position.getPlayer().getPoints(point - 1);
        int other = position.getOpponent().getPoints(24 - point);
        line.append(String.format("%2s ", own > 0 ? stack(PLAYER, own, row) : stack(OPPONENT, other, row)));
      }
      line.append("│");
      if (row == 0 && side.getOff() > 0) {
        line.append("  ").append(side.getOff()).append(" off");
      }
      rows.add(line.toString());
    }
    return rows;
  }

  /** Gives what stands in a row; in the last is the number where there are more than rows. */
  private static String stack(String checker, int count, int row) {
    if (row == ROWS - 1 && count > ROWS) {
      return String.valueOf(count);
    }
    return row < count ? checker : "";
  }

  /** Draws the numbers of twelve points into the frame. */
  private static String edge(int first, int step, String corners) {
    StringBuilder line = new StringBuilder(corners.substring(0, 1)).append("─");
    for (int i = 0; i < 12; i++) {
      if (i == 6) {
        line.append(corners.charAt(1)).append("───").append(corners.charAt(2)).append("─");
      }
      line.append(String.format("%2d─", first + i * step).replace(' ', '─'));
    }
    return line.append(corners.charAt(3)).toString();
  }
}
