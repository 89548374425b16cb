/** The name an assistant knows this server by. */
export const SERVER_NAME = 'family-inbox'

/** What stands where one's own key goes. */
export const KEY_PLACE = '<API_KEY>'

/** What is pasted into each client, with this installation's own address. */
export type Snippets = ReturnType<typeof snippetsFor>

/**
 * Writes what is pasted into each client. Those that sign in take the address alone.
 * @param endpoint the tool server's address, such as `https://api.family-inbox.example/mcp/v1`
 */
export function snippetsFor(endpoint: string) {
  const bearer = `Authorization: Bearer ${KEY_PLACE}`
  return {
    cursorLink: cursorLink(endpoint),
    cursorJson: json({ mcpServers: { [SERVER_NAME]: { url: endpoint } } }),
    vsCodeLink: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: SERVER_NAME, type: 'http', url: endpoint }))}`,
    vsCodeJson: json({ servers: { [SERVER_NAME]: { type: 'http', url: endpoint } } }),
    claudeCode: `claude mcp add --transport http --scope user ${SERVER_NAME} ${endpoint}`,
    claudeCodeWithKey: `claude mcp add --transport http --scope user ${SERVER_NAME} ${endpoint} --header "${bearer}"`,
    bridge: json({
      mcpServers: {
        [SERVER_NAME]: { command: 'npx', args: ['-y', 'mcp-remote', endpoint, '--header', bearer] },
      },
    }),
    curl: [
      `curl -s ${endpoint} \\`,
      `  -H "${bearer}" -H "Content-Type: application/json" \\`,
      `  -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_loved_ones"}}'`,
    ].join('\n'),
  }
}

/** Opens Cursor and asks there whether to add the server. */
function cursorLink(url: string): string {
  const config = Buffer.from(JSON.stringify({ url })).toString('base64')
  return `cursor://anysphere.cursor-deeplink/mcp/install?name=${SERVER_NAME}&config=${encodeURIComponent(config)}`
}

/** Whether an address is one of this very machine, where assistants that run elsewhere cannot come. */
export function isThisMachine(endpoint: string): boolean {
  const { hostname } = new URL(endpoint)
  return hostname === 'localhost' || hostname.endsWith('.localhost') || /^127(\.\d+){3}$|^\[::1\]$/.test(hostname)
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
