# frozen_string_literal: true

module Bgbot
  # Draws a position as its player sees it: at the bottom, moving from 24 at the top right to 1. The
  # position needs its 24 points a side, as every answer of the daemon has them.
  def self.draw_board(position)
    Board.new(position).to_s
  end

  # A board for the terminal.
  class Board
    PLAYER = "●"
    OPPONENT = "○"
    ROWS = 5 # of checkers between the edge and the middle; a number tells what does not fit
    TOP = (13..24).to_a
    BOTTOM = 12.downto(1).to_a

    def initialize(position)
      @player = position.player
      @opponent = position.opponent
    end

    def to_s
      middle = "│#{' ' * 19}│BAR│#{' ' * 19}│"
      lines = [edge(TOP, "┌┬┬┐"), *half(TOP, OPPONENT, @opponent.bar), middle,
               *half(BOTTOM, PLAYER, @player.bar).reverse, edge(BOTTOM, "└┴┴┘")]
      lines[0] += "  #{OPPONENT} opponent"
      lines[1] += off(@opponent)
      lines[-2] += off(@player)
      lines[-1] += "  #{PLAYER} player"
      lines.join("\n")
    end

    private

    # Draws twelve points with the bar between them, row by row from the edge to the middle.
    def half(points, checker, bar)
      rows = points.map { |point| stack(*checkers(point)) }.transpose
      # Checkers on the bar stand towards the middle, away from the edge that the points grow from.
      rows.zip(stack(checker, bar).reverse).map do |row, on_bar|
        left, right = row.map { |cell| "#{cell.rjust(2)} " }.each_slice(6).map(&:join)
        "│ #{left}│ #{on_bar.ljust(2)}│ #{right}│"
      end
    end

    def checkers(point)
      own = @player.points[point - 1]
      own.positive? ? [PLAYER, own] : [OPPONENT, @opponent.points[24 - point]]
    end

    # Draws so many checkers; the last is their number where there are more than rows.
    def stack(checker, count)
      cells = Array.new(ROWS) { |row| row < count ? checker : "" }
      cells[-1] = count.to_s if count > ROWS
      cells
    end

    # Draws the numbers of twelve points into the frame.
    def edge(points, corners)
      left, right = points.map { |point| "#{point.to_s.rjust(2, '─')}─" }.each_slice(6).map(&:join)
      "#{corners[0]}─#{left}#{corners[1]}───#{corners[2]}─#{right}#{corners[3]}"
    end

    def off(side)
      side.off.zero? ? "" : "  #{side.off} off"
    end
  end
  private_constant :Board
end
