//! Drives the official Rust client. Standard input: jobs as JSON. Standard output: what each saw.
//! With an address and a mode: signs in there by OAuth and calls the tool ping. Prints the address to open, then the result.
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;

use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::auth::{AuthClient, AuthorizationManager, AuthorizationRequest, OAuthState};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::{Value, json};

type Failure = Box<dyn std::error::Error>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let found = match arguments.as_slice() {
        [url, mode] => ping(url, mode).await?,
        _ => look_at_all(serde_json::from_reader(std::io::stdin())?).await?,
    };
    println!("{found}");
    Ok(())
}

async fn look_at_all(jobs: Vec<Value>) -> Result<Value, Failure> {
    let mut seen = Vec::new();
    for job in jobs {
        seen.push(look(&job).await?);
    }
    Ok(Value::from(seen))
}

async fn look(job: &Value) -> Result<Value, Failure> {
    let field = |name: &str| job[name].as_str().unwrap_or_default().to_owned();
    let mut config = StreamableHttpClientTransportConfig::with_uri(field("url"));
    if !field("key").is_empty() {
        config = config.auth_header(field("key"));
    }
    let transport = StreamableHttpClientTransport::from_config(config);
    let client = ().serve_with_lifecycle(transport, lifecycle(&field("mode"))).await?;
    let tools = client.list_all_tools().await?;
    let names: Vec<_> = tools.iter().map(|tool| tool.name.to_string()).collect();
    let mut seen = json!({ "tools": names });
    if !field("lovedOneId").is_empty() {
        let arguments = json!({ "lovedOneId": field("lovedOneId"), "query": "INR", "hasAttachment": true }).as_object().cloned().unwrap_or_default();
        let call = CallToolRequestParams::new("list_inbox_messages").with_arguments(arguments);
        let mail = client.call_tool(call).await?.structured_content.unwrap_or_default();
        let messages = mail["messages"].as_array().cloned().unwrap_or_default();
        seen["subjects"] = messages.iter().map(|message| message["subject"].clone()).collect();
    }
    client.cancel().await?;
    Ok(seen)
}

async fn ping(url: &str, mode: &str) -> Result<Value, Failure> {
    let http = AuthClient::new(reqwest::Client::new(), sign_in(url).await?);
    let config = StreamableHttpClientTransportConfig::with_uri(url);
    let transport = StreamableHttpClientTransport::with_client(http, config);
    let client = ().serve_with_lifecycle(transport, lifecycle(mode)).await?;
    let answer = client.call_tool(CallToolRequestParams::new("ping")).await?;
    client.cancel().await?;
    Ok(answer.structured_content.unwrap_or_default())
}

async fn sign_in(url: &str) -> Result<AuthorizationManager, Failure> {
    let callback = TcpListener::bind("127.0.0.1:0")?;
    let origin = format!("http://{}", callback.local_addr()?);
    let mut state = OAuthState::new(url, None).await?;
    let request = AuthorizationRequest::new(format!("{origin}/callback")).with_client_name("A careful assistant");
    state.start_authorization(request).await?;
    println!("{}", state.get_authorization_url().await?);
    let (mut browser, _) = callback.accept()?;
    let mut line = String::new();
    BufReader::new(&browser).read_line(&mut line)?;
    browser.write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")?;
    let path = line.split(' ').nth(1).unwrap_or_default();
    state.handle_callback_url(&format!("{origin}{path}")).await?;
    state.into_authorization_manager().ok_or("It has no token.".into())
}

fn lifecycle(mode: &str) -> ClientLifecycleMode {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    match mode {
        "auto" => ClientLifecycleMode::Auto { preferred_versions, legacy_version: None },
        "pinned" => ClientLifecycleMode::Discover { preferred_versions },
        _ => ClientLifecycleMode::Initialize,
    }
}
