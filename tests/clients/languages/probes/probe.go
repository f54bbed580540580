// Makes one call and says what comes of it: probe ADDRESS pips|rollout|bulk ID SECONDS TOKEN ROOTS.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/bgbotd/bgbotd/clients/go/bgbot"
	bgbotv1 "github.com/bgbotd/bgbotd/clients/go/bgbot/v1"
	"google.golang.org/grpc/status"
)

func main() {
	address, method, id, seconds, token, roots := os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5], os.Args[6]
	var options []bgbot.Option
	if seconds != "" {
		timeout, err := time.ParseDuration(seconds + "s")
		if err != nil {
			log.Fatal(err)
		}
		options = append(options, bgbot.WithTimeout(timeout))
	}
	if token != "" {
		options = append(options, bgbot.WithToken(token))
	}
	if roots != "" {
		pem, err := os.ReadFile(roots)
		if err != nil {
			log.Fatal(err)
		}
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(pem)
		options = append(options, bgbot.WithTLS(&tls.Config{RootCAs: pool}))
	}
	client, err := bgbot.Open(address, options...)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	source := bgbot.Source(bgbot.StartingPosition())
	if id != "" {
		source = bgbot.SourceID(id)
	}
	switch method {
	case "pips":
		err = pips(client, source)
	case "bulk":
		err = bulk(client, source)
	default:
		err = rollout(client, source)
	}
	var failed *bgbot.Error
	if errors.As(err, &failed) {
		say(failed)
	} else if err != nil {
		log.Fatal(err)
	}
}

func pips(client *bgbot.Client, source *bgbotv1.PositionSource) error {
	count, err := client.Evaluation.CountPips(context.Background(), &bgbotv1.CountPipsRequest{Position: source})
	if err != nil {
		return err
	}
	fmt.Println("pips", count.PlayerPips, count.OpponentPips)
	if count.Position != nil {
		fmt.Println(bgbot.DrawBoard(count.Position))
	}
	return nil
}

func rollout(client *bgbot.Client, source *bgbotv1.PositionSource) error {
	stream, err := client.Evaluation.Rollout(context.Background(), &bgbotv1.RolloutRequest{Position: source})
	if err != nil {
		return err
	}
	for {
		progress, err := stream.Recv()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		fmt.Println("trials", progress.TrialsDone)
	}
}

func bulk(client *bgbot.Client, source *bgbotv1.PositionSource) error {
	stream, err := client.Bulk.Process(context.Background())
	if err != nil {
		return err
	}
	request := &bgbotv1.BulkItem_CountPips{CountPips: &bgbotv1.CountPipsRequest{Position: source}}
	item := &bgbotv1.BulkItem{Id: 7, Request: request}
	// A stream that has ended fails to send with io.EOF; why it has ended is received.
	if err := stream.Send(&bgbotv1.BulkRequest{Items: []*bgbotv1.BulkItem{item}}); err != nil && err != io.EOF {
		return err
	}
	if err := stream.CloseSend(); err != nil {
		return err
	}
	for {
		response, err := stream.Recv()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for _, result := range response.Results {
			fmt.Println("bulk", result.Id, result.GetCountPips().PlayerPips)
		}
	}
}

func say(failed *bgbot.Error) {
	if status.Code(failed) != failed.Code {
		log.Fatal("gRPC's own reading of the code differs")
	}
	fmt.Println("error", failed.Error())
	fmt.Println("code", int(failed.Code))
	fmt.Println("reason", failed.Reason)
	for _, violation := range failed.Violations {
		fmt.Printf("violation %s|%s\n", violation.Field, violation.Description)
	}
	fmt.Println("request", failed.RequestID)
	fmt.Println("retry", failed.RetryAfter.Milliseconds())
}
