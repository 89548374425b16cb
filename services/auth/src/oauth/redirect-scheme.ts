const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** An allow list: other schemes may trigger the operating system (`ms-msdt:`, `search-ms:`, `tel:`). */
const KNOWN_APPLICATIONS =
  /^(?:antigravity|boltai|chatgpt|cherrystudio|claude|code-oss|codex|copilot|cursor|gemini|goose|jan|jetbrains|kiro|librechat|lmstudio|mcp|mistral|msty|perplexity|positron|raycast|theia|trae|vscode|vscodium|warp|windsurf|witsy|zed)(?:-(?:beta|canary|dev|insiders|next|nightly|preview|stable))?:$/

/** A reversed domain name (RFC 8252 section 7.1), except those Windows and macOS use for themselves. */
const REVERSED_DOMAIN =
  /^(?!(?:apple|microsoft|windows|x-apple)\.)[a-z][a-z0-9]*(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+:$/

export function isRedirectScheme(url: URL): boolean {
  if (url.protocol === 'https:') return true
  if (url.protocol === 'http:') return isLoopback(url)
  return REVERSED_DOMAIN.test(url.protocol) || KNOWN_APPLICATIONS.test(url.protocol)
}

/** RFC 8252 section 7.3. */
export function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK.has(hostname)
}
