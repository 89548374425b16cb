import { identityKeys } from '@family-inbox/local-stack/secrets'
import type { DemoFamily } from '@family-inbox/ops/demo-seed'
import { CareCircleServiceService } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { ExportPiece } from '@family-inbox/proto/export/v1/export'
import { InboxServiceService } from '@family-inbox/proto/inbox/v1/inbox'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { createIdentity } from '@family-inbox/service-kit/rpc/identity'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import anyTest, { type TestFn } from 'ava'
import type { MongoClient } from 'mongodb'
import { databaseName, openDatabase } from '../_database.ts'
import { dialPatiently } from '../_dial-patiently.ts'
import { joinFamily } from '../_family.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { readUntil } from '../_wait.ts'
import { callTool, mintKey, receive } from './_approval.ts'

type Shared = Awaited<ReturnType<typeof joinFamily>>
type World = { f: Shared; stranger: DemoFamily; mongo: MongoClient; waiting: Waiting }
/** What waits in the first family, and every word of it that only its members may see. */
type Waiting = { replyId: string; invitationId: string; messageId: string; lovedOneId: string; own: string[] }

const test = (anyTest as TestFn<World>).serial
const ROLES = ['owner', 'coordinator', 'viewer'] as const
const MISSING = { reply: 'prop_00000000000000000000000000', invitation: 'invp_00000000000000000000000000' }

test.before(async (t) => {
  const f = await joinFamily('standard', { withMail: true })
  const mongo = await openDatabase(f.stack)
  t.context = {
    f,
    stranger: await f.another({ others: ['coordinator', 'viewer'] }),
    mongo,
    waiting: await proposeBoth(f),
  }
})
test.after.always(async (t) => {
  await t.context.mongo?.close()
  await t.context.f?.[Symbol.asyncDispose]()
})

async function proposeBoth(f: Shared): Promise<Waiting> {
  const assistant = `Assistant ${randomText(10)}`
  const key = await mintKey(await signIn(f, f.sink, f.family.people.owner), 'approval', assistant)
  const [body, message] = [`Reply ${randomText(10)}`, `Note ${randomText(10)}`]
  const email = `${randomText(10)}@guest.example`
  const ids = await receive(f, 'desk@clinic.example')
  const reply = await callTool(f, key, 'reply_to_inbox_message', { ...ids, body, idempotencyKey: 'the same' })
  const asked = { email, role: 'viewer', message, idempotencyKey: 'the same' }
  const invitation = await callTool(f, key, 'invite_family_member', asked)
  const [replyId, invitationId] = [String(reply.data.proposalId), String(invitation.data.proposalId)]
  return { ...ids, replyId, invitationId, own: [assistant, body, message, email, replyId, invitationId] }
}

const databaseOf = ({ f, mongo }: World, service: 'care-circle' | 'inbox') => mongo.db(databaseName(f.stack, service))

type Row = { _id: string; announceDueAt?: Date }

const storedRows = async (world: World) => {
  const { replyId, invitationId } = world.waiting
  const replies = databaseOf(world, 'inbox').collection<Row>('reply_proposals')
  const invitations = databaseOf(world, 'care-circle').collection<Row>('invitation_proposals')
  const invitation = await readUntil(
    () => invitations.findOne({ _id: invitationId }),
    // Once inbox knows of it, nothing else changes it.
    (row) => row !== null && row.announceDueAt === undefined,
  )
  return [await replies.findOne({ _id: replyId }), invitation]
}

/** The services as the site calls them for each member of a family. */
async function membersOf(world: World, { workspaceId }: DemoFamily) {
  const { stack } = world.f
  const { privateKeys, publicKeys } = await identityKeys(stack.dataDir)
  const auth = await createIdentity(privateKeys.auth, publicKeys)
  const site = await createIdentity(privateKeys.site, publicKeys)
  const inbox = dialPatiently(InboxServiceService, stack.addresses.inbox ?? '', site)
  const careCircle = dialPatiently(CareCircleServiceService, stack.addresses['care-circle'] ?? '', site)
  const members = databaseOf(world, 'care-circle').collection<{ personId: string }>('members')
  const tokens = []
  for (const { personId } of await members.find({ workspaceId }).toArray()) {
    const verifiedAt = Math.floor(Date.now() / 1000)
    tokens.push(await auth.principalToken({ personId, workspaceId, credentialId: 'ses_1', verifiedAt }, 'site'))
  }
  const close = () => {
    inbox.close()
    careCircle.close()
  }
  return { inbox, careCircle, tokens, [Symbol.dispose]: close }
}

test('for another family, what waits is on no page and can be neither sent nor declined', async (t) => {
  const { f, stranger, waiting } = t.context
  const before = await storedRows(t.context)
  for (const role of ROLES) {
    const visitor = await signIn(f, f.sink, stranger.people[role])
    for (const page of ['/', '/approvals', '/care-circle', `/inbox/${waiting.lovedOneId}/${waiting.messageId}`])
      t.deepEqual(wordsIn((await visitor.get(page)).text, waiting.own), [], `${role}: ${page}`)
    for (const [theirs, missing] of [
      [`/approvals/replies/${waiting.replyId}`, `/approvals/replies/${MISSING.reply}`],
      [`/approvals/invitations/${waiting.invitationId}`, `/approvals/invitations/${MISSING.invitation}`],
    ] as const) {
      for (const decision of [undefined, 'send', 'decline'])
        t.deepEqual(
          await outcome(visitor, theirs, decision),
          await outcome(visitor, missing, decision),
          `${role}: ${theirs} ${decision}`,
        )
    }
  }
  t.deepEqual(await storedRows(t.context), before)
})

