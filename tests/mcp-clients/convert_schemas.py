"""Converts each inputSchema on standard input as agent frameworks do, and prints what comes out: convert_schemas.py <framework>."""
import json
import sys


def for_openai_strict(schema):
    from agents.strict_schema import ensure_strict_json_schema

    return ensure_strict_json_schema(schema)


def for_gemini(schema):
    from google.genai import types

    converted = types.Schema.from_json_schema(json_schema=types.JSONSchema.model_validate(schema))
    return converted.model_dump(exclude_none=True, mode="json")


def for_pydantic(schema):
    from pydantic_ai.profiles.google import GoogleJsonSchemaTransformer
    from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer

    GoogleJsonSchemaTransformer(json.loads(json.dumps(schema)), strict=True).walk()
    return OpenAIJsonSchemaTransformer(schema, strict=True).walk()


CONVERT = {"openai-agents": for_openai_strict, "google-genai": for_gemini, "pydantic-ai-slim": for_pydantic}

convert = CONVERT[sys.argv[1]]
print(json.dumps([convert(schema) for schema in json.load(sys.stdin)]))
