#pragma once

#include <string>

#include "bgbot/v1/position.pb.h"

namespace bgbot {

// Draws a position in UTF-8 as its player sees it: at the bottom, moving from 24 at the top right to 1.
// The position needs its 24 points a side, as every answer of the daemon has them.
std::string draw_board(const v1::Position& position);

}  // namespace bgbot
