const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Schemes of applications that speak MCP and do not name themselves by a domain: the name, or an edition of it such as
 * `vscode-insiders:`. A scheme that is not listed may belong to the operating system (`ms-msdt:`, `search-ms:`, `tel:`), which
 * would act on what an authorization response says.
 */
const KNOWN_APPLICATIONS =
  /^(?:antigravity|boltai|chatgpt|cherrystudio|claude|code-oss|codex|copilot|cursor|gemini|goose|jan|jetbrains|kiro|librechat|lmstudio|mcp|mistral|msty|perplexity|positron|raycast|theia|trae|vscode|vscodium|warp|windsurf|witsy|zed)(?:-(?:beta|canary|dev|insiders|next|nightly|preview|stable))?:$/

/** A domain backwards, as RFC 8252 section 7.1 asks for. Windows and macOS name parts of their own in this way, too. */
const REVERSED_DOMAIN =
  /^(?!(?:apple|microsoft|windows|x-apple)\.)[a-z][a-z0-9]*(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+:$/

/** Whether a code may be sent to an address by its scheme: https, http on this computer, or an application's own. */
export function isRedirectScheme(url: URL): boolean {
  if (url.protocol === 'https:') return true
  if (url.protocol === 'http:') return isLoopback(url)
  return REVERSED_DOMAIN.test(url.protocol) || KNOWN_APPLICATIONS.test(url.protocol)
}

/** Whether an address leads to the computer it is opened on (RFC 8252 section 7.3). */
export function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK.has(hostname)
}
