/** The handshake's fixed facts (SPEC "Versioning"). */
export const serverInfo = { name: 'app.service/family-inbox', title: 'Family Care Inbox', version: '0.3.0' } as const

/** Answered to every `initialize`, whatever version the client asks for. */
export const protocolVersion = '2025-03-26'
