import { MemberStatus, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import anyTest, { type TestFn } from 'ava'
import { outcomeOf, statusOf, untilAnswered } from '../_outcome.ts'
import { type Circle, invitationFor, joinCircle, tokenOf } from './_circle.ts'

const test = (anyTest as TestFn<Circle>).serial

test.before(async (t) => {
  t.context = await joinCircle()
})
test.after.always((t) => t.context?.[Symbol.asyncDispose]())

const DAY_MS = 24 * 60 * 60 * 1000

test('the invitation mail says who invites, to which family, what they may do, and has the link', async (t) => {
  const { careCircle, workspace, mailsTo, person, stack } = t.context
  const { workspaceId, owner } = await workspace()
  const { email } = await person()
  const words = invitationFor(email, { role: Role.VIEWER, relationship: 'cousin', message: 'Rosa would\r\nbe glad.' })
  const { invitationId, token, expiresAt } = await careCircle.inviteMember(words, { token: owner.token })
  const [mail, ...others] = await mailsTo(email)
  t.is(others.length, 0)
  t.like(mail, {
    id: `${invitationId}-1`,
    workspaceId,
    toAddress: email,
    fromName: 'Ana Almeida via Family Care Inbox',
    replyTo: '',
    subject: 'Ana Almeida invites you to The Almeida family',
    actionUrl: `${stack.inboxUrl}/invitation/${token}`,
  })
  t.regex(mail?.text ?? '', /You can read\.\n/)
  t.regex(mail?.text ?? '', /Ana Almeida writes:\n\n> Rosa would {1,2}be glad\.\n/)
  t.regex(token, /^[0-9a-v]{52}$/)
  t.true(Math.abs(Number(expiresAt) - Date.now() - 14 * DAY_MS) < 60_000)
})

test('only the token’s hash is stored', async (t) => {
  const { careCircle, workspace, person, rows } = t.context
  const { owner, workspaceId } = await workspace()
  const { token } = await careCircle.inviteMember(invitationFor((await person()).email), { token: owner.token })
  const stored = await rows('invitations').find({ workspaceId }).toArray()
  t.is(stored.length, 3)
  t.false(JSON.stringify(stored).includes(token))
})

test('owner and coordinators may invite a coordinator or a viewer; nobody may invite an owner', async (t) => {
  const { careCircle, workspace, person } = t.context
  const { owner, coordinator, viewer } = await workspace()
  for (const { token } of [owner, coordinator]) {
    for (const role of [Role.COORDINATOR, Role.VIEWER])
      t.is(await statusOf(careCircle.inviteMember(invitationFor((await person()).email, { role }), { token })), 'OK')
    for (const role of [Role.OWNER, Role.UNSPECIFIED, 'ROLE_NONSENSE' as Role])
      t.is(
        await statusOf(careCircle.inviteMember(invitationFor((await person()).email, { role }), { token })),
        'INVALID_ARGUMENT',
      )
  }
  const asViewer = careCircle.inviteMember(invitationFor((await person()).email), { token: viewer.token })
  t.is(await statusOf(asViewer), 'PERMISSION_DENIED')
})

test('inviting a member, oneself or an invited person gives distinct errors, in any letter case', async (t) => {
  const { careCircle, workspace, person, mailsTo } = t.context
  const { owner, viewer } = await workspace()
  const invite = (email: string, message = 'Please join.') =>
    outcomeOf(careCircle.inviteMember(invitationFor(email, { message }), { token: owner.token }))
  const { email } = await person()
  await invite(email, 'Hello.')
  t.like(await invite(owner.email.toUpperCase()), { status: 'INVALID_ARGUMENT', detail: { field: 'email' } })
  t.like(await invite(` ${viewer.email.toUpperCase()} `), {
    status: 'ALREADY_EXISTS',
    message: 'This person is already in your family.',
  })
  t.like(await invite(email.toUpperCase()), {
    status: 'ALREADY_EXISTS',
    message: 'This person is already invited. Resend or cancel that invitation first.',
  })
  t.is((await mailsTo(email)).length, 1)
  await invite('ana@bücher.example', 'Hello.')
  t.like(await invite('ana@xn--bcher-kva.example'), { status: 'ALREADY_EXISTS' })
})

test('an idempotency key makes one invitation and one mail; other arguments are refused', async (t) => {
  const { careCircle, workspace, person, mailsTo } = t.context
  const { owner, coordinator } = await workspace()
  const { email } = await person()
  const words = invitationFor(email, { idempotencyKey: 'again', message: 'Hello' })
  const first = await careCircle.inviteMember(words, { token: owner.token })
  const second = await careCircle.inviteMember(words, { token: coordinator.token })
  t.deepEqual(second, { ...first, token: '' })
  t.is((await mailsTo(email)).length, 1)
  for (const change of [
    { email: (await person()).email },
    { role: Role.VIEWER },
    { message: '' },
    { relationship: 'x' },
  ]) {
    const refusal = await outcomeOf(careCircle.inviteMember({ ...words, ...change }, { token: owner.token }))
    t.like(refusal, { status: 'ALREADY_EXISTS', detail: { field: 'idempotencyKey' } })
  }
})

test('another workspace may use the same idempotency key', async (t) => {
  const { careCircle, workspace, person, mailsTo } = t.context
  const [ours, theirs] = [await workspace(), await workspace()]
  const { email } = await person()
  const words = invitationFor(email, { idempotencyKey: 'shared' })
  const here = await careCircle.inviteMember(words, { token: ours.owner.token })
  const there = await careCircle.inviteMember(words, { token: theirs.owner.token })
  t.not(here.invitationId, there.invitationId)
  t.is((await mailsTo(email)).length, 2)
})

test('a repeated key gets the same answer, without mail, even after the invitation was canceled or accepted', async (t) => {
  const { careCircle, workspace, person, mailsTo } = t.context
  const { owner } = await workspace()
  const [cancelled, accepted] = [await person(), await person()]
  for (const { email, signedIn } of [cancelled, accepted]) {
    const words = invitationFor(email, { idempotencyKey: email })
    const first = await careCircle.inviteMember(words, { token: owner.token })
    if (email === cancelled.email)
      await careCircle.cancelInvitation({ invitationId: first.invitationId }, { token: owner.token })
    else await careCircle.acceptInvitation({ token: first.token, name: 'Zoe' }, { token: signedIn })
    t.deepEqual(await careCircle.inviteMember(words, { token: owner.token }), { ...first, token: '' })
    t.is((await mailsTo(email)).length, 1)
  }
})

test('32 concurrent calls with one key on two replicas make one invitation and one mail', async (t) => {
  const { careCircle, workspace, person, mailsTo, secondReplica } = t.context
  const { owner } = await workspace()
  const { email } = await person()
  const replicas = [careCircle, await secondReplica()] as const
  const words = invitationFor(email, { idempotencyKey: 'race' })
  const invite = (n: number) => replicas[n % 2 === 0 ? 0 : 1].inviteMember(words, { token: owner.token })
  const answers = await Promise.all(Array.from({ length: 32 }, (_, n) => untilAnswered(() => invite(n))))
  t.is(new Set(answers.map(({ invitationId }) => invitationId)).size, 1)
  t.true(answers.filter(({ token }) => token !== '').length <= 1)
  t.is((await mailsTo(email)).length, 1)
})

test('32 concurrent invitations of one address make one invitation and one mail', async (t) => {
  const { careCircle, workspace, person, mailsTo } = t.context
  const { owner, coordinator } = await workspace()
  const { email } = await person()
  const outcomes = await Promise.all(
    Array.from({ length: 32 }, (_, n) => {
      const words = invitationFor(email, { idempotencyKey: n % 2 ? `key ${n}` : '' })
      const { token } = n % 4 < 2 ? owner : coordinator
      return outcomeOf(untilAnswered(() => careCircle.inviteMember(words, { token })))
    }),
  )
  const answers = outcomes.flatMap((outcome) => (outcome instanceof StatusError ? [] : [outcome]))
  const refusals = outcomes.filter((outcome) => outcome instanceof StatusError)
  t.is(new Set(answers.map(({ invitationId }) => invitationId)).size, 1)
  t.deepEqual([...new Set(refusals.map(({ status }) => status))], ['ALREADY_EXISTS'])
  t.is((await mailsTo(email)).length, 1)
})

test('after it is canceled or expires, a person can be invited again, and only the new link works', async (t) => {
  const { careCircle, workspace, person, rows } = t.context
  const { owner } = await workspace()
  for (const end of ['cancel', 'expire']) {
    const { email, signedIn } = await person()
    const { invitationId, token } = await careCircle.inviteMember(invitationFor(email), { token: owner.token })
    if (end === 'cancel') await careCircle.cancelInvitation({ invitationId }, { token: owner.token })
    else
      await rows('invitations').updateOne({ _id: invitationId }, { $set: { expiresAt: new Date(Date.now() - 1000) } })
    const accept = (link: string) =>
      statusOf(careCircle.acceptInvitation({ token: link, name: 'Zoe' }, { token: signedIn }))
    t.is(await accept(token), 'NOT_FOUND', end)
    const again = await careCircle.inviteMember(invitationFor(email), { token: owner.token })
    t.not(again.invitationId, invitationId)
    t.is(await accept(token), 'NOT_FOUND', end)
    t.is(await accept(again.token), 'OK', end)
  }
})

test('resending mails a new link valid for 14 days, and the old one stops working', async (t) => {
  const { careCircle, workspace, person, mailsTo } = t.context
  const { owner, coordinator, viewer } = await workspace()
  const { email, signedIn } = await person()
  const { invitationId, token } = await careCircle.inviteMember(invitationFor(email), { token: owner.token })
  t.is(await statusOf(careCircle.resendInvitation({ invitationId }, { token: viewer.token })), 'PERMISSION_DENIED')
  const again = await careCircle.resendInvitation({ invitationId }, { token: coordinator.token })
  const mails = await mailsTo(email)
  t.deepEqual(
    mails.map(({ id, fromName }) => [id, fromName]),
    [
      [`${invitationId}-1`, 'Ana Almeida via Family Care Inbox'],
      [`${invitationId}-2`, 'Luis Almeida via Family Care Inbox'],
    ],
  )
  t.deepEqual(mails.map(tokenOf), [token, again.token])
  const accept = (link: string) =>
    statusOf(careCircle.acceptInvitation({ token: link, name: 'Zoe' }, { token: signedIn }))
  t.is(await accept(token), 'NOT_FOUND')
  t.is(await accept(again.token), 'OK')
  t.is(await statusOf(careCircle.resendInvitation({ invitationId }, { token: owner.token })), 'NOT_FOUND')
})

test('of eight concurrent resends, only the last mailed link works', async (t) => {
  const { careCircle, workspace, person, mailsTo } = t.context
  const { owner } = await workspace()
  const { email, signedIn } = await person()
  const { invitationId } = await careCircle.inviteMember(invitationFor(email), { token: owner.token })
  await Promise.all(
    Array.from({ length: 8 }, () => careCircle.resendInvitation({ invitationId }, { token: owner.token })),
  )
  const mails = await mailsTo(email)
  t.is(new Set(mails.map(({ id }) => id)).size, mails.length)
  const latest = mails.toSorted((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true })).at(-1)
  for (const mail of mails) {
    const page = careCircle.getInvitation({ token: tokenOf(mail) }, { token: signedIn })
    t.is(await statusOf(page), mail === latest ? 'OK' : 'NOT_FOUND')
  }
})

