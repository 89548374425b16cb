"""Signs in by OAuth and calls the tool ping: oauth.py <url> <library> <mode>. Prints the address to open, then the result."""
import asyncio
import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlparse

URL, LIBRARY, MODE = sys.argv[1:4]
ERAS = {"legacy": "legacy", "default": "auto", "pinned": "2026-07-28"}


class Callback(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"You may close this window.")
        query = {name: values[0] for name, values in parse_qs(urlparse(self.path).query).items()}
        if "code" in query or "error" in query:
            self.server.answer = query

    def log_message(self, *_):
        pass


class Memory:
    tokens = None
    client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


def provider():
    from mcp.client.auth import OAuthClientProvider
    from mcp.shared.auth import OAuthClientMetadata

    server = HTTPServer(("127.0.0.1", 0), Callback)
    server.answer = None

    async def open_browser(address):
        print(address, flush=True)

    async def wait_for_answer():
        while server.answer is None:
            await asyncio.to_thread(server.handle_request)
        answer = server.answer
        if LIBRARY in ("mcp-1", "langchain"):
            return answer["code"], answer.get("state")
        from mcp.client.auth import AuthorizationCodeResult

        return AuthorizationCodeResult(code=answer["code"], state=answer.get("state"), iss=answer.get("iss"))

    redirect = f"http://127.0.0.1:{server.server_port}/callback"
    metadata = OAuthClientMetadata(client_name="A careful assistant", redirect_uris=[redirect])
    return OAuthClientProvider(URL, metadata, Memory(), open_browser, wait_for_answer)


async def ping_1():
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client

    async with streamablehttp_client(URL, auth=provider()) as (read, write, _):
        async with ClientSession(read, write) as session:
            await session.initialize()
            return (await session.call_tool("ping", {})).structuredContent


async def ping_2():
    import httpx2
    from mcp.client import Client
    from mcp.client.streamable_http import streamable_http_client

    async with httpx2.AsyncClient(auth=provider(), timeout=120) as http:
        async with Client(streamable_http_client(URL, http_client=http), mode=ERAS[MODE]) as client:
            return (await client.call_tool("ping", {})).structured_content


async def ping_fastmcp():
    from fastmcp import Client

    async with Client(URL, auth="oauth", mode=ERAS[MODE]) as client:
        return (await client.call_tool("ping", {})).structured_content


async def ping_langchain():
    from langchain_mcp_adapters.client import MultiServerMCPClient

    connection = {"transport": "streamable_http", "url": URL, "auth": provider()}
    tools = await MultiServerMCPClient({"family": connection}).get_tools()
    ping = next(tool for tool in tools if tool.name == "ping")
    answer = await ping.ainvoke({"type": "tool_call", "id": "1", "name": "ping", "args": {}})
    return answer.artifact["structured_content"]


async def ping_agents():
    from agents.mcp import MCPServerStreamableHttp

    params = {"url": URL, "auth": provider()}
    async with MCPServerStreamableHttp(params, client_session_timeout_seconds=120) as server:
        return (await server.call_tool("ping", {})).structured_content


PING = {"mcp-1": ping_1, "mcp-2": ping_2, "fastmcp": ping_fastmcp, "langchain": ping_langchain, "agents": ping_agents}
print(json.dumps(asyncio.run(PING[LIBRARY]())))
