import type { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import anyTest, { type TestFn } from 'ava'
import { statusOf } from '../_outcome.ts'
import { type AuthStack, startAuthStack } from '../auth/_auth.ts'
import { codeIn, mailsTo, newEmail, signInMember } from '../auth/_people.ts'
import { workDuring, workOf } from './_others-at-work.ts'

const test = anyTest.serial as TestFn<AuthStack>

test.before(async (t) => {
  t.context = await startAuthStack()
})
test.after.always((t) => t.context[Symbol.asyncDispose]?.())

/** A browser on its own network, with its device cookie. */
function browserOf(s: AuthStack, clientAddress: string) {
  const jar = { device: '' }
  return {
    jar,
    ask: (email: string) => s.as.site.startSignIn({ email, clientAddress, device: jar.device }),
    async signIn(email: string): Promise<void> {
      const seen = s.mails.filter(({ toAddress }) => toAddress === email).length
      const { challenge } = await s.as.site.startSignIn({ email, clientAddress, device: jar.device })
      const code = codeIn((await mailsTo(s, email, seen + 1)).at(-1))
      const { device = '' } = await s.as.site.finishSignIn({ challenge, code, userAgent: '', device: jar.device })
      jar.device = device
    },
  }
}

let networks = 0

/** Each is used once, so that only the limit of the address can refuse. */
function unusedNetwork(): string {
  networks += 1
  return `10.${networks >> 16}.${(networks >> 8) & 255}.${networks & 255}`
}

/** Requests codes from many networks until the address has none left, and enters wrong ones. */
async function flood(s: AuthStack, email: string, device = ''): Promise<string[]> {
  const outcomes: string[] = []
  for (let round = 0; round < 8; round += 1) {
    const request = { email, clientAddress: unusedNetwork(), device }
    try {
      const { challenge } = await s.as.site.startSignIn(request)
      for (let tries = 0; tries < 6; tries += 1)
        await statusOf(s.as.site.finishSignIn({ challenge, code: '00000000', userAgent: '', device }))
      outcomes.push('OK')
    } catch (error) {
      outcomes.push((error as StatusError).status)
    }
  }
  return outcomes
}

test('a stranger who uses up my codes from many networks cannot lock me out of a browser I signed in with', async (t) => {
  const s = t.context
  const email = newEmail()
  const mine = browserOf(s, '198.51.100.7')
  await mine.signIn(email)
  const another = await signInMember(s)
  const outcomes: string[] = []
  const work = workOf('another family’s pages', () => s.as.site.resolveSession({ session: another.session }))
  await workDuring(t, [work], async () => {
    outcomes.push(...(await flood(s, email)))
  })
  t.true(outcomes.includes('RESOURCE_EXHAUSTED'))
  t.is(await statusOf(browserOf(s, '203.0.113.9').ask(email)), 'RESOURCE_EXHAUSTED')
  await t.notThrowsAsync(mine.signIn(email))
  await t.notThrowsAsync(mine.signIn(email))
})

test('a stranger who uses up my network’s codes cannot lock me out of a browser I signed in with', async (t) => {
  const s = t.context
  const email = newEmail()
  const mine = browserOf(s, '198.51.100.8')
  await mine.signIn(email)
  const neighbor = browserOf(s, '198.51.100.8')
  let last = 'OK'
  for (let asked = 0; asked < 120 && last !== 'RESOURCE_EXHAUSTED'; asked += 1)
    last = await statusOf(neighbor.ask(newEmail()))
  t.is(last, 'RESOURCE_EXHAUSTED')
  await t.notThrowsAsync(mine.signIn(email))
})

test('a stranger’s browser is never trusted for my address, whatever its cookie says', async (t) => {
  const s = t.context
  const email = newEmail()
  const mine = browserOf(s, '198.51.100.9')
  await mine.signIn(email)
  const theirs = browserOf(s, '203.0.113.10')
  await theirs.signIn(newEmail())
  await flood(s, email)
  const [id, time] = mine.jar.device.split('~')
  const forged = [
    theirs.jar.device,
    `${id}~${time}~${theirs.jar.device.split('~')[2]}`,
    `${mine.jar.device.slice(0, -2)}AA`,
    `${id}~zzzzzz~${mine.jar.device.split('~')[2]}`,
    '.'.repeat(1000),
    'x'.repeat(3000),
  ]
  for (const device of forged)
    t.is(await statusOf(s.as.site.startSignIn({ email, clientAddress: '203.0.113.11', device })), 'RESOURCE_EXHAUSTED')
})

test('a browser I signed in with has a limit of its own', async (t) => {
  const s = t.context
  const email = newEmail()
  const mine = browserOf(s, '198.51.100.10')
  await mine.signIn(email)
  const device = mine.jar.device
  const asked: string[] = []
  for (let round = 0; round < 8; round += 1)
    asked.push(await statusOf(s.as.site.startSignIn({ email, clientAddress: '198.51.100.10', device })))
  t.deepEqual(asked, ['OK', 'OK', 'OK', 'OK', 'OK', ...Array(3).fill('RESOURCE_EXHAUSTED')])
})

test('a browser that several people sign in with is trusted for each of them', async (t) => {
  const s = t.context
  const [ana, luis] = [newEmail(), newEmail()]
  const shared = browserOf(s, '198.51.100.11')
  await shared.signIn(ana)
  await shared.signIn(luis)
  await flood(s, ana)
  await flood(s, luis)
  await t.notThrowsAsync(shared.signIn(ana))
  await t.notThrowsAsync(shared.signIn(luis))
})
