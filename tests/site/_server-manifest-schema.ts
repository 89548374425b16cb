/**
 * What a server.json must be like, restated as a JSON Schema from the MCP registry's documentation of the format of 2025-12-11
 * (https://github.com/modelcontextprotocol/registry/tree/main/docs/reference/server-json: "generic-server-json",
 * "official-registry-requirements"), as far as it concerns servers that are reached over HTTP and bring no package.
 */
export const SERVER_MANIFEST = {
  type: 'object',
  required: ['$schema', 'name', 'description', 'version', 'remotes'],
  // The format knows more than these, but none of it is for a server that is only remote.
  additionalProperties: false,
  properties: {
    $schema: { const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json' },
    // A domain backwards, one slash, and the server's own name.
    name: { type: 'string', minLength: 3, maxLength: 200, pattern: '^[A-Za-z0-9.-]+/[A-Za-z0-9._-]+$' },
    title: { type: 'string', minLength: 1, maxLength: 100 },
    description: { type: 'string', minLength: 1, maxLength: 100 },
    // One version, never a range; semantic versions sort as one expects.
    version: { type: 'string', minLength: 1, maxLength: 255, pattern: '^\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?$' },
    websiteUrl: { type: 'string', format: 'uri' },
    remotes: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['type', 'url'],
        additionalProperties: false,
        properties: {
          type: { enum: ['streamable-http', 'sse'] },
          url: { type: 'string', format: 'uri', pattern: '^https?://\\S+$' },
          headers: { type: 'array', items: { type: 'object', required: ['name'] } },
        },
      },
    },
    _meta: {
      type: 'object',
      // Whatever stands under another key is dropped by the registry.
      additionalProperties: false,
      properties: { 'io.modelcontextprotocol.registry/publisher-provided': { type: 'object' } },
    },
  },
} as const

/** The registry takes no more than this of a publisher's own metadata, in bytes of JSON. */
export const MOST_METADATA_BYTES = 4096
