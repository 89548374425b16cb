package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/url"

	other "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	othermcp "github.com/mark3labs/mcp-go/mcp"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

const clientName = "A careful assistant"

func pingWithSDK(ctx context.Context, job job) any {
	redirect, answers := startCallback()
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{ClientName: clientName, RedirectURIs: []string{redirect}},
		},
		AuthorizationCodeFetcher: func(_ context.Context, browser *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			fmt.Println(browser.URL)
			answer := <-answers
			return &auth.AuthorizationResult{Code: answer.Get("code"), State: answer.Get("state"), Iss: answer.Get("iss")}, nil
		},
	})
	must(err)
	session := connectSDK(ctx, job, &mcp.StreamableClientTransport{Endpoint: job.URL, OAuthHandler: handler})
	defer session.Close()
	answer, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "ping"})
	must(err)
	return answer.StructuredContent
}

func pingWithOther(ctx context.Context, job job) any {
	redirect, answers := startCallback()
	config := other.OAuthConfig{RedirectURI: redirect, TokenStore: other.NewMemoryTokenStore(), PKCEEnabled: true}
	client := startOther(ctx, job, transport.WithHTTPOAuth(config))
	defer client.Close()
	_, err := client.Initialize(ctx, hello)
	if !other.IsOAuthAuthorizationRequiredError(err) {
		log.Fatal("It was not asked to sign in: ", err)
	}
	handler := other.GetOAuthHandler(err)
	must(handler.RegisterClient(ctx, clientName))
	verifier, err := other.GenerateCodeVerifier()
	must(err)
	state, err := other.GenerateState()
	must(err)
	address, err := handler.GetAuthorizationURL(ctx, state, other.GenerateCodeChallenge(verifier))
	must(err)
	fmt.Println(address)
	answer := <-answers
	must(handler.ProcessAuthorizationResponse(ctx, answer.Get("code"), answer.Get("state"), verifier))
	_, err = client.Initialize(ctx, hello)
	must(err)
	call := othermcp.CallToolRequest{}
	call.Params.Name = "ping"
	called, err := client.CallTool(ctx, call)
	must(err)
	return called.StructuredContent
}

// Waits for the browser's redirect with a code.
func startCallback() (redirect string, answers chan url.Values) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	answers = make(chan url.Values, 1)
	go http.Serve(listener, http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		if request.URL.Path == "/callback" {
			answers <- request.URL.Query()
		}
	}))
	return fmt.Sprintf("http://%s/callback", listener.Addr()), answers
}
