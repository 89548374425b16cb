// Drives the official Go client (go-sdk) or mcp-go (mcp-go). Standard input: jobs as JSON. Standard output: what each saw.
// With an address and a mode: signs in there by OAuth and calls the tool ping. Prints the address to open, then the result.
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

type job struct{ URL, Key, LovedOneID, Mode string }

type seen struct {
	Tools    []string `json:"tools"`
	Subjects []string `json:"subjects,omitempty"`
}

func main() {
	if len(os.Args) == 4 {
		ping := map[string]func(context.Context, job) any{"go-sdk": pingWithSDK, "mcp-go": pingWithOther}[os.Args[1]]
		result := ping(context.Background(), job{URL: os.Args[2], Mode: os.Args[3]})
		must(json.NewEncoder(os.Stdout).Encode(result))
		return
	}
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
	connection := &mcp.StreamableClientTransport{Endpoint: job.URL, HTTPClient: &http.Client{Transport: bearer(job.Key)}}
	session := connectSDK(ctx, job, connection)
	defer session.Close()
	listed, err := session.ListTools(ctx, nil)
	must(err)
	for _, tool := range listed.Tools {
		found.Tools = append(found.Tools, tool.Name)
	}
	if job.LovedOneID != "" {
		arguments := map[string]any{"lovedOneId": job.LovedOneID, "query": "INR", "hasAttachment": true}
		mail, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "list_inbox_messages", Arguments: arguments})
		must(err)
		found.Subjects = subjects(mail.StructuredContent)
	}
	return found
}

func connectSDK(ctx context.Context, job job, connection *mcp.StreamableClientTransport) *mcp.ClientSession {
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(ctx, connection, &mcp.ClientSessionOptions{ProtocolVersion: version(job)})
	must(err)
	return session
}

func withOther(ctx context.Context, job job) (found seen) {
	headers := map[string]string{}
	if job.Key != "" {
		headers["Authorization"] = "Bearer " + job.Key
	}
	client := startOther(ctx, job, transport.WithHTTPHeaders(headers))
	defer client.Close()
	_, err := client.Initialize(ctx, hello)
	must(err)
	listed, err := client.ListTools(ctx, othermcp.ListToolsRequest{})
	must(err)
	for _, tool := range listed.Tools {
		found.Tools = append(found.Tools, tool.Name)
	}
	if job.LovedOneID != "" {
		call := othermcp.CallToolRequest{}
		call.Params.Name = "list_inbox_messages"
		call.Params.Arguments = map[string]any{"lovedOneId": job.LovedOneID, "query": "INR", "hasAttachment": true}
		mail, err := client.CallTool(ctx, call)
		must(err)
		found.Subjects = subjects(mail.StructuredContent)
	}
	return found
}

var hello = othermcp.InitializeRequest{
	Params: othermcp.InitializeParams{ClientInfo: othermcp.Implementation{Name: "test", Version: "1"}},
}

func startOther(ctx context.Context, job job, option transport.StreamableHTTPCOption) *other.Client {
	connection, err := transport.NewStreamableHTTP(job.URL, option)
	must(err)
	client := other.NewClient(connection, other.WithProtocolVersion(version(job)))
	must(client.Start(ctx))
	return client
}

func version(job job) string {
	if job.Mode == "legacy" {
		return "2025-11-25"
	}
	return ""
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
