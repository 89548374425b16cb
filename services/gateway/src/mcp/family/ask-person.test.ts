import { mock } from 'node:test'
import { Outcome } from '@family-inbox/proto/auth/v1/auth'
import test from 'ava'
import { fakeContext } from '../../../../../tests/family-tool-server/_fake-context.ts'
import type { Request } from '../read-message.ts'
import { askPerson } from './ask-person.ts'
import { tools } from './tools/index.ts'
import type { ToolCall } from './tools/tool.ts'

const MINUTE = 60_000
const ACCEPTED = { confirm: { action: 'accept', content: {} } }

const [createCode, invite] = ['create_provider_code', 'invite_family_member'].map((name) => {
  const tool = tools.find((known) => known.name === name)
  if (tool === undefined) throw new Error(name)
  return tool
}) as [(typeof tools)[number], (typeof tools)[number]]

test.beforeEach(() => mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 4, 12) }))
test.afterEach.always(() => mock.timers.reset())

function callOf(caller: Partial<ToolCall['caller']> = {}): ToolCall {
  const owner = { principal: 'p', personId: 'p_1', workspaceId: 'ws_1', credentialId: 'key_1' }
  return { ctx: fakeContext(), caller: { ...owner, ...caller }, on: { token: 'p', deadline: 0 } } as ToolCall
}

async function confirm(params: object, call = callOf(), tool = createCode, input: object = { lovedOneId: 'lo_1' }) {
  const request = { id: '1', era: 'modern', capabilities: { elicitation: {} }, params } as unknown as Request
  const result = await askPerson(request, tool, input as Record<string, unknown>, call)
  if ('input' in result) return { kind: 'confirmed' as const, key: String(result.input.idempotencyKey) }
  const { result: answered } = JSON.parse(result.answer.body ?? '')
  const kind = result.answer.outcome === Outcome.CONFIRMATION_ASKED ? ('asked' as const) : ('refused' as const)
  return { kind, state: answered.requestState as string }
}

test.serial('a question can be answered for ten minutes and not a moment longer', async (t) => {
  const { kind, state = '' } = await confirm({})
  t.is(kind, 'asked')
  mock.timers.tick(10 * MINUTE - 1)
  t.is((await confirm({ requestState: state, inputResponses: ACCEPTED })).kind, 'confirmed')
  mock.timers.tick(1)
  t.is((await confirm({ requestState: state, inputResponses: ACCEPTED })).kind, 'refused')
})

test.serial('the same answer always takes effect under the same key, and each question has its own', async (t) => {
  const states = await Promise.all([confirm({}), confirm({})])
  const keys = await Promise.all(
    [states[0], states[0], states[1]].map((asked) => confirm({ requestState: asked?.state, inputResponses: ACCEPTED })),
  )
  t.is(keys[0]?.key, keys[1]?.key)
  t.not(keys[0]?.key, keys[2]?.key)
})

test.serial('a state that was changed anywhere is refused', async (t) => {
  const { state = '' } = await confirm({})
  for (let at = 0; at < state.length; at += 1) {
    const other = state[at] === '1' ? '2' : '1'
    const changed = `${state.slice(0, at)}${other}${state.slice(at + 1)}`
    const { kind } = await confirm({ requestState: changed, inputResponses: ACCEPTED })
    // The last Base64 character holds bits that are not part of the signature.
    if (at < state.length - 1) t.is(kind, 'refused', `character ${at}`)
  }
  for (const forged of ['', '.', '..', `${Number.MAX_SAFE_INTEGER}..`, `Infinity${state.slice(state.indexOf('.'))}`])
    t.is((await confirm({ requestState: forged, inputResponses: ACCEPTED })).kind, 'refused', forged)
})

test.serial('a state counts for one person, workspace, credential, tool and input', async (t) => {
  const { state = '' } = await confirm({})
  const answer = { requestState: state, inputResponses: ACCEPTED }
  for (const caller of [{ personId: 'p_2' }, { workspaceId: 'ws_2' }, { credentialId: 'key_2' }])
    t.is((await confirm(answer, callOf(caller))).kind, 'refused', JSON.stringify(caller))
  t.is((await confirm(answer, callOf(), createCode, { lovedOneId: 'lo_2' })).kind, 'refused')
  t.is((await confirm(answer, callOf(), invite, { email: 'a@b.example', role: 'viewer' })).kind, 'refused')
  t.is((await confirm(answer)).kind, 'confirmed')
})
