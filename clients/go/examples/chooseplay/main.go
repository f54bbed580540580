// Asks the daemon on 127.0.0.1:50051 for Hard's play of an opening 3-1.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/bgbotd/bgbotd/clients/go/bgbot"
	bgbotv1 "github.com/bgbotd/bgbotd/clients/go/bgbot/v1"
)

func main() {
	client, err := bgbot.Open("127.0.0.1:50051")
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	choice, err := client.Bots.ChoosePlay(context.Background(), &bgbotv1.ChoosePlayRequest{
		Position: bgbot.Source(bgbot.StartingPosition()),
		Dice:     &bgbotv1.Dice{Die1: 3, Die2: 1},
		Level:    bgbotv1.Level_LEVEL_HARD,
	})
	var refused *bgbot.Error
	if errors.As(err, &refused) {
		for _, violation := range refused.Violations {
			fmt.Printf("%s: %s\n", violation.Field, violation.Description)
		}
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(choice.Play.Notation)
}
