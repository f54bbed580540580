package bgbot

import (
	"fmt"
	"strings"

	bgbotv1 "github.com/bgbotd/bgbotd/clients/go/bgbot/v1"
)

const (
	playerChecker   = "●"
	opponentChecker = "○"
	boardRows       = 5 // of checkers between the edge and the middle; a number tells what does not fit
)

// DrawBoard draws a position as its player sees it: at the bottom, moving from 24 at the top right to
// 1. The position needs its 24 points a side, as every answer of the daemon has them.
func DrawBoard(position *bgbotv1.Position) string {
	player, opponent := position.GetPlayer(), position.GetOpponent()
	lines := []string{edge(13, 1, "┌┬┬┐") + "  " + opponentChecker + " opponent"}
	for row := 0; row < boardRows; row++ {
		line := half(position, 13, 1, row, stack(opponentChecker, opponent.GetBar(), boardRows-1-row))
		if row == 0 {
			line += off(opponent)
		}
		lines = append(lines, line)
	}
	lines = append(lines, "│"+strings.Repeat(" ", 19)+"│BAR│"+strings.Repeat(" ", 19)+"│")
	for row := boardRows - 1; row >= 0; row-- {
		line := half(position, 12, -1, row, stack(playerChecker, player.GetBar(), boardRows-1-row))
		if row == 0 {
			line += off(player)
		}
		lines = append(lines, line)
	}
	lines = append(lines, edge(12, -1, "└┴┴┘")+"  "+playerChecker+" player")
	return strings.Join(lines, "\n")
}

// half draws one row of twelve points, counted from the edge, with the bar between them.
func half(position *bgbotv1.Position, first, step, row int, bar string) string {
	var cells [12]string
	for i := range cells {
		point := first + i*step
		own, other := position.GetPlayer().GetPoints()[point-1], position.GetOpponent().GetPoints()[24-point]
		cell := stack(playerChecker, own, row)
		if own == 0 {
			cell = stack(opponentChecker, other, row)
		}
		cells[i] = fmt.Sprintf("%2s ", cell)
	}
	return fmt.Sprintf("│ %s│ %-2s│ %s│", strings.Join(cells[:6], ""), bar, strings.Join(cells[6:], ""))
}

// stack gives what stands in a row; in the last is the number where there are more than rows.
func stack(checker string, count int32, row int) string {
	switch {
	case row == boardRows-1 && count > boardRows:
		return fmt.Sprint(count)
	case int32(row) < count:
		return checker
	}
	return ""
}

// edge draws the numbers of twelve points into the frame.
func edge(first, step int, corners string) string {
	corner := strings.Split(corners, "")
	var halves [2]string
	for i := 0; i < 12; i++ {
		number := fmt.Sprint(first + i*step)
		halves[i/6] += strings.Repeat("─", 2-len(number)) + number + "─"
	}
	return corner[0] + "─" + halves[0] + corner[1] + "───" + corner[2] + "─" + halves[1] + corner[3]
}

func off(side *bgbotv1.Side) string {
	if side.GetOff() == 0 {
		return ""
	}
	return fmt.Sprintf("  %d off", side.GetOff())
}
