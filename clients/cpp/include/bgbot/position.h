#pragma once

#include <string>

#include "bgbot/v1/position.pb.h"

namespace bgbot {

// Gives the position at the start of a game, the same from both sides.
v1::Position starting_position();

// Gives a position in the form in which requests want it.
v1::PositionSource position_source(const v1::Position& position);

// Gives an ID in the form in which requests want it: an XGID, with or without its leading "XGID=", or a
// GNU Backgammon Position ID, alone or as PositionID:MatchID. Whether it can be read is for the daemon
// to judge.
v1::PositionSource position_source(const std::string& id);

}  // namespace bgbot
