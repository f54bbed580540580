#include "bgbot/position.h"

#include <algorithm>

namespace bgbot {

v1::Position starting_position() {
  v1::Side side;
  side.mutable_points()->Resize(24, 0);
  for (const auto& [point, checkers] : {std::pair{6, 5}, {8, 3}, {13, 5}, {24, 2}}) {
    side.set_points(point - 1, checkers);
  }
  v1::Position position;
  *position.mutable_player() = side;
  *position.mutable_opponent() = side;
  return position;
}

v1::PositionSource position_source(const v1::Position& position) {
  v1::PositionSource source;
  *source.mutable_position() = position;
  return source;
}

v1::PositionSource position_source(const std::string& id) {
  v1::PositionSource source;
  // An XGID has ten fields joined by colons, a GNU Backgammon ID two at most.
  if (id.rfind("XGID=", 0) == 0 || std::count(id.begin(), id.end(), ':') > 1) {
    source.set_xgid(id);
  } else {
    source.set_gnubg_id(id);
  }
  return source;
}

}  // namespace bgbot
