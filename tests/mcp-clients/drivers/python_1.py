"""Drives the official Python client 1.x. Standard input: jobs as JSON. Standard output: what each saw."""
import asyncio
import json
import sys

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

SEARCH = {"query": "INR", "hasAttachment": True}


async def look(job):
    headers = {"authorization": f"Bearer {job['key']}"} if job["key"] else {}
    async with streamablehttp_client(job["url"], headers=headers) as (read, write, _):
        async with ClientSession(read, write) as session:
            await session.initialize()
            seen = {"tools": [tool.name for tool in (await session.list_tools()).tools]}
            if job["lovedOneId"]:
                mail = await session.call_tool("list_inbox_messages", {"lovedOneId": job["lovedOneId"], **SEARCH})
                seen["subjects"] = [message["subject"] for message in mail.structuredContent["messages"]]
            return seen


async def main():
    print(json.dumps([await look(job) for job in json.load(sys.stdin)]))


asyncio.run(main())
