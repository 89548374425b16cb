"""Drives the official Python client 1.x: matrix_python_1.py <url> <key> <loved one id>."""
import asyncio
import json
import sys

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

URL, KEY, LOVED_ONE_ID = sys.argv[1:4]


async def main():
    headers = {"authorization": f"Bearer {KEY}"} if KEY else {}
    async with streamablehttp_client(URL, headers=headers) as (read, write, _):
        async with ClientSession(read, write) as session:
            await session.initialize()
            seen = {"tools": [tool.name for tool in (await session.list_tools()).tools]}
            if LOVED_ONE_ID:
                mail = await session.call_tool("list_inbox_messages", {"lovedOneId": LOVED_ONE_ID})
                seen["subjects"] = [message["subject"] for message in mail.structuredContent["messages"]]
            print(json.dumps(seen))


asyncio.run(main())
