# frozen_string_literal: true

module Bgbot
  STARTING_SIDE = { 6 => 5, 8 => 3, 13 => 5, 24 => 2 }.freeze
  private_constant :STARTING_SIDE

  # Gives the position at the start of a game, the same from both sides.
  def self.starting_position
    side = V1::Side.new(points: (1..24).map { |point| STARTING_SIDE.fetch(point, 0) })
    V1::Position.new(player: side, opponent: side)
  end

  # Gives a position in the form in which requests want it: a V1::Position; an XGID, with or without
  # its leading "XGID="; a GNU Backgammon Position ID, alone or as "PositionID:MatchID"; nothing for the
  # start of a game. Whether an ID can be read is for the daemon to judge.
  def self.position_source(source = starting_position)
    return V1::PositionSource.new(position: source) if source.is_a?(V1::Position)

    # An XGID has ten fields joined by colons, a GNU Backgammon ID two at most.
    xgid = source.start_with?("XGID=") || source.count(":") > 1
    V1::PositionSource.new((xgid ? :xgid : :gnubg_id) => source)
  end
end
