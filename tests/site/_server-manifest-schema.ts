/**
 * A JSON Schema for server.json, based on the MCP registry's documentation of the 2025-12-11 format
 * (https://github.com/modelcontextprotocol/registry/tree/main/docs/reference/server-json: "generic-server-json",
 * "official-registry-requirements"), limited to remote servers without a package.
 */
export const SERVER_MANIFEST = {
  type: 'object',
  required: ['$schema', 'name', 'description', 'version', 'remotes'],
  additionalProperties: false,
  properties: {
    $schema: { const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json' },
    // A reversed domain, a slash, and the server's name.
    name: { type: 'string', minLength: 3, maxLength: 200, pattern: '^[A-Za-z0-9.-]+/[A-Za-z0-9._-]+$' },
    title: { type: 'string', minLength: 1, maxLength: 100 },
    description: { type: 'string', minLength: 1, maxLength: 100 },
    // A semantic version, never a range.
    version: { type: 'string', minLength: 1, maxLength: 255, pattern: '^\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?$' },
    websiteUrl: { type: 'string', format: 'uri' },
    repository: {
      type: 'object',
      required: ['url', 'source'],
      additionalProperties: false,
      properties: {
        url: { type: 'string', format: 'uri' },
        source: { type: 'string' },
        id: { type: 'string' },
        subfolder: { type: 'string' },
      },
    },
    icons: {
      type: 'array',
      items: {
        type: 'object',
        required: ['src'],
        additionalProperties: false,
        properties: {
          // The registry takes https only; an installation on one machine is listed nowhere.
          src: { type: 'string', format: 'uri', maxLength: 255 },
          mimeType: { enum: ['image/png', 'image/jpeg', 'image/jpg', 'image/svg+xml', 'image/webp'] },
          sizes: { type: 'array', items: { type: 'string', pattern: '^(\\d+x\\d+|any)$' } },
          theme: { enum: ['light', 'dark'] },
        },
      },
    },
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
      // The registry drops any other key.
      additionalProperties: false,
      properties: { 'io.modelcontextprotocol.registry/publisher-provided': { type: 'object' } },
    },
  },
} as const

/** The registry's limit for publisher metadata, in bytes of JSON. */
export const MOST_METADATA_BYTES = 4096
