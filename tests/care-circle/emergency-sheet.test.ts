import { identityKeys } from '@family-inbox/local-stack/secrets'
import { EmergencyLinkState, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { createIdentity } from '@family-inbox/service-kit/rpc/identity'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import anyTest, { type TestFn } from 'ava'
import { outcomeOf, statusOf } from '../_outcome.ts'
import { until } from '../_wait.ts'
import { type CareCircle, type Circle, type Fellow, joinCircle, type Workspace } from './_circle.ts'

type World = { circle: Circle; site: CareCircle }

const test = (anyTest as TestFn<World>).serial

test.before(async ({ context }) => {
  context.circle = await joinCircle()
  context.site = await context.circle.as('site')
})
test.after.always(({ context }) => context.circle?.[Symbol.asyncDispose]())

const EMPTY = {
  conditions: '',
  allergies: '',
  medication: '',
  doctors: '',
  insurance: '',
  contacts: '',
  wishes: '',
}
const ROSA = { ...EMPTY, allergies: 'Penicillin', medication: 'Bisoprolol 2.5 mg, mornings' }

async function newFamily({ circle, site }: World, texts = ROSA): Promise<Workspace> {
  const family = await circle.workspace()
  const { owner, lovedOneId } = family
  await site.setEmergencySheet({ lovedOneId, texts, version: 0 }, { token: owner.token })
  return family
}

async function newLink({ site }: World, { owner, lovedOneId }: Workspace, idempotencyKey = '') {
  const created = await site.createEmergencyLink({ lovedOneId, hours: 24, idempotencyKey }, { token: owner.token })
  return { token: created.token, code: created.code, id: created.link?.id ?? '' }
}

/** Each caller has a network of its own. */
let networks = 0
function openAs(site: CareCircle, token: string, code: string) {
  networks += 1
  const clientAddress = `2001:db8:${networks.toString(16)}::1`
  return site.openEmergencyLink({ token, code, clientAddress }, {})
}

/** A code that differs from the right one. */
function wrong(code: string, by = 1): string {
  return String((Number(code) + by) % 1_000_000).padStart(6, '0')
}

/** The owner’s credential, in the hands of the service that assistants call. */
async function asAssistant(circle: Circle, owner: Fellow, workspaceId: string): Promise<string> {
  const auth = await authOf(circle)
  const verifiedAt = Math.floor(Date.now() / 1000)
  return auth.principalToken({ personId: owner.personId, workspaceId, credentialId: 'key_1', verifiedAt }, 'gateway')
}

/** The owner’s session, eleven minutes after the sign-in. */
async function later(circle: Circle, { personId }: Fellow, workspaceId: string): Promise<string> {
  const auth = await authOf(circle)
  const verifiedAt = Math.floor(Date.now() / 1000) - 11 * 60
  return auth.principalToken({ personId, workspaceId, credentialId: 'ses_1', verifiedAt }, 'site')
}

async function authOf({ stack }: Circle) {
  const { privateKeys, publicKeys } = await identityKeys(stack.dataDir)
  return createIdentity(privateKeys.auth, publicKeys)
}

async function linksOf({ site }: World, { owner, lovedOneId }: Workspace) {
  return (await site.getEmergencySheet({ lovedOneId }, { token: owner.token })).links
}

test('owner and coordinators write the sheet, viewers read it, and it says who checked it last', async (t) => {
  const { circle, site } = t.context
  const { owner, coordinator, viewer, lovedOneId } = await circle.workspace()
  const read = async () => (await site.getEmergencySheet({ lovedOneId }, { token: viewer.token })).sheet
  t.like(await read(), { version: 0, texts: EMPTY, checkedAt: undefined })
  const texts = { ...ROSA, wishes: ' Speaks Portuguese.\r\n\r\n\r\n\r\nHearing aid on the left\u202e ' }
  await site.setEmergencySheet({ lovedOneId, texts, version: 0 }, { token: coordinator.token })
  t.like(await read(), {
    version: 1,
    texts: { ...ROSA, wishes: 'Speaks Portuguese.\n\nHearing aid on the left' },
    changedByName: 'Luis Almeida',
    checkedByName: 'Luis Almeida',
  })
  await circle.rows('emergency_sheets').updateOne({ _id: lovedOneId }, { $set: { checkedAt: new Date('2026-05-03') } })
  await site.checkEmergencySheet({ lovedOneId, version: 1 }, { token: owner.token })
  const checked = await read()
  t.like(checked, { version: 1, changedByName: 'Luis Almeida', checkedByName: 'Ana Almeida' })
  t.true(Date.now() - (checked?.checkedAt?.getTime() ?? 0) < 60_000)
  const asViewer = { token: viewer.token }
  t.is(await statusOf(site.setEmergencySheet({ lovedOneId, texts, version: 1 }, asViewer)), 'PERMISSION_DENIED')
  t.is(await statusOf(site.checkEmergencySheet({ lovedOneId, version: 1 }, asViewer)), 'PERMISSION_DENIED')
})

test('of two who save at the same moment, one is refused and nothing is overwritten', async (t) => {
  const { circle, site } = t.context
  const { owner, coordinator, lovedOneId } = await circle.workspace()
  for (const version of [0, 1]) {
    const save = (allergies: string, token: string) =>
      statusOf(site.setEmergencySheet({ lovedOneId, texts: { ...EMPTY, allergies }, version }, { token }))
    const statuses = await Promise.all([save(`a${version}`, owner.token), save(`b${version}`, coordinator.token)])
    t.deepEqual(statuses.toSorted(), ['FAILED_PRECONDITION', 'OK'])
    const { sheet } = await site.getEmergencySheet({ lovedOneId }, { token: owner.token })
    t.is(sheet?.version, version + 1)
    t.is(sheet?.texts?.allergies, statuses[0] === 'OK' ? `a${version}` : `b${version}`)
    const again = sheet?.texts?.allergies ?? ''
    t.is(await save(again, owner.token), 'OK', 'the same form sent twice is no conflict')
  }
  const check = site.checkEmergencySheet({ lovedOneId, version: 1 }, { token: owner.token })
  t.is(await statusOf(check), 'FAILED_PRECONDITION', 'a text that has changed was not checked')
})

test('a text that is too long is refused by the name of its field', async (t) => {
  const { circle, site } = t.context
  const { owner, lovedOneId } = await circle.workspace()
  const texts = { ...EMPTY, doctors: 'x'.repeat(2001) }
  const refusal = await outcomeOf(site.setEmergencySheet({ lovedOneId, texts, version: 0 }, { token: owner.token }))
  t.like(refusal, { status: 'INVALID_ARGUMENT', detail: { field: 'doctors' } })
})

test('another family’s sheet and links look like unknown ones', async (t) => {
  const { site } = t.context
  const [ours, theirs] = [await newFamily(t.context), await newFamily(t.context)]
  const { id, token, code } = await newLink(t.context, theirs)
  for (const { token: stranger } of [ours.owner, ours.coordinator, ours.viewer]) {
    const attempts = (lovedOneId: string, linkId: string) => [
      site.getEmergencySheet({ lovedOneId }, { token: stranger }),
      site.setEmergencySheet({ lovedOneId, texts: ROSA, version: 1 }, { token: stranger }),
      site.checkEmergencySheet({ lovedOneId, version: 1 }, { token: stranger }),
      site.createEmergencyLink({ lovedOneId, hours: 24, idempotencyKey: '' }, { token: stranger }),
      site.revokeEmergencyLink({ linkId }, { token: stranger }),
    ]
    const foreign = await Promise.all(attempts(theirs.lovedOneId, id).map(outcomeOf<unknown>))
    t.deepEqual(foreign, await Promise.all(attempts('lo_none', 'eml_none').map(outcomeOf<unknown>)))
    t.true(foreign.every((outcome) => outcome instanceof StatusError))
  }
  t.like(await openAs(site, token, code), { lovedOneName: 'Rosa Almeida' })
})

test('no assistant reads or changes a sheet, whatever its person may do', async (t) => {
  const { circle } = t.context
  const { owner, lovedOneId, workspaceId } = await newFamily(t.context)
  const token = await asAssistant(circle, owner, workspaceId)
  const assistant = circle.careCircle
  for (const call of [
    () => assistant.getEmergencySheet({ lovedOneId }, { token }),
    () => assistant.setEmergencySheet({ lovedOneId, texts: EMPTY, version: 1 }, { token }),
    () => assistant.checkEmergencySheet({ lovedOneId, version: 1 }, { token }),
    () => assistant.createEmergencyLink({ lovedOneId, hours: 24, idempotencyKey: '' }, { token }),
    () => assistant.revokeEmergencyLink({ linkId: 'eml_none' }, { token }),
    () => assistant.openEmergencyLink({ token: '0'.repeat(32), code: '000000', clientAddress: '' }, {}),
  ])
    t.regex(await statusOf(call()), /^(PERMISSION_DENIED|UNAUTHENTICATED)$/, `${call}`)
  t.is(await statusOf(assistant.listLovedOnes({}, { token })), 'OK')
})

test('only the owner creates, sees and revokes links, soon after a sign-in, to a sheet that is written', async (t) => {
  const { circle, site } = t.context
  const family = await newFamily(t.context)
  const { owner, coordinator, viewer, lovedOneId, workspaceId } = family
  const { id } = await newLink(t.context, family)
  for (const { token } of [coordinator, viewer]) {
    const create = site.createEmergencyLink({ lovedOneId, hours: 24, idempotencyKey: '' }, { token })
    t.is(await statusOf(create), 'PERMISSION_DENIED')
    t.is(await statusOf(site.revokeEmergencyLink({ linkId: id }, { token })), 'PERMISSION_DENIED')
    t.deepEqual((await site.getEmergencySheet({ lovedOneId }, { token })).links, [])
  }
  t.is((await linksOf(t.context, family)).length, 1)
  for (const hours of [0, 1, 25, -24, 721]) {
    const odd = site.createEmergencyLink({ lovedOneId, hours, idempotencyKey: '' }, { token: owner.token })
    t.is(await statusOf(odd), 'INVALID_ARGUMENT')
  }
  const token = await later(circle, owner, workspaceId)
  const stale = site.createEmergencyLink({ lovedOneId, hours: 24, idempotencyKey: '' }, { token })
  t.is(await statusOf(stale), 'UNAUTHENTICATED')
  const unwritten = await circle.workspace()
  const early = site.createEmergencyLink(
    { lovedOneId: unwritten.lovedOneId, hours: 24, idempotencyKey: '' },
    { token: unwritten.owner.token },
  )
  t.is(await statusOf(early), 'FAILED_PRECONDITION')
  for (let open = 1; open < 5; open += 1) await newLink(t.context, family)
  t.is(await statusOf(newLink(t.context, family)), 'FAILED_PRECONDITION', 'five are enough')
})

test('address and code open the sheet, and the owner sees how often and when', async (t) => {
  const { site } = t.context
  const family = await newFamily(t.context)
  const { token, code } = await newLink(t.context, family)
  t.regex(token, /^[0-9a-z]{32}$/)
  t.regex(code, /^\d{6}$/)
  t.like((await linksOf(t.context, family))[0], { state: EmergencyLinkState.OPEN, openedCount: 0, openedAt: [] })
  const opened = await openAs(site, token, ` ${code.slice(0, 3)} ${code.slice(3)}`)
  t.like(opened, { lovedOneName: 'Rosa Almeida', sheet: { texts: ROSA, checkedByName: 'Ana Almeida' } })
  const lifetime = (opened.expiresAt?.getTime() ?? 0) - Date.now()
  t.true(lifetime > 23.9 * 3_600_000 && lifetime <= 24 * 3_600_000)
  await openAs(site, token, code)
  const [link] = await linksOf(t.context, family)
  t.is(link?.openedCount, 2)
  t.is(link?.openedAt.length, 2)
  t.true(Date.now() - (link?.openedAt[0]?.getTime() ?? 0) < 60_000)
})

test('a form sent twice creates one link, and both answers show it until it was opened', async (t) => {
  const { circle, site } = t.context
  const family = await newFamily(t.context)
  const [first, second] = await Promise.all([newLink(t.context, family, 'k'), newLink(t.context, family, 'k')])
  t.deepEqual(first, second)
  t.is((await linksOf(t.context, family)).length, 1)
  await circle
    .rows('emergency_links')
    .updateOne({ _id: first.id }, { $set: { createdAt: new Date(Date.now() - 11 * 60_000) } })
  t.like(await newLink(t.context, family, 'k'), { token: '', code: '' }, 'after ten minutes')
  const other = await newLink(t.context, family, 'another')
  await openAs(site, other.token, other.code)
  t.like(await newLink(t.context, family, 'another'), { token: '', code: '' }, 'after an opening')
})

test('unknown, wrong, expired, revoked and locked links get one and the same answer', async (t) => {
  const { circle, site } = t.context
  const family = await newFamily(t.context)
  const rows = circle.rows('emergency_links')
  const [expired, revoked, locked, fine] = [
    await newLink(t.context, family),
    await newLink(t.context, family),
    await newLink(t.context, family),
    await newLink(t.context, family),
  ]
  await rows.updateOne({ _id: expired.id }, { $set: { expiresAt: new Date(Date.now() - 1000) } })
  await site.revokeEmergencyLink({ linkId: revoked.id }, { token: family.owner.token })
  for (let by = 1; by <= 5; by += 1) await outcomeOf(openAs(site, locked.token, wrong(locked.code, by)))
  const answers = [
    await outcomeOf(openAs(site, '0'.repeat(32), '123456')),
    await outcomeOf(openAs(site, '../../etc', '{"$ne":null}')),
    await outcomeOf(openAs(site, fine.token, wrong(fine.code))),
    await outcomeOf(openAs(site, fine.token, '')),
    await outcomeOf(openAs(site, expired.token, expired.code)),
    await outcomeOf(openAs(site, revoked.token, revoked.code)),
    await outcomeOf(openAs(site, locked.token, locked.code)),
  ]
  for (const answer of answers) t.deepEqual(answer, answers[0])
  t.like(answers[0], { status: 'NOT_FOUND', detail: {} })
  const states = (await linksOf(t.context, family)).map(({ id, state }) => [id, state])
  t.deepEqual(Object.fromEntries(states), {
    [expired.id]: EmergencyLinkState.EXPIRED,
    [revoked.id]: EmergencyLinkState.REVOKED,
    [locked.id]: EmergencyLinkState.LOCKED,
    [fine.id]: EmergencyLinkState.OPEN,
  })
  t.is(await statusOf(site.revokeEmergencyLink({ linkId: revoked.id }, { token: family.owner.token })), 'NOT_FOUND')
})

test('a right code between wrong ones gives no tries back', async (t) => {
  const { site } = t.context
  const family = await newFamily(t.context)
  const { token, code } = await newLink(t.context, family)
  for (let by = 1; by <= 4; by += 1) {
    t.is(await statusOf(openAs(site, token, wrong(code, by))), 'NOT_FOUND')
    t.is(await statusOf(openAs(site, token, code)), 'OK')
  }
  t.is(await statusOf(openAs(site, token, wrong(code, 5))), 'NOT_FOUND')
  t.is(await statusOf(openAs(site, token, code)), 'NOT_FOUND')
  t.like((await linksOf(t.context, family))[0], { state: EmergencyLinkState.LOCKED, openedCount: 4 })
})

test('of thirty guesses at the same moment, five are compared', async (t) => {
  const { circle, site } = t.context
  const family = await newFamily(t.context)
  const { id, token, code } = await newLink(t.context, family)
  const guesses = Array.from({ length: 30 }, (_, by) => statusOf(openAs(site, token, wrong(code, by + 1))))
  t.deepEqual(new Set(await Promise.all(guesses)), new Set(['NOT_FOUND']))
  t.is((await circle.rows('emergency_links').findOne({ _id: id }))?.wrongCodes, 5)
})

test('one network that tries many addresses has to wait', async (t) => {
  const { site } = t.context
  const guess = () =>
    statusOf(site.openEmergencyLink({ token: '1'.repeat(32), code: '123456', clientAddress: '2001:db8:ffff::1' }, {}))
  const statuses = []
  for (let tries = 0; tries < 61; tries += 1) statuses.push(await guess())
  t.is(statuses.at(59), 'NOT_FOUND')
  t.is(statuses.at(60), 'RESOURCE_EXHAUSTED')
})

test('the database has neither the address nor the code of a link', async (t) => {
  const { circle } = t.context
  const family = await newFamily(t.context)
  const { id, token, code } = await newLink(t.context, family)
  const { tokenHash, codeHash, ...row } = (await circle.rows('emergency_links').findOne({ _id: id })) ?? {}
  t.regex(tokenHash, /^[0-9a-f]{64}$/)
  t.regex(codeHash, /^[0-9a-f]{64}$/)
  t.false(JSON.stringify({ ...row, tokenHash, codeHash }).includes(token))
  t.false(Object.values(row).some((value) => String(value) === code))
})

test('a link ends with the membership of its creator, and any owner revokes it', async (t) => {
  const { circle, site } = t.context
  const family = await newFamily(t.context)
  const { owner, coordinator, lovedOneId } = family
  await site.changeRole({ personId: coordinator.personId, role: Role.OWNER }, { token: owner.token })
  const theirs = await site.createEmergencyLink(
    { lovedOneId, hours: 720, idempotencyKey: '' },
    { token: coordinator.token },
  )
  t.is(await statusOf(openAs(site, theirs.token, theirs.code)), 'OK')
  const ours = await newLink(t.context, family)
  await site.revokeEmergencyLink({ linkId: ours.id }, { token: coordinator.token })
  t.is(await statusOf(openAs(site, ours.token, ours.code)), 'NOT_FOUND')
  await site.removeMember({ personId: coordinator.personId }, { token: owner.token })
  t.is(await statusOf(openAs(site, theirs.token, theirs.code)), 'NOT_FOUND')
  t.is(await circle.rows('emergency_links').countDocuments({ createdBy: coordinator.personId }), 0)
})

test('the family’s download has the sheet for everyone, and the links without secrets for the owner', async (t) => {
  const { site } = t.context
  const family = await newFamily(t.context)
  const { token, code } = await newLink(t.context, family)
  const download = async (reader: string) => {
    let text = ''
    for await (const { piece } of site.exportWorkspace({}, { token: reader }))
      text += Buffer.from(piece?.data ?? '').toString()
    return text
  }
  const [owners, viewers] = [await download(family.owner.token), await download(family.viewer.token)]
  for (const text of [owners, viewers]) {
    t.true(text.includes('Penicillin'))
    for (const secret of [token, 'tokenHash', 'codeHash']) t.false(text.includes(secret), secret)
  }
  t.true(owners.includes('openedCount'))
  t.false(viewers.includes('openedCount'))
  t.false(owners.includes(`"${code}"`))
})

test('sheet and links are deleted with the family, and its links open nothing from then on', async (t) => {
  const { circle, site } = t.context
  const family = await newFamily(t.context)
  const { workspaceId, owner } = family
  const { token, code } = await newLink(t.context, family)
  await site.deleteWorkspace({}, { token: owner.token })
  t.is(await statusOf(openAs(site, token, code)), 'NOT_FOUND')
  for (const name of ['emergency_sheets', 'emergency_links'])
    await until(async () => (await circle.rows(name).countDocuments({ workspaceId })) === 0)
  t.pass()
})

test('each owner hears once of a link that was created, opened, and locked, and no mail says what the sheet does', async (t) => {
  const { circle, site } = t.context
  const family = await newFamily(t.context)
  const { owner, coordinator, viewer } = family
  const created = 'A link to the emergency sheet of Rosa Almeida was created'
  const opened = 'The emergency sheet of Rosa Almeida was opened with a link'
  const locked = 'A link to the emergency sheet of Rosa Almeida was locked'
  const subjects = async () => (await circle.mailsTo(owner.email)).map(({ subject }) => subject)
  const untilTold = (expected: string[]) =>
    until(async () => JSON.stringify((await subjects()).sort()) === JSON.stringify(expected.sort()))
  const { id, token, code } = await newLink(t.context, family, 'k')
  await newLink(t.context, family, 'k')
  await untilTold([created])
  await Promise.all([openAs(site, token, code), openAs(site, token, code)])
  await openAs(site, token, code)
  await untilTold([created, opened])
  const guesses = Array.from({ length: 8 }, (_, by) => statusOf(openAs(site, token, wrong(code, by + 1))))
  await Promise.all(guesses)
  await untilTold([created, opened, locked])
  const links = circle.rows('emergency_links')
  await until(async () => (await links.countDocuments({ _id: id, mailDueAt: { $exists: true } })) === 0)
  t.is((await subjects()).length, 3)
  for (const { email } of [coordinator, viewer]) {
    const theirs = (await circle.mailsTo(email)).map(({ subject }) => subject)
    t.false(
      theirs.some((subject) => subject.includes('emergency')),
      'who does not see links hears nothing',
    )
  }
  const words = JSON.stringify(await circle.mailsTo(owner.email))
  for (const secret of ['Penicillin', 'Bisoprolol', token, code]) t.false(words.includes(secret), secret)
})
