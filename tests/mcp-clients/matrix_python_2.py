"""Drives the official Python client 2.x or FastMCP: matrix_python_2.py <url> <key> <loved one id> <library> <mode>."""
import asyncio
import json
import sys

URL, KEY, LOVED_ONE_ID, LIBRARY, MODE = sys.argv[1:6]


def open_client():
    headers = {"authorization": f"Bearer {KEY}"} if KEY else {}
    if LIBRARY == "fastmcp":
        from fastmcp import Client
        from fastmcp.client.transports import StreamableHttpTransport

        return Client(StreamableHttpTransport(URL, headers=headers), mode=MODE)
    import httpx2
    from mcp.client import Client
    from mcp.client.streamable_http import streamable_http_client

    return Client(streamable_http_client(URL, http_client=httpx2.AsyncClient(headers=headers)), mode=MODE)


async def main():
    async with open_client() as client:
        listed = await client.list_tools()
        tools = listed if isinstance(listed, list) else listed.tools
        seen = {"tools": [tool.name for tool in tools]}
        if LOVED_ONE_ID:
            mail = await client.call_tool("list_inbox_messages", {"lovedOneId": LOVED_ONE_ID})
            messages = mail.structured_content["messages"]
            seen["subjects"] = [message["subject"] for message in messages]
        print(json.dumps(seen))


asyncio.run(main())
