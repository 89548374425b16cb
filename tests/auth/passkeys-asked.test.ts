import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import anyTest, { type TestFn } from 'ava'
import type { Guest } from '../_family.ts'
import { Visitor } from '../_visitor.ts'
import { type AuthStack, joinBehindGateway } from './_auth.ts'
import { type SignedIn, signIn, signInMember } from './_people.ts'

const test = anyTest.serial as TestFn<AuthStack>

test.before(async (t) => {
  t.context = await joinBehindGateway()
})
test.after.always((t) => t.context[Symbol.asyncDispose]?.())

/** An owner and a coordinator, each with a browser. */
async function familyOfTwo(s: AuthStack) {
  const [owner, person] = [await signInMember(s), await signIn(s)]
  const invitation = { relationship: '', message: '', idempotencyKey: person.email }
  const { token } = await s.careCircle.inviteMember(
    { ...invitation, email: person.email, role: Role.COORDINATOR },
    { token: await owner.principal() },
  )
  await s.careCircle.acceptInvitation({ token, name: 'Luis' }, { token: await person.principal() })
  await s.as.site.selectWorkspace({ session: person.session, workspaceId: owner.workspaceId })
  return { owner: { ...owner, browser: browserOf(s, owner) }, person: { ...person, browser: browserOf(s, person) } }
}

function browserOf(s: AuthStack, { session }: SignedIn): Visitor {
  const visitor = new Visitor({ stack: s.stack } as unknown as Guest)
  visitor.adopt('family_session', session)
  return visitor
}

const NOTICE = /owner asks everyone to sign in with a passkey only/

async function refuseCodes(s: AuthStack, person: SignedIn): Promise<void> {
  const { personId } = await s.as.site.resolveSession({ session: person.session })
  const key = { personId, name: 'Phone', publicKey: 'cHVibGlj', counter: 0, transports: [], createdAt: new Date() }
  const passkeys = s.mongo.db().collection<{ _id: string }>('passkeys')
  for (const _id of [`pky_1_${personId}`, `pky_2_${personId}`])
    await passkeys.insertOne({ _id, credentialId: _id, ...key } as never)
  await s.as.site.setPasskeyOnly({ passkeyOnly: true }, { token: await person.principal() })
}

test('the owner asks for passkeys, and each member sees a notice on every page until they set it up', async (t) => {
  const s = t.context
  const { owner, person } = await familyOfTwo(s)
  t.notRegex((await person.browser.get('/timeline')).text, NOTICE)
  t.is((await owner.browser.submit('/care-circle/passkeys', { asked: 'yes' })).headers.location, '/care-circle')
  for (const path of ['/settings', '/care-circle', '/settings/devices'])
    for (const { browser } of [owner, person]) t.regex((await browser.get(path)).text, NOTICE, path)
  t.regex((await owner.browser.get('/care-circle')).text, /Not yet: <bdi>Ana Garcia and Luis</)
  await refuseCodes(s, person)
  t.notRegex((await person.browser.get('/settings')).text, NOTICE)
  t.regex((await owner.browser.get('/care-circle')).text, /Not yet: <bdi>Ana Garcia</)
  await owner.browser.submit('/care-circle/passkeys', { asked: 'no' })
  t.notRegex((await owner.browser.get('/settings')).text, NOTICE)
})

test('two windows of the owner ask and stop at once: both are answered, and all pages agree', async (t) => {
  const s = t.context
  const { owner, person } = await familyOfTwo(s)
  const windows = [owner.browser, browserOf(s, owner)]
  const press = async (...asked: string[]) => {
    const answers = await Promise.all(
      windows.map((one, n) => one.submit('/care-circle/passkeys', { asked: asked[n] ?? '' })),
    )
    t.deepEqual(
      answers.map(({ status, headers }) => [status, headers.location]),
      [
        [303, '/care-circle'],
        [303, '/care-circle'],
      ],
    )
    const pages = await Promise.all([...windows, person.browser].map((one) => one.get('/care-circle')))
    return new Set(pages.map(({ text }) => NOTICE.test(text)))
  }
  t.deepEqual(await press('yes', 'yes'), new Set([true]))
  t.deepEqual(await press('no', 'no'), new Set([false]))
  t.is((await press('yes', 'no')).size, 1)
  t.is((await press('no', 'yes')).size, 1)
})

test('only the owner asks for passkeys and sees who set them up', async (t) => {
  const s = t.context
  const { owner, person } = await familyOfTwo(s)
  const error = await s.careCircle
    .askForPasskeys({ passkeysAsked: true }, { token: await person.principal() })
    .catch((refused: unknown) => refused)
  t.is(error instanceof StatusError && error.status, 'PERMISSION_DENIED')
  await s.careCircle.askForPasskeys({ passkeysAsked: true }, { token: await owner.principal() })
  await refuseCodes(s, owner)
  t.deepEqual((await s.as.site.enterWorkspace({ session: person.session })).passkeyOnlyIds, [])
  t.is((await s.as.site.enterWorkspace({ session: owner.session })).passkeyOnlyIds.length, 1)
  t.notRegex((await person.browser.get('/care-circle')).text, /Not yet:|Ask everyone/)
})
