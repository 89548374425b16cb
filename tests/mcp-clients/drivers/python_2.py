"""Drives the official Python client 2.x (mcp) or FastMCP (fastmcp). Standard input: jobs as JSON. Standard output: what each saw."""
import asyncio
import json
import sys

LIBRARY = sys.argv[1]
MODES = {"legacy": "legacy", "default": "auto", "pinned": "2026-07-28"}

SEARCH = {"query": "INR", "hasAttachment": True}


def open_client(job):
    headers = {"authorization": f"Bearer {job['key']}"} if job["key"] else {}
    mode = MODES[job["mode"]]
    if LIBRARY == "fastmcp":
        from fastmcp import Client
        from fastmcp.client.transports import StreamableHttpTransport

        return Client(StreamableHttpTransport(job["url"], headers=headers), mode=mode)
    import httpx2
    from mcp.client import Client
    from mcp.client.streamable_http import streamable_http_client

    return Client(streamable_http_client(job["url"], http_client=httpx2.AsyncClient(headers=headers)), mode=mode)


async def look(job):
    async with open_client(job) as client:
        listed = await client.list_tools()
        tools = listed if isinstance(listed, list) else listed.tools
        seen = {"tools": [tool.name for tool in tools]}
        if job["lovedOneId"]:
            mail = await client.call_tool("list_inbox_messages", {"lovedOneId": job["lovedOneId"], **SEARCH})
            seen["subjects"] = [message["subject"] for message in mail.structured_content["messages"]]
        return seen


async def main():
    print(json.dumps([await look(job) for job in json.load(sys.stdin)]))


asyncio.run(main())
