const [FIRST, HANDSHAKE, STATELESS] = ['2025-03-26', '2025-11-25', '2026-07-28'] as const

type Mode = {
  /** What it speaks here. */
  revision: typeof FIRST | typeof HANDSHAKE | typeof STATELESS
  /** Where it signs in by OAuth in a test: in the test's own process, or as a program. */
  oauth?: 'library' | 'program'
}

const legacy = { revision: HANDSHAKE }
const modern = { revision: STATELESS }

/** The clients that tests connect to every address, with their modes. */
export const CLIENTS = {
  'TypeScript SDK 1.32.2': { default: { ...legacy, oauth: 'library' } },
  'TypeScript SDK 2.4.0': {
    default: { ...legacy, oauth: 'library' },
    auto: { ...modern, oauth: 'library' },
    pinned: { ...modern, oauth: 'library' },
  },
  'Python SDK 1.30.0': { default: { ...legacy, oauth: 'program' } },
  'Python SDK 2.3.0': {
    legacy: { ...legacy, oauth: 'program' },
    default: { ...modern, oauth: 'program' },
    pinned: { ...modern, oauth: 'program' },
  },
  'FastMCP 4.1.2': {
    legacy: { ...legacy, oauth: 'program' },
    default: { ...modern, oauth: 'program' },
    pinned: { ...modern, oauth: 'program' },
  },
  'Go SDK 1.8.0': { legacy: { ...legacy, oauth: 'program' }, default: { ...modern, oauth: 'program' } },
  'mcp-go 1.2.1': { legacy: { ...legacy, oauth: 'program' }, default: { ...modern, oauth: 'program' } },
  // By default it asks for 2026-07-28 in a handshake, which that revision does not have.
  'Rust SDK (rmcp) 3.9.0': {
    default: { revision: FIRST, oauth: 'program' },
    auto: { ...modern, oauth: 'program' },
    pinned: { ...modern, oauth: 'program' },
  },
  'LangChain MCP adapters 0.3.2 (Python)': { default: { ...legacy, oauth: 'program' } },
  'OpenAI Agents 0.24.0 (Python)': { default: { ...modern, oauth: 'program' } },
  'AI SDK (@ai-sdk/mcp) 2.0.99': { default: { ...modern, oauth: 'library' } },
  'Inspector 2.12.0 (--cli --transport http)': {
    default: { ...legacy, oauth: 'program' },
    '--protocol-era auto': { ...modern, oauth: 'program' },
    '--protocol-era modern': { ...modern, oauth: 'program' },
  },
  'mcp-remote 0.15.1': { default: { ...legacy, oauth: 'program' } },
} as const satisfies Record<string, Record<string, Mode>>

export type ClientName = keyof typeof CLIENTS

/** Every client in every mode. */
export const ROWS = Object.entries<Record<string, Mode>>(CLIENTS).flatMap(([client, modes]) =>
  Object.entries(modes).map(([mode, facts]) => ({ client: client as ClientName, mode, ...facts })),
)

/** Markdown: client, mode, revision, key, OAuth. */
export function clientTable(): string {
  const rows = ROWS.map(({ client, mode, revision, oauth }) => [
    client,
    mode,
    revision,
    'yes',
    oauth ? 'yes' : 'not tried',
  ])
  const lines = [['Client', 'Mode', 'Revision', 'Key', 'OAuth'], Array(5).fill('---'), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
