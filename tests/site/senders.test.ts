import { Category } from '@family-inbox/proto/inbox/v1/inbox'
import anyTest from 'ava'
import { openSite } from './_site.ts'
import { newWorld } from './_world.ts'
import { letter } from './world/_inbox.ts'

const SESSION = { cookie: 'family_session=secret' }
const CLINIC = { name: 'The heart clinic', address: 'desk@heart.example' }
const NOTHING_PROVED = { spf: 'none', dkim: 'none', dmarc: 'none', arc: 'none' }

const test = anyTest.serial
const site = await openSite()
test.beforeEach(() => {
  Object.assign(site.world, newWorld())
  site.world.sessions.add('secret')
})
test.after.always(() => site[Symbol.asyncDispose]())

const page = async (path: string) => (await site.request(path, { headers: SESSION })).body
const MESSAGE = '/inbox/lo_rosa/msg_1'
/** Removes the tags. */
const words = (markup: string) => markup.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ')
const part = (body: string, from: string) => words(new RegExp(`<p class="${from}">.*?</p>`, 's').exec(body)?.[0] ?? '')

function forwardedBy(originalVerified: boolean) {
  const more = { authenticity: { ...NOTHING_PROVED, dmarc: 'pass', aligned: true } }
  const mail = {
    from: 'Ana',
    address: 'ana@example.org',
    subject: 'Fwd: Results',
    originalSender: CLINIC,
    originalVerified,
  }
  site.world.inbox.messages = [letter('msg_1', { ...mail, body: 'All is well.', more })]
}

test('the sender shown is who sent the message, not who its text names', async (t) => {
  forwardedBy(false)
  const list = await page('/?all=1')
  t.is(part(list, 'from').trim(), 'Ana')
  t.false(words(list).includes('The heart clinic'))
  const message = await page(MESSAGE)
  t.true(words(message).includes('Ana ana@example.org'))
  t.true(words(message).includes('Says The heart clinic wrote it; we can’t check that'))
  t.true(words(message).includes('The heart clinic desk@heart.exampleThe message says so. We can’t check that.'))
  t.false(words(message).includes('originally from The heart clinic'))
})

test('a message forwarded by a member also names its original sender', async (t) => {
  forwardedBy(true)
  const list = await page('/?all=1')
  t.is(part(list, 'from').trim(), 'The heart clinic')
  t.true(words(list).includes('from Ana desk@heart.example'))
  // What was checked is who forwarded it.
  t.false(words(list).includes('Verified sender'))
  const message = await page(MESSAGE)
  t.true(words(message).includes('Ana ana@example.org'))
  t.true(words(message).includes('Forwarded, originally from The heart clinic'))
})

const LINK = 'https://mail-settings.google.com/mail/vf-abc'

function requested(authenticity: object, link = LINK) {
  const request = {
    from: 'Gmail Team',
    address: 'forwarding-noreply@google.com',
    subject: 'Forwarding Confirmation',
    category: Category.AUTOMATED,
    body: `Open ${LINK} or https://login.evil.example/consent`,
    more: {
      hasMarkup: true,
      authenticity: { ...NOTHING_PROVED, ...authenticity },
      forwardingConfirmation: { provider: 'gmail', code: '', link },
    },
  }
  site.world.inbox.messages = [letter('msg_1', request)]
}

test('a provider’s link is shown only if the sender is verified', async (t) => {
  requested({ dkim: 'pass', dmarc: 'pass', aligned: true })
  t.true((await page(MESSAGE)).includes(`href="${LINK}"`))
  for (const verdict of [
    { dkim: 'pass' },
    { dkim: 'pass', aligned: false },
    { dkim: 'pass', dmarc: 'pass', aligned: false },
    { dkim: 'pass', dmarc: 'fail' },
    { spf: 'pending', dkim: 'pending', dmarc: 'pending', arc: 'pending' },
  ]) {
    requested(verdict)
    const body = await page(MESSAGE)
    t.false(body.includes('href="https://'), JSON.stringify(verdict))
    t.true(words(body).includes(LINK), 'it can be read')
    t.false(body.includes('/original'), 'and no link to its original layout')
    t.false(words(body).includes('This is from Gmail'))
  }
})

test('the settings show the storage used and warn when it is nearly full', async (t) => {
  const body = words(await page('/settings/your-data'))
  t.true(body.includes('Your family’s mail uses 8.4 GB of 10.0 GB.') || body.includes('8.5 GB of 10.0 GB'))
  t.true(body.includes('Your storage is nearly full.'))
})
