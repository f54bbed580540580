package bgbot

import (
	"strings"

	bgbotv1 "github.com/bgbotd/bgbotd/clients/go/bgbot/v1"
)

// StartingPosition gives the position at the start of a game, the same from both sides.
func StartingPosition() *bgbotv1.Position {
	side := func() *bgbotv1.Side {
		points := make([]int32, 24)
		points[6-1], points[8-1], points[13-1], points[24-1] = 5, 3, 5, 2
		return &bgbotv1.Side{Points: points}
	}
	return &bgbotv1.Position{Player: side(), Opponent: side()}
}

// Source gives a position in the form in which requests want it.
func Source(position *bgbotv1.Position) *bgbotv1.PositionSource {
	return &bgbotv1.PositionSource{Source: &bgbotv1.PositionSource_Position{Position: position}}
}

// SourceID gives an ID in the form in which requests want it: an XGID, with or without its leading
// "XGID=", or a GNU Backgammon Position ID, alone or as PositionID:MatchID. Whether it can be read is
// for the daemon to judge.
func SourceID(id string) *bgbotv1.PositionSource {
	// An XGID has ten fields joined by colons, a GNU Backgammon ID two at most.
	if strings.HasPrefix(id, "XGID=") || strings.Count(id, ":") > 1 {
		return &bgbotv1.PositionSource{Source: &bgbotv1.PositionSource_Xgid{Xgid: id}}
	}
	return &bgbotv1.PositionSource{Source: &bgbotv1.PositionSource_GnubgId{GnubgId: id}}
}