test('an invitation is accepted once, only by the person who proves its address', async (t) => {
  const { careCircle, workspace, person } = t.context
  const { owner, workspaceId } = await workspace()
  const [invited, other] = [await person(), await person()]
  const { token } = await careCircle.inviteMember(invitationFor(invited.email, { role: Role.VIEWER }), {
    token: owner.token,
  })
  const accept = (link: string, as: string, name = 'Zoe') =>
    outcomeOf(careCircle.acceptInvitation({ token: link, name }, { token: as }))
  t.like(await accept(token, other.signedIn), { status: 'NOT_FOUND' })
  t.deepEqual(await accept(`${token}x`, invited.signedIn), await accept(token, other.signedIn))
  t.like(await accept(token, await invited.keyIn('')), { status: 'FAILED_PRECONDITION' })
  t.like(await accept(token, invited.signedIn, ''), { status: 'INVALID_ARGUMENT', detail: { field: 'name' } })
  t.deepEqual(await accept(token, invited.signedIn), { workspaceId, role: Role.VIEWER })
  t.like(await accept(token, other.signedIn), { status: 'NOT_FOUND' })
})

test('16 concurrent acceptances make one member and give the same answer', async (t) => {
  const { careCircle, workspace, person } = t.context
  const { owner, workspaceId } = await workspace()
  const { email, signedIn, personId } = await person()
  const { token } = await careCircle.inviteMember(invitationFor(email), { token: owner.token })
  const accept = () => careCircle.acceptInvitation({ token, name: 'Zoe' }, { token: signedIn })
  const answers = await Promise.all(Array.from({ length: 16 }, () => untilAnswered(accept)))
  for (const answer of answers) t.deepEqual(answer, { workspaceId, role: Role.COORDINATOR })
  const { members } = await careCircle.listMembers({}, { token: owner.token })
  t.is(members.filter((member) => member.personId === personId).length, 1)
})

