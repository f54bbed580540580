// Package bgbot talks to the backgammon daemon bgbotd.
//
// A Client opens a connection and hands out the generated clients of the contract bgbot.v1, whose
// messages are in package bgbotv1. Every failed call gives an *Error.
package bgbot

import (
	"crypto/tls"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"

	bgbotv1 "github.com/bgbotd/bgbotd/clients/go/bgbot/v1"
)

// DefaultTimeout is how long a unary call may take when neither its context nor WithTimeout says.
const DefaultTimeout = 30 * time.Second

// Every method but the two streams may be sent twice without harm. UNAVAILABLE says that the daemon
// was not reached or is draining, so that another try reaches its successor.
const serviceConfig = `{"methodConfig": [
	{
		"name": [
			{"service": "bgbot.v1.RulesService"},
			{"service": "bgbot.v1.BotService"},
			{"service": "bgbot.v1.EvaluationService"},
			{"service": "bgbot.v1.DiceService"}
		],
		"retryPolicy": {
			"maxAttempts": 4,
			"initialBackoff": "0.1s",
			"maxBackoff": "1s",
			"backoffMultiplier": 2,
			"retryableStatusCodes": ["UNAVAILABLE"]
		}
	},
	{"name": [{"service": "bgbot.v1.EvaluationService", "method": "Rollout"}]}
]}`

// A Client is a connection to a daemon; each field is the generated client of a service. It may be
// used by many goroutines at once.
type Client struct {
	Rules      bgbotv1.RulesServiceClient
	Bots       bgbotv1.BotServiceClient
	Evaluation bgbotv1.EvaluationServiceClient
	Bulk       bgbotv1.BulkServiceClient
	Dice       bgbotv1.DiceServiceClient

	connection *grpc.ClientConn
}

type settings struct {
	calls    callDefaults
	security grpc.DialOption
	own      []grpc.DialOption
}

// An Option changes how a Client connects or calls.
type Option func(*settings)

// WithTLS encrypts the connection. An empty configuration trusts the system's certificates. Without
// this option the connection is plain.
func WithTLS(configuration *tls.Config) Option {
	return func(s *settings) {
		s.security = grpc.WithTransportCredentials(credentials.NewTLS(configuration))
	}
}

// WithToken sends a bearer token with every call. On a plain connection anyone on the way can read it.
func WithToken(token string) Option {
	return func(s *settings) { s.calls.token = token }
}

// WithTimeout sets how long a unary call may take when its context has no deadline. Streams take as
// long as they need.
func WithTimeout(timeout time.Duration) Option {
	return func(s *settings) { s.calls.timeout = timeout }
}

// WithDialOptions adds options of gRPC's own.
func WithDialOptions(options ...grpc.DialOption) Option {
	return func(s *settings) { s.own = append(s.own, options...) }
}

// Open prepares a connection to HOST:PORT, or to any other name that gRPC resolves; it connects with
// the first call. An error says that address or options make no sense, not that nothing listens.
func Open(address string, options ...Option) (*Client, error) {
	s := settings{calls: callDefaults{timeout: DefaultTimeout}, security: grpc.WithInsecure()} //nolint:staticcheck // its successor came later than the oldest release that serves
	for _, option := range options {
		option(&s)
	}
	dial := append([]grpc.DialOption{
		s.security,
		grpc.WithDefaultServiceConfig(serviceConfig),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(codec{})),
		// The daemon closes connections that ping more often than every 30 seconds.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: time.Minute, Timeout: 20 * time.Second}),
		grpc.WithChainUnaryInterceptor(s.calls.unary),
		grpc.WithChainStreamInterceptor(s.calls.stream),
	}, s.own...)
	connection, err := grpc.Dial(address, dial...) //nolint:staticcheck // as above
	if err != nil {
		return nil, err
	}
	return &Client{
		Rules:      bgbotv1.NewRulesServiceClient(connection),
		Bots:       bgbotv1.NewBotServiceClient(connection),
		Evaluation: bgbotv1.NewEvaluationServiceClient(connection),
		Bulk:       bgbotv1.NewBulkServiceClient(connection),
		Dice:       bgbotv1.NewDiceServiceClient(connection),
		connection: connection,
	}, nil
}

// Close closes the connection; calls in flight are cancelled.
func (c *Client) Close() error {
	return c.connection.Close()
}
