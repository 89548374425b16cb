import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Guest } from '../_family.ts'
import type { Visitor } from '../_visitor.ts'
import { becomesTrue } from '../_wait.ts'
import { inDays } from '../appointments/_invitations.ts'
import { openSharedScenes, openWith, signIn } from './_app.ts'

type Push = { path: string; headers: IncomingHttpHeaders; body: Buffer }
const PATH = '/settings/notifications'

const service = await openPushService()
const { test, onScreen } = openSharedScenes('quick')
test.after.always(() => service.close())

/** The push service of a browser. A path with "gone" is a subscription that has ended. */
async function openPushService() {
  const pushes: Push[] = []
  const server = createServer(async (req, res) => {
    const body = Buffer.concat(await req.toArray())
    const path = req.url ?? ''
    pushes.push({ path, headers: req.headers, body })
    res.writeHead(path.includes('gone') ? 410 : 201).end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { origin, pushes, close: () => server.close() }
}

/** What a browser has of its subscription. */
function newSubscription() {
  const keys = createECDH('prime256v1')
  keys.generateKeys()
  const auth = randomBytes(16)
  return { keys, auth, fields: { p256dh: keys.getPublicKey('base64url'), auth: auth.toString('base64url') } }
}

/** RFC 8188 and 8291. */
function decrypt({ keys, auth }: ReturnType<typeof newSubscription>, body: Buffer): string {
  const [salt, keyLength] = [body.subarray(0, 16), body[20] ?? 0]
  const sender = body.subarray(21, 21 + keyLength)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), keys.getPublicKey(), sender])
  const secret = Buffer.from(hkdfSync('sha256', keys.computeSecret(sender), auth, info, 32))
  const derive = (use: string, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, Buffer.from(`Content-Encoding: ${use}\0`), length))
  const sealed = body.subarray(21 + keyLength)
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
  decipher.setAuthTag(sealed.subarray(-16))
  const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
  return padded.subarray(0, padded.lastIndexOf(2)).toString()
}

/** RFC 8292. @returns what the token says, if this key signed it */
function verified(authorization: string, publicKey: string): Record<string, unknown> | undefined {
  const [, token = '', key] = /^vapid t=([^,]+), k=(.+)$/.exec(authorization) ?? []
  if (key !== publicKey) return undefined
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(publicKey, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const signer = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: signer, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  return isSigned ? JSON.parse(Buffer.from(claims, 'base64url').toString()) : undefined
}

const askForNews = (visitor: Visitor) => visitor.submit(PATH, { mode: 'personal', changes: '1', timeZone: 'UTC' })

/** Makes mail for everyone who asked for news. */
async function addAppointment(f: Guest, owner: Visitor, title: string): Promise<void> {
  const day = inDays(3).toISOString().slice(0, 10)
  const form = { for: f.family.lovedOnes[0]?.id ?? '', title, place: '', day, time: '', length: '0', request: title }
  await owner.submit('/appointments/new', form)
}

test('my phone gets a notice beside the mail, which only it can read and which says nothing of my family', async (t) => {
  const { f } = t.context
  const { people } = f.family
  const [owner, sibling] = [await signIn(f, f.sink, people.owner), await signIn(f, f.sink, people.coordinator)]
  await askForNews(sibling)
  const page = (await sibling.get(PATH)).text
  t.regex(page, /No device gets notices yet/)
  const [, publicKey = ''] = /data-push-key="([^"]+)"/.exec(page) ?? []
  const [phone, old] = [newSubscription(), newSubscription()]
  await sibling.submit(`${PATH}/devices`, { endpoint: `${service.origin}/phone`, ...phone.fields })
  await sibling.submit(`${PATH}/devices`, { endpoint: `${service.origin}/phone`, ...phone.fields })
  await sibling.submit(`${PATH}/devices`, { endpoint: `${service.origin}/gone`, ...old.fields })
  t.is((await sibling.get(PATH)).text.match(/Turn off<span/g)?.length, 2, 'the same browser is one device')

  await addAppointment(f, owner, 'Oncology')
  t.true(await becomesTrue(async () => service.pushes.length >= 2))
  const push = service.pushes.find(({ path }) => path === '/phone') as Push
  const { body, path, ...rest } = JSON.parse(decrypt(phone, push.body))
  t.deepEqual(rest, {})
  t.is(body, 'An appointment needs a look.')
  t.regex(path, /^\/appointments\/apt_\w+$/)
  t.false(push.body.includes('Oncology'))
  t.like(push.headers, { ttl: '86400', urgency: 'normal', 'content-encoding': 'aes128gcm' })
  const claims = verified(String(push.headers.authorization), publicKey)
  t.like(claims, { aud: service.origin, sub: 'mailto:care@family-inbox.test' })

  const isForgotten = async () => (await sibling.get(PATH)).text.match(/Turn off<span/g)?.length === 1
  t.true(await becomesTrue(isForgotten), 'a subscription that has ended is forgotten')
  const [, id = ''] = /devices\/(pdv_\w+)\/remove/.exec((await sibling.get(PATH)).text) ?? []
  await owner.submit(`${PATH}/devices/${id}/remove`, {})
  t.true(await isForgotten(), 'nobody turns off the device of another member')
  await sibling.submit(`${PATH}/devices/${id}/remove`, {})
  t.regex((await sibling.get(PATH)).text, /No device gets notices yet/)
  const before = service.pushes.length
  await addAppointment(f, owner, 'Cardiology')
  const mails = () =>
    f.sink.mails.filter(({ to, headers }) => to.includes(people.coordinator) && /An appointment/.test(headers))
  t.true(await becomesTrue(async () => mails().length === 2))
  t.is(service.pushes.length, before, 'the mail comes, and no push beside it')
})

