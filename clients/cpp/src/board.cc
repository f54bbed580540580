#include "bgbot/board.h"

#include <array>

namespace bgbot {
namespace {

constexpr char kPlayer[] = "●";
constexpr char kOpponent[] = "○";
constexpr int kRows = 5;  // of checkers between the edge and the middle; a number tells what does not fit

// Six of the points of a half, from the left.
struct Half {
  int first;
  int step;
  std::string checker_on_bar;
  const v1::Side& side_on_bar;
  std::array<const char*, 4> corners;

  int point(int place) const { return first + place * step; }
};

// Gives what stands in a row, two columns wide; in the last is the number where there are more than rows.
std::string stack(const std::string& checker, int count, int row, bool left = false) {
  if (row == kRows - 1 && count > kRows) {
    const std::string number = std::to_string(count);
    if (number.size() > 1) return number;
    return left ? number + " " : " " + number;
  }
  if (row >= count) return "  ";
  return left ? checker + " " : " " + checker;
}

// Draws one row of twelve points, counted from the edge, with the bar between them.
std::string draw_row(const v1::Position& position, const Half& half, int row) {
  std::string line = "│ ";
  for (int place = 0; place < 12; ++place) {
    // Checkers on the bar stand towards the middle, away from the edge that the points grow from.
    if (place == 6) {
      line += "│ " + stack(half.checker_on_bar, half.side_on_bar.bar(), kRows - 1 - row, true) + "│ ";
    }
    const int own = position.player().points(half.point(place) - 1);
    const int other = position.opponent().points(24 - half.point(place));
    line += (own > 0 ? stack(kPlayer, own, row) : stack(kOpponent, other, row)) + " ";
  }
  line += "│";
  if (row == 0 && half.side_on_bar.off() > 0) line += "  " + std::to_string(half.side_on_bar.off()) + " off";
  return line + "\n";
}

// Draws the numbers of twelve points into the frame.
std::string draw_edge(const Half& half) {
  std::string line = std::string(half.corners[0]) + "─";
  for (int place = 0; place < 12; ++place) {
    if (place == 6) line += std::string(half.corners[1]) + "───" + half.corners[2] + "─";
    const std::string number = std::to_string(half.point(place));
    line += (number.size() < 2 ? "─" : "") + number + "─";
  }
  return line + half.corners[3];
}

}  // namespace

std::string draw_board(const v1::Position& position) {
  const Half top{13, 1, kOpponent, position.opponent(), {"┌", "┬", "┬", "┐"}};
  const Half bottom{12, -1, kPlayer, position.player(), {"└", "┴", "┴", "┘"}};
  const std::string blank(19, ' ');
  std::string board = draw_edge(top) + "  " + kOpponent + " opponent\n";
  for (int row = 0; row < kRows; ++row) board += draw_row(position, top, row);
  board += "│" + blank + "│BAR│" + blank + "│\n";
  for (int row = kRows - 1; row >= 0; --row) board += draw_row(position, bottom, row);
  return board + draw_edge(bottom) + "  " + kPlayer + " player";
}

}  // namespace bgbot
