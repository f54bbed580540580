// Plays one game of a match to 5 against MEDIUM, with nothing but the daemon's answers.
//
//	playgame [HOST:PORT] [--boards]
//
// Without an address it takes that of BGBOT_ADDRESS, else 127.0.0.1:50051. You choose any legal play,
// never double and take every double: put your own choice in the places marked "your choice".
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand"
	"os"
	"time"

	"github.com/bgbotd/bgbotd/clients/go/bgbot"
	bgbotv1 "github.com/bgbotd/bgbotd/clients/go/bgbot/v1"
)

const (
	length = 5
	level  = bgbotv1.Level_LEVEL_MEDIUM
)

var results = map[bgbotv1.ResultKind]string{
	bgbotv1.ResultKind_RESULT_KIND_SINGLE:     "a single game",
	bgbotv1.ResultKind_RESULT_KIND_GAMMON:     "a gammon",
	bgbotv1.ResultKind_RESULT_KIND_BACKGAMMON: "a backgammon",
}

// A game is where it stands; position and match are seen by the side whose turn it is.
type game struct {
	client    *bgbot.Client
	yourTurn  bool
	position  *bgbotv1.Position
	match     *bgbotv1.MatchState
	decision  bgbotv1.Decision
	dice      *bgbotv1.Dice
	allBoards bool
}

func main() {
	address := "127.0.0.1:50051"
	if set, ok := os.LookupEnv("BGBOT_ADDRESS"); ok {
		address = set
	}
	allBoards := false
	for _, argument := range os.Args[1:] {
		if argument == "--boards" {
			allBoards = true
		} else {
			address = argument
		}
	}
	log.SetFlags(0)
	rand.Seed(time.Now().UnixNano())
	client, err := bgbot.Open(address)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	if err := play(context.Background(), client, allBoards); err != nil {
		log.Fatalf("%v (from %s)", err, address)
	}
}

// play carries position and score from each answer to the next request until the game is over.
func play(ctx context.Context, client *bgbot.Client, allBoards bool) error {
	start, err := client.Rules.StartGame(ctx, &bgbotv1.StartGameRequest{Match: &bgbotv1.MatchState{Length: length}})
	if err != nil {
		return err
	}
	g := &game{
		client: client, yourTurn: start.Beginner == bgbotv1.GameSide_GAME_SIDE_PLAYER, position: start.Position,
		match: start.Match, decision: start.NextDecision, dice: start.Dice, allBoards: allBoards,
	}
	g.draw(g.position)
	for {
		act := g.actOnCube
		if g.decision == bgbotv1.Decision_DECISION_PLAY {
			act = g.playRoll
		}
		outcome, err := act(ctx)
		if err != nil {
			return err
		}
		if outcome.GameOver {
			return g.score(ctx, outcome)
		}
	}
}

// playRoll throws the dice unless they lie there already, and plays them.
func (g *game) playRoll(ctx context.Context) (*bgbotv1.Outcome, error) {
	dice, source := g.dice, bgbot.Source(g.position)
	if dice == nil {
		dice = &bgbotv1.Dice{Die1: rand.Int31n(6) + 1, Die2: rand.Int31n(6) + 1}
	}
	var chosen *bgbotv1.Play
	if g.yourTurn {
		legal, err := g.client.Rules.ListLegalPlays(ctx, &bgbotv1.ListLegalPlaysRequest{Position: source, Dice: dice})
		if err != nil {
			return nil, err
		}
		chosen = legal.Plays[rand.Intn(len(legal.Plays))] // your choice
	} else {
		choice, err := g.client.Bots.ChoosePlay(ctx, &bgbotv1.ChoosePlayRequest{
			Position: source, Dice: dice, Match: g.match, Level: level,
		})
		if err != nil {
			return nil, err
		}
		chosen = choice.Play
	}
	answer, err := g.client.Rules.ApplyPlay(ctx, &bgbotv1.ApplyPlayRequest{
		Position: source, Dice: dice, Match: g.match, Chosen: &bgbotv1.ApplyPlayRequest_Play{Play: chosen},
	})
	if err != nil {
		return nil, err
	}
	fmt.Printf("%-6s  %d-%d  %s\n", g.name(g.yourTurn), dice.Die1, dice.Die2, answer.Play.Notation)
	if g.allBoards || answer.Outcome.GameOver {
		g.draw(answer.Play.Result)
	}
	g.follow(answer.Outcome, answer.Next, answer.NextMatch, answer.NextDecision, answer.NextSide)
	return answer.Outcome, nil
}