onScreen('the button asks my browser, and my device is in the list', async (t) => {
  const { f, browser } = t.context
  const { cookie } = await signIn(f, f.sink, f.family.people.owner)
  await using context = await openWith(f, browser, cookie, { permissions: ['notifications'] })
  const page = await context.newPage()
  const { fields } = newSubscription()
  // A headless browser has no push service; the rest is its own.
  const subscription = JSON.stringify({ endpoint: `${service.origin}/desk`, keys: fields })
  await page.addInitScript(`PushManager.prototype.subscribe = async () => ({ toJSON: () => (${subscription}) })`)
  await page.goto(`${f.stack.inboxUrl}${PATH}`)
  await page.getByRole('button', { name: 'Turn on for this device' }).click()
  await page.getByText('This device gets notices now').waitFor()
  t.regex((await page.locator('section[aria-labelledby="push"] h3').textContent()) ?? '', / on /)
  const workers = 'navigator.serviceWorker.getRegistrations().then((all) => all.length)'
  t.is(await page.evaluate<number>(workers), 1)
})

test('a form cannot make the server call any other address, and ten devices are enough', async (t) => {
  const { f } = t.context
  const viewer = await signIn(f, f.sink, f.family.people.viewer)
  const { fields } = newSubscription()
  for (const endpoint of [
    'https://evil.example/push',
    'http://10.0.0.1/push',
    'https://127.0.0.1.evil.example/',
    `http://user:password@127.0.0.1/`,
    'file:///etc/passwd',
    '',
  ]) {
    await viewer.submit(`${PATH}/devices`, { endpoint, ...fields })
    t.regex((await viewer.get(PATH)).text, /push service is not known here/, endpoint)
  }
  await viewer.submit(`${PATH}/devices`, { endpoint: `${service.origin}/x`, ...fields, p256dh: 'short' })
  t.regex((await viewer.get(PATH)).text, /No device gets notices yet/)
  for (let nth = 0; nth < 10; nth += 1)
    await viewer.submit(`${PATH}/devices`, { endpoint: `${service.origin}/${nth}`, ...fields })
  t.is((await viewer.submit(`${PATH}/devices`, { endpoint: `${service.origin}/more`, ...fields })).status, 409)
})
