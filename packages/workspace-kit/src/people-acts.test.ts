import type { AuditEntry } from '@family-inbox/proto/auth/v1/auth'
import { HOUR_MS } from '@family-inbox/service-kit/time/days'
import test from 'ava'
import { type Act, createRecordAct, toEntry } from './people-acts.ts'

const ana = { workspaceId: 'ws_1', personId: 'per_ana' }
const luis = { workspaceId: 'ws_1', personId: 'per_luis' }
const at = new Date('2026-05-12T10:01:00Z')
const later = (ms: number) => new Date(at.getTime() + ms)
const idOf = (actor: typeof ana, act: Act, when = at) => toEntry(actor, act, when).id

test('what is looked at is one entry an hour, for each person and thing', (t) => {
  const open: Act = { act: 'open_message', hourly: 'msg_1' }
  const id = idOf(ana, open)
  t.is(idOf(ana, open, later(58 * 60_000)), id)
  const others = [
    idOf(ana, open, later(HOUR_MS)),
    idOf(luis, open),
    idOf(ana, { act: 'open_message', hourly: 'msg_2' }),
    idOf(ana, { act: 'download_attachment', hourly: 'msg_1' }),
    idOf({ ...ana, workspaceId: 'ws_2' }, open),
  ]
  t.is(new Set([id, ...others]).size, 6)
})

test('what was stored is one entry, however often it is asked for, and what is done again is another', (t) => {
  const forward: Act = { act: 'forward_message', once: 'rep_1' }
  t.is(idOf(ana, forward), idOf(ana, forward, later(5 * HOUR_MS)))
  t.not(idOf(ana, { act: 'move_to_junk' }), idOf(ana, { act: 'move_to_junk' }))
})

test('an answer neither fails nor waits long because its entry cannot be stored, and the log says so', async (t) => {
  const warnings: unknown[] = []
  const logger = { warn: (fields: unknown) => warnings.push(fields), error: () => {} } as never
  const failing = createRecordAct(
    { recordAuditEntries: async () => Promise.reject(new Error('away')) } as never,
    logger,
  )
  await failing(ana, { act: 'block_sender' })
  t.is(warnings.length, 1)
  t.notRegex(JSON.stringify(warnings), /ana/)
  const silent = createRecordAct({ recordAuditEntries: () => new Promise(() => {}) } as never, logger)
  await silent(ana, { act: 'block_sender' })
})

test('an entry that failed is tried again, as the same one', async (t) => {
  const { promise: stored, resolve } = Promise.withResolvers<AuditEntry[]>()
  const tried: string[] = []
  const auth = {
    recordAuditEntries: async ({ entries }: { entries: AuditEntry[] }) => {
      tried.push(...entries.map(({ id }) => id))
      if (tried.length === 1) throw new Error('away')
      resolve(entries)
    },
  }
  const alive = setInterval(() => {}, 1000)
  const record = createRecordAct(auth as never, { warn: () => {}, error: () => {} } as never)
  await record(ana, { act: 'block_sender' })
  await stored
  clearInterval(alive)
  t.is(tried.length, 2)
  t.is(new Set(tried).size, 1)
})
