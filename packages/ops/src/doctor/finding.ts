import type { Finding } from '@family-inbox/workspace-kit/examination'

export type { Finding, State } from '@family-inbox/workspace-kit/examination'

export function ok(check: string, says: string): Finding {
  return { check, state: 'ok', says }
}

export function skipped(check: string, says: string): Finding {
  return { check, state: 'skipped', says }
}

export function warning(check: string, says: string, todo: string): Finding {
  return { check, state: 'warning', says, todo }
}

export function problem(check: string, says: string, todo: string): Finding {
  return { check, state: 'problem', says, todo }
}
