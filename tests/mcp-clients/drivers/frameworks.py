"""Lists and calls tools as LangChain (langchain) or OpenAI Agents (agents) do, without a model. Standard input: jobs as JSON."""
import asyncio
import json
import sys

LIBRARY = sys.argv[1]

SEARCH = {"query": "INR", "hasAttachment": True}


def headers_of(job):
    return {"authorization": f"Bearer {job['key']}"} if job["key"] else {}


def subjects_of(mail):
    return [message["subject"] for message in mail["messages"]]


async def with_langchain(job):
    from langchain_mcp_adapters.client import MultiServerMCPClient

    connection = {"transport": "streamable_http", "url": job["url"], "headers": headers_of(job)}
    tools = await MultiServerMCPClient({"family": connection}).get_tools()
    seen = {"tools": [tool.name for tool in tools]}
    if job["lovedOneId"]:
        tool = next(tool for tool in tools if tool.name == "list_inbox_messages")
        call = {"type": "tool_call", "id": "1", "name": tool.name, "args": {"lovedOneId": job["lovedOneId"], **SEARCH}}
        answer = await tool.ainvoke(call)
        seen["subjects"] = subjects_of(answer.artifact["structured_content"])
    return seen


async def with_agents(job):
    from agents.mcp import MCPServerStreamableHttp

    params = {"url": job["url"], "headers": headers_of(job)}
    async with MCPServerStreamableHttp(params) as server:
        seen = {"tools": [tool.name for tool in await server.list_tools()]}
        if job["lovedOneId"]:
            mail = await server.call_tool("list_inbox_messages", {"lovedOneId": job["lovedOneId"], **SEARCH})
            seen["subjects"] = subjects_of(json.loads(mail.content[0].text))
        return seen


async def main():
    look = with_langchain if LIBRARY == "langchain" else with_agents
    print(json.dumps([await look(job) for job in json.load(sys.stdin)]))


asyncio.run(main())
