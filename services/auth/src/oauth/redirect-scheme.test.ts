import test from 'ava'
import { isRedirectScheme } from './redirect-scheme.ts'

const fits = (uri: string) => isRedirectScheme(new URL(uri))

test('a code may be sent to https, to localhost and to a known app scheme', (t) => {
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
    'cursor-evil',
    'vscode',
    'mcp',
    'com',
    'com.',
    'claude.',
  ])
    for (const rest of ['://host/path', ':host?id=x']) t.false(fits(`${scheme}${rest}`), `${scheme}${rest}`)
  for (const uri of ['http://example.com/', 'http://localhost.evil.example/', 'java\nscript:alert(1)'])
    t.false(fits(uri), uri)
})