async function outcome(visitor: Visitor, path: string, decision: string | undefined) {
  const answer = await (decision === undefined
    ? visitor.get(path)
    : visitor.submit(path, { body: 'Mine now', decision }))
  const { status, headers, text } = answer
  return { status, location: headers.location, text: text.replaceAll(path, '') }
}

function wordsIn(text: string, words: string[]): string[] {
  return words.filter((word) => text.includes(word))
}

test('between services, the id of what waits in another family is like one that does not exist, for every role', async (t) => {
  const { stranger, waiting } = t.context
  const before = await storedRows(t.context)
  using callers = await membersOf(t.context, stranger)
  const { inbox, careCircle, tokens } = callers
  t.is(tokens.length, ROLES.length)
  const calls = [
    (token: string, proposalId: string) => inbox.getReplyProposal({ proposalId }, { token }),
    (token: string, proposalId: string) => inbox.approveReplyProposal({ proposalId }, { token }),
    (token: string, proposalId: string) => inbox.declineReplyProposal({ proposalId }, { token }),
    (token: string, proposalId: string) => careCircle.approveInvitationProposal({ proposalId }, { token }),
    (token: string, proposalId: string) => careCircle.declineInvitationProposal({ proposalId }, { token }),
  ]
  for (const [nth, call] of calls.entries())
    for (const token of tokens) {
      const ids = [waiting.replyId, waiting.invitationId, MISSING.reply, MISSING.invitation, 'nonsense', '$ne', '']
      const refusals = await Promise.all(ids.map((id) => refusalOf(call(token, id))))
      t.is(new Set(refusals).size, 1, `${nth}: ${refusals.join('\n')}`)
      t.regex(refusals[0] ?? '', /^(NOT_FOUND|PERMISSION_DENIED) /)
    }
  t.deepEqual(await storedRows(t.context), before)
})

async function refusalOf(call: Promise<unknown>): Promise<string> {
  try {
    return `answered ${JSON.stringify(await call)}`
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    return `${error.status} ${error.message} ${JSON.stringify(error.detail)}`
  }
}

test('no list, download or tool of another family has a word of what waits', async (t) => {
  const { f, stranger, waiting } = t.context
  using callers = await membersOf(t.context, stranger)
  using ours = await membersOf(t.context, f.family)
  const owners = await Promise.all(ours.tokens.map((token) => everythingOf(ours, token)))
  for (const word of waiting.own) t.true(owners.join().includes(word), `the family itself finds ${word}`)
  for (const token of callers.tokens) t.deepEqual(wordsIn(await everythingOf(callers, token), waiting.own), [])
  const guest = { ...f, family: stranger }
  const { messageId, lovedOneId } = await receive(guest, 'desk@clinic.example')
  for (const role of ROLES) {
    const calls: [string, object][] = [
      ['list_inbox_messages', { lovedOneId }],
      ['get_inbox_message', { lovedOneId, messageId }],
      ['get_inbox_message', { lovedOneId, messageId: waiting.messageId }],
      ['get_inbox_message', { lovedOneId: waiting.lovedOneId, messageId: waiting.messageId }],
      ['list_family_members', {}],
    ]
    for (const [tool, args] of calls) {
      const { text, data } = await callTool(guest, stranger.keys[role], tool, args)
      t.deepEqual(wordsIn(text + JSON.stringify(data), waiting.own), [], `${role}: ${tool}`)
    }
  }
})

/** All that lists and downloads have for a member. Viewers get no lists. */
async function everythingOf({ inbox, careCircle }: Awaited<ReturnType<typeof membersOf>>, token: string) {
  const lists = await Promise.allSettled([
    inbox.listReplyProposals({}, { token }),
    careCircle.listInvitationProposals({}, { token }),
  ])
  const found = lists.map((list) => (list.status === 'fulfilled' ? JSON.stringify(list.value) : ''))
  const files = [
    await textOf(inbox.exportInbox({}, { token })),
    await textOf(careCircle.exportWorkspace({}, { token })),
  ]
  return [...found, ...files].join('\n')
}

async function textOf(pieces: AsyncIterable<{ piece?: ExportPiece | undefined }>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const { piece } of pieces) if (piece !== undefined) chunks.push(piece.data)
  return Buffer.concat(chunks).toString()
}

test('the key of a proposal in one family is free in any other', async (t) => {
  const { f, stranger, waiting } = t.context
  const guest = { ...f, family: stranger }
  const owner = await signIn(f, f.sink, stranger.people.owner)
  const key = await mintKey(owner, 'approval')
  const { messageId } = await receive(guest, 'desk@clinic.example')
  const reply = { messageId, body: 'Ours', idempotencyKey: 'the same' }
  const invitation = { email: `${randomText(10)}@guest.example`, role: 'viewer', idempotencyKey: 'the same' }
  for (const [tool, args] of [
    ['reply_to_inbox_message', reply],
    ['invite_family_member', invitation],
  ] as const) {
    const { data, text } = await callTool(guest, key, tool, args)
    t.is(data.status, 'waiting_for_approval', text)
    t.false([waiting.replyId, waiting.invitationId].includes(String(data.proposalId)))
    t.deepEqual(wordsIn(text, waiting.own), [])
  }
})
