//! Drives the official Rust client. Standard input: jobs as JSON. Standard output: what each saw.
use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::{Value, json};

type Failure = Box<dyn std::error::Error>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let jobs: Vec<Value> = serde_json::from_reader(std::io::stdin())?;
    let mut seen = Vec::new();
    for job in jobs {
        seen.push(look(&job).await?);
    }
    println!("{}", Value::from(seen));
    Ok(())
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
        let arguments = json!({ "lovedOneId": field("lovedOneId") }).as_object().cloned().unwrap_or_default();
        let call = CallToolRequestParams::new("list_inbox_messages").with_arguments(arguments);
        let mail = client.call_tool(call).await?.structured_content.unwrap_or_default();
        let messages = mail["messages"].as_array().cloned().unwrap_or_default();
        seen["subjects"] = messages.iter().map(|message| message["subject"].clone()).collect();
    }
    client.cancel().await?;
    Ok(seen)
}

fn lifecycle(mode: &str) -> ClientLifecycleMode {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    match mode {
        "auto" => ClientLifecycleMode::Auto { preferred_versions, legacy_version: None },
        "pinned" => ClientLifecycleMode::Discover { preferred_versions },
        _ => ClientLifecycleMode::Initialize,
    }
}