test('an accepted link does not let a removed member back in', async (t) => {
  const { careCircle, workspace, person } = t.context
  const { owner } = await workspace()
  const { email, signedIn, personId } = await person()
  const { token } = await careCircle.inviteMember(invitationFor(email), { token: owner.token })
  await careCircle.acceptInvitation({ token, name: 'Zoe' }, { token: signedIn })
  await careCircle.removeMember({ personId }, { token: owner.token })
  t.is(await statusOf(careCircle.acceptInvitation({ token, name: 'Zoe' }, { token: signedIn })), 'NOT_FOUND')
})

test('invitations from a removed member or new viewer stop working', async (t) => {
  const { careCircle, workspace, person } = t.context
  for (const end of ['removed', 'made a viewer']) {
    const { owner, coordinator } = await workspace()
    const { email, signedIn } = await person()
    const { token } = await careCircle.inviteMember(invitationFor(email), { token: coordinator.token })
    const { personId } = coordinator
    if (end === 'removed') await careCircle.removeMember({ personId }, { token: owner.token })
    else await careCircle.changeRole({ personId, role: Role.VIEWER }, { token: owner.token })
    t.is(await statusOf(careCircle.getInvitation({ token }, { token: signedIn })), 'NOT_FOUND', end)
    t.is(await statusOf(careCircle.acceptInvitation({ token, name: 'Zoe' }, { token: signedIn })), 'NOT_FOUND', end)
    const { members } = await careCircle.listMembers({}, { token: owner.token })
    t.false(
      members.some((member) => member.email === email),
      end,
    )
  }
})

