module github.com/bgbotd/bgbotd/clients/go

go 1.19

require (
	google.golang.org/genproto/googleapis/rpc v0.0.0-20240528184218-531527333157
	google.golang.org/grpc v1.65.0
	google.golang.org/protobuf v1.34.2
)