// actOnCube lets the side whose turn it is double or roll, take or pass.
func (g *game) actOnCube(ctx context.Context) (*bgbotv1.Outcome, error) {
	action := bgbotv1.CubeAction_CUBE_ACTION_ROLL // your choice
	if g.decision == bgbotv1.Decision_DECISION_TAKE_OR_PASS {
		action = bgbotv1.CubeAction_CUBE_ACTION_TAKE // your choice
	}
	if !g.yourTurn {
		choice, err := g.client.Bots.ChooseCubeAction(ctx, &bgbotv1.ChooseCubeActionRequest{
			Position: bgbot.Source(g.position), Match: g.match, Decision: g.decision, Level: level,
		})
		if err != nil {
			return nil, err
		}
		action = choice.Action
	}
	answer, err := g.client.Rules.ApplyCubeAction(ctx, &bgbotv1.ApplyCubeActionRequest{
		Position: bgbot.Source(g.position), Match: g.match, Decision: g.decision, Action: action,
	})
	if err != nil {
		return nil, err
	}
	switch action {
	case bgbotv1.CubeAction_CUBE_ACTION_DOUBLE:
		fmt.Printf("%-6s  doubles to %d\n", g.name(g.yourTurn), 2*g.match.Cube.Value)
	case bgbotv1.CubeAction_CUBE_ACTION_TAKE:
		fmt.Printf("%-6s  takes\n", g.name(g.yourTurn))
	case bgbotv1.CubeAction_CUBE_ACTION_PASS:
		fmt.Printf("%-6s  passes\n", g.name(g.yourTurn))
	}
	g.follow(answer.Outcome, answer.Next, answer.NextMatch, answer.NextDecision, answer.NextSide)
	return answer.Outcome, nil
}

// follow goes on to what an answer says comes next; a game that is over stays as it was.
func (g *game) follow(
	outcome *bgbotv1.Outcome, position *bgbotv1.Position, match *bgbotv1.MatchState,
	decision bgbotv1.Decision, side bgbotv1.GameSide,
) {
	if outcome.GameOver {
		return
	}
	if side == bgbotv1.GameSide_GAME_SIDE_OPPONENT {
		g.yourTurn = !g.yourTurn
	}
	g.position, g.match, g.decision, g.dice = position, match, decision, nil
}

// score says who has won what, with the score as it stands after it.
func (g *game) score(ctx context.Context, outcome *bgbotv1.Outcome) error {
	scored, err := g.client.Rules.ScoreGame(ctx, &bgbotv1.ScoreGameRequest{
		Match: g.match, Winner: outcome.Winner, Kind: outcome.Kind,
	})
	if err != nil {
		return err
	}
	yours, others := scored.NextMatch.PlayerScore, scored.NextMatch.OpponentScore
	if !g.yourTurn {
		yours, others = others, yours
	}
	youWin := (outcome.Winner == bgbotv1.GameSide_GAME_SIDE_PLAYER) == g.yourTurn
	fmt.Printf("%s won %s, points: %d, score: you %d, %s %d, match to %d\n",
		g.name(youWin), results[outcome.Kind], scored.Points, yours, g.name(false), others, length)
	return nil
}

// draw shows a position, seen by the side whose turn it is, as you see it.
func (g *game) draw(position *bgbotv1.Position) {
	if !g.yourTurn {
		position = &bgbotv1.Position{Player: position.Opponent, Opponent: position.Player}
	}
	fmt.Println(bgbot.DrawBoard(position))
}

func (g *game) name(you bool) string {
	if you {
		return "you"
	}
	return level.String()[len("LEVEL_"):]
}