test('the link alone reveals no name or address; a proved address reveals who invites', async (t) => {
  const { careCircle, workspace, person, as } = t.context
  const { owner } = await workspace()
  const [invited, other] = [await person(), await person()]
  const { token, expiresAt } = await careCircle.inviteMember(invitationFor(invited.email), { token: owner.token })
  const site = await as('site')
  const masked = {
    workspaceName: '',
    invitedByName: '',
    email: `${invited.email[0]}•••@a•••.example`,
    role: Role.COORDINATOR,
    expiresAt,
  }
  t.deepEqual(await site.getInvitation({ token }), masked)
  t.deepEqual(await site.getInvitation({ token }, { token: other.signedIn }), masked)
  t.deepEqual(await site.getInvitation({ token }, { token: await invited.keyIn('') }), masked)
  t.deepEqual(await site.getInvitation({ token }, { token: invited.signedIn }), {
    ...masked,
    workspaceName: 'The Almeida family',
    invitedByName: 'Ana Almeida',
    email: invited.email,
  })
  t.is(await statusOf(careCircle.getInvitation({ token })), 'PERMISSION_DENIED')
  t.is(await statusOf(site.getInvitation({ token: '' })), 'NOT_FOUND')
})

test('the list shows open invitations with their ids', async (t) => {
  const { careCircle, workspace, person } = t.context
  const { owner, viewer } = await workspace()
  const { email, signedIn } = await person()
  const words = invitationFor(email, { role: Role.VIEWER, relationship: 'cousin' })
  const { invitationId, token, expiresAt } = await careCircle.inviteMember(words, { token: owner.token })
  const row = async () =>
    (await careCircle.listMembers({}, { token: viewer.token })).members.find((member) => member.email === email)
  t.deepEqual(await row(), {
    personId: '',
    name: '',
    email,
    role: Role.VIEWER,
    relationship: 'cousin',
    status: MemberStatus.INVITED,
    invitationId,
    joinedAt: undefined,
    expiresAt,
  })
  await careCircle.acceptInvitation({ token, name: 'Zoe' }, { token: signedIn })
  t.like(await row(), { name: 'Zoe', status: MemberStatus.ACTIVE, invitationId: '' })
})
