"""Drives the official Python client against the family tool server: python_client.py <url> <key> <loved one id>."""
import asyncio
import json
import sys

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

URL, KEY, LOVED_ONE_ID = sys.argv[1:4]


async def main():
    headers = {"authorization": f"Bearer {KEY}"}
    async with httpx2.AsyncClient(headers=headers) as http:
        async with Client(streamable_http_client(URL, http_client=http)) as client:
            tools = (await client.list_tools()).tools
            listed = await client.call_tool("list_inbox_messages", {"lovedOneId": LOVED_ONE_ID})
            message_id = listed.structured_content["messages"][0]["id"]
            arguments = {"lovedOneId": LOVED_ONE_ID, "messageId": message_id}
            read = await client.call_tool("get_inbox_message", arguments)
            wrong = await client.call_tool("get_inbox_message", {"lovedOneId": LOVED_ONE_ID})
            print(json.dumps({
                "tools": [tool.name for tool in tools],
                "subjects": [message["subject"] for message in listed.structured_content["messages"]],
                "body": read.structured_content["body"],
                "wrong": [wrong.is_error, wrong.content[0].text],
            }))


asyncio.run(main())
