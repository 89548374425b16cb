// Drives the official Go client (go-sdk) or mcp-go (mcp-go). Standard input: jobs as JSON. Standard output: what each saw.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"

	other "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	othermcp "github.com/mark3labs/mcp-go/mcp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const legacy = "2025-11-25"

type job struct{ URL, Key, LovedOneID, Mode string }

type seen struct {
	Tools    []string `json:"tools"`
	Subjects []string `json:"subjects,omitempty"`
}

func main() {
	look := map[string]func(context.Context, job) seen{"go-sdk": withSDK, "mcp-go": withOther}[os.Args[1]]
	var jobs []job
	must(json.NewDecoder(os.Stdin).Decode(&jobs))
	all := []seen{}
	for _, one := range jobs {
		all = append(all, look(context.Background(), one))
	}
	must(json.NewEncoder(os.Stdout).Encode(all))
}

type bearer string

func (key bearer) RoundTrip(request *http.Request) (*http.Response, error) {
	if key != "" {
		request = request.Clone(request.Context())
		request.Header.Set("Authorization", "Bearer "+string(key))
	}
	return http.DefaultTransport.RoundTrip(request)
}

func withSDK(ctx context.Context, job job) (found seen) {
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	options := &mcp.ClientSessionOptions{}
	if job.Mode == "legacy" {
		options.ProtocolVersion = legacy
	}
	connection := &mcp.StreamableClientTransport{Endpoint: job.URL, HTTPClient: &http.Client{Transport: bearer(job.Key)}}
	session, err := client.Connect(ctx, connection, options)
	must(err)
	defer session.Close()
	listed, err := session.ListTools(ctx, nil)
	must(err)
	for _, tool := range listed.Tools {
		found.Tools = append(found.Tools, tool.Name)
	}
	if job.LovedOneID != "" {
		arguments := map[string]any{"lovedOneId": job.LovedOneID}
		mail, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "list_inbox_messages", Arguments: arguments})
		must(err)
		found.Subjects = subjects(mail.StructuredContent)
	}
	return found
}

func withOther(ctx context.Context, job job) (found seen) {
	headers := map[string]string{}
	if job.Key != "" {
		headers["Authorization"] = "Bearer " + job.Key
	}
	connection, err := transport.NewStreamableHTTP(job.URL, transport.WithHTTPHeaders(headers))
	must(err)
	options := []other.ClientOption{}
	if job.Mode == "legacy" {
		options = append(options, other.WithProtocolVersion(legacy))
	}
	client := other.NewClient(connection, options...)
	defer client.Close()
	must(client.Start(ctx))
	hello := othermcp.InitializeRequest{}
	hello.Params.ClientInfo = othermcp.Implementation{Name: "test", Version: "1"}
	_, err = client.Initialize(ctx, hello)
	must(err)
	listed, err := client.ListTools(ctx, othermcp.ListToolsRequest{})
	must(err)
	for _, tool := range listed.Tools {
		found.Tools = append(found.Tools, tool.Name)
	}
	if job.LovedOneID != "" {
		call := othermcp.CallToolRequest{}
		call.Params.Name = "list_inbox_messages"
		call.Params.Arguments = map[string]any{"lovedOneId": job.LovedOneID}
		mail, err := client.CallTool(ctx, call)
		must(err)
		found.Subjects = subjects(mail.StructuredContent)
	}
	return found
}

func subjects(content any) (found []string) {
	text, err := json.Marshal(content)
	must(err)
	var mail struct{ Messages []struct{ Subject string } }
	must(json.Unmarshal(text, &mail))
	for _, message := range mail.Messages {
		found = append(found, message.Subject)
	}
	return found
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
