import test from 'ava'
import { isRedirectScheme, readRedirectUris } from './redirect-uris.ts'

const RULE = { accepted: new Set<string>(), refused: new Set<string>() }
const fits = (uri: string, schemes = RULE) => isRedirectScheme(new URL(uri), schemes)

test('a code may be sent to https, to localhost and to the scheme of an app', (t) => {
  for (const uri of [
    'https://claude.ai/api/mcp/auth_callback',
    'http://localhost:3334/oauth/callback',
    'http://127.0.0.1:33418/',
    'http://[::1]:80/',
    'com.example.app:/oauth',
    'com.example.family-care.app://callback',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'claude://callback',
    'CURSOR://anysphere.cursor-mcp/oauth/callback',
    'acme-notes:/oauth',
  ])
    t.true(fits(uri), uri)
})

test('a code is never sent to a scheme the operating system or browser handles', (t) => {
  for (const scheme of [
    'javascript',
    'data',
    'vbscript',
    'file',
    'blob',
    'about',
    'view-source',
    'filesystem',
    'chrome',
    'ws',
    'ftp',
    'ms-msdt',
    'MS-MSDT',
    'ms-officecmd',
    'ms-settings',
    'ms-word',
    'ms-appinstaller',
    'search-ms',
    'search',
    'shell',
    'microsoft.windows.camera',
    'microsoft-edge',
    'x-apple.systempreferences',
    'apple.systempreferences',
    'itms-services',
    'mailto',
    'tel',
    'sms',
    'facetime',
    'intent',
    'market',
    'android-app',
    'content',
    'ssh',
    'telnet',
    'smb',
    'nfs',
    'ldap',
    'steam',
    'zoommtg',
    'slack',
    'jnlp',
    'terminal',
    'vnc',
    'rdp',
    'jar',
    'urn',
    'com',
    'com.',
    'claude.',
  ])
    for (const rest of ['://host/path', ':host?id=x']) t.false(fits(`${scheme}${rest}`), `${scheme}${rest}`)
  for (const uri of ['http://example.com/', 'http://localhost.evil.example/', 'java\nscript:alert(1)'])
    t.false(fits(uri), uri)
})

test('an unsafe address is left out, and refuses only a registration without another', (t) => {
  const web = 'https://assistant.example/callback'
  const unsafe = [
    'javascript://x',
    'http://assistant.example/',
    `${web}#part`,
    'https://a@assistant.example/',
    'nothing',
    7,
  ]
  t.deepEqual(readRedirectUris([...unsafe, web], RULE), [web])
  for (const uri of unsafe.slice(0, 4))
    t.throws(() => readRedirectUris([uri], RULE), { message: 'invalid_redirect_uri' })
})

test('the operator adds schemes, and takes some away', (t) => {
  const schemes = { accepted: new Set(['slack']), refused: new Set(['warp']) }
  t.true(fits('slack://callback', schemes))
  t.false(fits('warp://callback', schemes))
  t.true(fits('zed://callback', schemes))
})

test('a scheme whose text is what is done gets no code, whatever its name', (t) => {
  for (const uri of ['acme:4711', 'acme:calc.exe', 'acme:']) t.false(fits(uri), uri)
})

/** What programs register, as their code or their users' reports show it. */
const REAL = `
Claude                 https://claude.ai/api/mcp/auth_callback
Claude                 https://claude.com/api/mcp/auth_callback
Claude Code            http://localhost:54212/callback
ChatGPT                https://chatgpt.com/connector_platform_oauth_redirect
ChatGPT                https://chatgpt.com/connector/oauth/abc123
Codex                  http://127.0.0.1:1455/callback
Gemini                 http://localhost:7777/oauth/callback
Cursor                 cursor://anysphere.cursor-mcp/oauth/callback
Cursor                 https://www.cursor.com/agents/mcp/oauth/callback
VS Code                https://vscode.dev/redirect
VS Code                http://127.0.0.1:33418/
VS Code Insiders       https://insiders.vscode.dev/redirect
VS Code                vscode://vscode.microsoft-authentication/callback
VS Code Insiders       vscode-insiders://saoudrizwan.claude-dev/mcp-auth/callback/abc123
Cline                  vscode://saoudrizwan.claude-dev/mcp-auth/callback/abc123
VSCodium               vscodium://saoudrizwan.claude-dev/mcp-auth/callback/abc123
Windsurf               windsurf://saoudrizwan.claude-dev/mcp-auth/callback/abc123
Kiro                   kiro://kiro.mcp/oauth/callback
Trae                   trae://saoudrizwan.claude-dev/mcp-auth/callback/abc123
Warp                   warp://mcp/oauth2callback
Warp Preview           warppreview://mcp/oauth2callback
Raycast                com.raycast:/oauth?package_name=Extension
Raycast                raycast://oauth?package_name=Extension
Raycast                https://raycast.com/redirect?packageName=Extension
LM Studio              lmstudio://mcp/oauth/callback
Goose                  goose://oauth/callback
Goose                  http://localhost:49152/oauth_callback
Zed                    zed://mcp/oauth/callback
JetBrains              jetbrains://idea/mcp/oauth/callback
BoltAI                 boltai://oauth/callback
Cherry Studio          cherrystudio://oauth/callback
Le Chat                https://callback.mistral.ai/v1/integrations_auth/oauth2_callback
Perplexity             https://www.perplexity.ai/rest/connections/oauth_callback
MCP Inspector          http://localhost:6274/oauth/callback/debug
mcp-remote             http://127.0.0.1:3334/oauth/callback
opencode               http://127.0.0.1:19876/mcp/oauth/callback
`

for (const [, program = '', uri = ''] of REAL.matchAll(/^(\S.*?) {2,}(\S+)$/gm))
  test(`${program} gets its code at ${uri}`, (t) => {
    t.deepEqual(readRedirectUris([uri], RULE), [uri])
  })
