import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import anyTest, { type TestFn } from 'ava'
import { outcomeOf, statusOf, untilAnswered } from '../_outcome.ts'
import { type Circle, invitationFor, startCircle } from './_circle.ts'

const test = (anyTest as TestFn<Circle>).serial

const AT_FIRST = 10
const PER_NETWORK = 25

test.before(async (t) => {
  const env = {
    INVITATIONS_PER_DAY: '50',
    NEW_FAMILY_INVITATIONS_PER_DAY: `${AT_FIRST}`,
    INVITATIONS_PER_NETWORK: `${PER_NETWORK}`,
  }
  t.context = await startCircle({ env })
})
test.after.always((t) => t.context?.[Symbol.asyncDispose]())

/** A family of one, and what it sends. */
async function newFamily({ person, careCircle, mails }: Circle) {
  const founder = await person()
  const words = { name: 'Your Bank', ownerName: 'Your Bank', relationship: '' }
  const { workspaceId } = await untilAnswered(() => careCircle.createWorkspace(words, { token: founder.signedIn }))
  const token = await founder.keyIn(workspaceId)
  const invite = async (clientAddress = '') =>
    careCircle.inviteMember(invitationFor((await person()).email, { clientAddress }), { token })
  const inviteMany = async (count: number, clientAddress?: string) => {
    const statuses: string[] = []
    for (let n = 0; n < count; n += 1) statuses.push(await statusOf(invite(clientAddress)))
    return statuses.filter((status) => status === 'OK').length
  }
  const mailed = async () => (await mails()).filter((mail) => mail.workspaceId === workspaceId).length
  return { workspaceId, token, invite, inviteMany, mailed }
}

async function aWeekLater({ rows }: Circle, workspaceId: string): Promise<void> {
  const joinedAt = new Date(Date.now() - 7 * 24 * 60 * 60_000 - 1000)
  await rows('members').updateMany({ workspaceId }, { $set: { joinedAt } })
}

test('a minute-old family mails ten invitations a day, also to those it canceled and mailed again', async (t) => {
  const { invite, inviteMany, mailed, token, workspaceId } = await newFamily(t.context)
  const { careCircle, rows } = t.context
  const { invitationId } = await invite()
  await careCircle.resendInvitation({ invitationId }, { token })
  await careCircle.cancelInvitation({ invitationId }, { token })
  t.is(await inviteMany(20), AT_FIRST - 2)
  t.is(await mailed(), AT_FIRST)
  const refusal = await outcomeOf(invite())
  t.true(refusal instanceof StatusError)
  t.like(refusal, { status: 'RESOURCE_EXHAUSTED' })
  t.regex((refusal as StatusError).message, /first week.* 10 a day/)
  t.true(((refusal as StatusError).detail.retryAfterSec ?? 0) > 86_000)
  t.is(await rows('invitations').countDocuments({ workspaceId, mailDueAt: { $exists: true } }), 0)
})

test('age alone lifts nothing, nor does somebody who joins on the first day; both do', async (t) => {
  const old = await newFamily(t.context)
  await aWeekLater(t.context, old.workspaceId)
  t.is(await old.inviteMany(AT_FIRST + 2), AT_FIRST)
  const { owner, workspaceId } = await t.context.workspace()
  const { careCircle, person } = t.context
  const invite = async () => careCircle.inviteMember(invitationFor((await person()).email), { token: owner.token })
  for (let n = 2; n < AT_FIRST; n += 1) await invite()
  t.is(await statusOf(invite()), 'RESOURCE_EXHAUSTED')
  await aWeekLater(t.context, workspaceId)
  for (let n = 0; n < AT_FIRST; n += 1) t.is(await statusOf(invite()), 'OK')
})

test('a network mails few invitations of all its new families, and others are not held up', async (t) => {
  const { workspace, careCircle, person, rows } = t.context
  const network = (nth: number) => `2001:db8:1:2::${nth}`
  let sent = 0
  for (let nth = 0; nth < 4; nth += 1) sent += await (await newFamily(t.context)).inviteMany(AT_FIRST, network(nth))
  t.is(sent, PER_NETWORK)
  const next = await newFamily(t.context)
  const refusal = await outcomeOf(next.invite(network(9)))
  t.regex(refusal instanceof StatusError ? refusal.message : '', /from your network/)
  t.is(await next.inviteMany(1, '2001:db8:1:3::1'), 1)
  const { invitationId } = await next.invite('203.0.113.4')
  const again = { invitationId, clientAddress: network(1) }
  t.is(await statusOf(careCircle.resendInvitation(again, { token: next.token })), 'RESOURCE_EXHAUSTED')
  const { owner, workspaceId } = await workspace()
  await aWeekLater(t.context, workspaceId)
  const invitation = invitationFor((await person()).email, { clientAddress: network(1) })
  t.is(await statusOf(careCircle.inviteMember(invitation, { token: owner.token })), 'OK')
  const kept = JSON.stringify([
    await rows('invitations').find().toArray(),
    await rows('mail_allowances').find().toArray(),
    await rows('workspaces').find().toArray(),
  ])
  t.notRegex(kept, /2001:db8|203\.0\.113/)
  t.is(await rows('invitations').countDocuments({ network: { $exists: true } }), 0, 'forgotten once it is mailed')
})

test('no name and no note with a link is accepted, wherever it is typed', async (t) => {
  const { person, careCircle } = t.context
  const { token, workspaceId, mailed } = await newFamily(t.context)
  const [founder, guest] = [await person(), await person()]
  const { lovedOne } = await careCircle.addLovedOne({ name: 'Rosa' }, { token })
  const invited = await careCircle.inviteMember(invitationFor(guest.email), { token })
  const before = await mailed()
  const words = { name: 'The Almeida family', ownerName: 'Ana', relationship: 'daughter' }
  const invite = async (more: object) => careCircle.inviteMember(invitationFor((await person()).email, more), { token })
  const typed: Record<string, (text: string) => Promise<unknown>> = {
    message: (message) => invite({ message }),
    relationship: (relationship) => invite({ relationship }),
    'name of a family': (name) => careCircle.createWorkspace({ ...words, name }, { token: founder.signedIn }),
    ownerName: (ownerName) => careCircle.createWorkspace({ ...words, ownerName }, { token: founder.signedIn }),
    'name of a loved one': (name) => careCircle.addLovedOne({ name }, { token }),
    'name, changed': (name) => careCircle.renameLovedOne({ lovedOneId: lovedOne?.id ?? '', name }, { token }),
    'name of a member': (name) => careCircle.renameMember({ name }, { token: founder.signedIn }),
    'name of who accepts': (name) =>
      careCircle.acceptInvitation({ token: invited.token, name }, { token: guest.signedIn }),
  }
  for (const [where, type] of Object.entries(typed))
    for (const link of ['bank.com', 'See https://bank.example/x', 'security@bank.example', 'b\u200dank．com']) {
      const outcome = await outcomeOf(type(link))
      t.like(
        outcome,
        { status: 'INVALID_ARGUMENT', detail: { field: where.split(/\W/)[0] ?? '' } },
        `${where}: ${link}`,
      )
      t.regex((outcome as StatusError).message, /must not contain links, domains or email addresses/)
    }
  t.is(await mailed(), before)
  for (const name of ["St. Mary's", 'J.R.', 'د.أحمد', 'А.С.Пушкин'])
    t.is(await statusOf(careCircle.renameMember({ name }, { token: founder.signedIn })), 'OK', name)
  t.is(await statusOf(invite({ message: 'We miss you. Love, J.R.' })), 'OK')
  t.truthy(workspaceId)
})
