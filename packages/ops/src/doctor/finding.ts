/** `warning`: it works, but not as well as it could, or not for long. `skipped`: it cannot be known here. */
export type State = 'ok' | 'warning' | 'problem' | 'skipped'

/** What one check found, for people, and what to do about it. */
export type Finding = { check: string; state: State; says: string; todo?: string }

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
