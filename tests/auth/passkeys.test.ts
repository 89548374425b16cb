import { openSharedScenes } from '../app/_app.ts'
import { addPasskey, credentialsOf, openAuthDatabase, openMember, signInByPasskey } from './_authenticator.ts'

const { test, onScreen } = openSharedScenes()

onScreen('I add a passkey, sign out, and sign in with it without an email', async (t) => {
  const { f, sink, browser } = t.context
  const { email, context, page, authenticator } = await openMember(f, sink, browser)
  await addPasskey(f, page, 'My phone')
  t.is((await credentialsOf(authenticator)).length, 1)
  t.true(await page.getByRole('heading', { name: 'My phone' }).isVisible())
  const mails = sink.mails.filter(({ to }) => to.includes(email)).length
  await context.clearCookies()
  await signInByPasskey(f, page)
  await page.goto(`${f.stack.inboxUrl}/settings`)
  t.true((await page.getByRole('contentinfo').textContent())?.includes(email))
  t.is(sink.mails.filter(({ to }) => to.includes(email)).length, mails)
  await context.close()
})

onScreen('a passkey I removed signs nobody in, and the page says to use a code', async (t) => {
  const { f, sink, browser } = t.context
  const { context, page } = await openMember(f, sink, browser)
  await addPasskey(f, page, 'Lost phone')
  await page.getByRole('button', { name: 'Remove Lost phone' }).click()
  await page.getByText('You have no passkeys yet.').waitFor()
  await context.clearCookies()
  await page.goto(`${f.stack.inboxUrl}/sign-in`)
  await page
    .getByRole('button', { name: 'Sign in with a passkey' })
    .click({ timeout: 3000 })
    .catch(() => {})
  await page.getByRole('alert').or(page.getByText('wasn’t accepted').first()).first().waitFor()
  t.regex((await page.locator('main').textContent()) ?? '', /wasn’t accepted. Try again or use a code/)
  t.is(await page.locator('[data-offers-in-field]').count(), 0, 'or the browser would answer again, without end')
  await context.close()
})

onScreen('a passkey without a fingerprint, a face or a PIN is not enough', async (t) => {
  const { f, sink, browser } = t.context
  const { context, page, authenticator } = await openMember(f, sink, browser)
  await authenticator.cdp.send('WebAuthn.setUserVerified', { authenticatorId: authenticator.id, isUserVerified: false })
  await page.goto(`${f.stack.inboxUrl}/settings/passkeys`)
  await page.getByLabel('Name').fill('Careless phone')
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await page.getByText('No passkey was used.').waitFor()
  await page.goto(`${f.stack.inboxUrl}/settings/passkeys`)
  t.true(await page.getByText('You have no passkeys yet.').isVisible())
  await context.close()
})

onScreen('a copied passkey, whose counter goes backwards, is refused and pointed out to me', async (t) => {
  const { f, sink, browser } = t.context
  const { email, context, page } = await openMember(f, sink, browser)
  await addPasskey(f, page, 'Copied phone')
  const cookies = await context.cookies()
  await context.clearCookies()
  await using mongo = await openAuthDatabase(f)
  const person = await mongo.db.collection('people').findOne({ email })
  await mongo.db
    .collection<{ personId: unknown }>('passkeys')
    .updateOne({ personId: person?._id }, { $set: { counter: 1_000_000 } })
  await page.goto(`${f.stack.inboxUrl}/sign-in`)
  await page
    .getByRole('button', { name: 'Sign in with a passkey' })
    .click({ timeout: 3000 })
    .catch(() => {})
  await page.getByText('may have been copied').first().waitFor()
  await context.addCookies(cookies)
  // The refused one may still be loading.
  const settings = await context.newPage()
  await settings.goto(`${f.stack.inboxUrl}/settings/passkeys`)
  t.regex((await settings.locator('main').textContent()) ?? '', /Refused .* someone may have copied it/)
  await context.close()
})

onScreen('what a passkey signed works once, and in the browser that asked for it only', async (t) => {
  const { f, sink, browser } = t.context
  const { context, page } = await openMember(f, sink, browser)
  await addPasskey(f, page, 'My phone')
  await context.clearCookies()
  const sent: { cookie: string; body: string }[] = []
  page.on('request', async (request) => {
    if (new URL(request.url()).pathname !== '/sign-in/passkey') return
    sent.push({ cookie: (await request.headerValue('cookie')) ?? '', body: request.postData() ?? '' })
  })
  await signInByPasskey(f, page)
  const replay = async (cookie: string) => {
    const answer = await fetch(`${f.stack.inboxUrl}/sign-in/passkey`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, origin: f.stack.inboxUrl, 'content-type': 'application/x-www-form-urlencoded' },
      body: sent[0]?.body ?? '',
    })
    return { status: answer.status, cookies: answer.headers.getSetCookie().join() }
  }
  const other = await fetch(`${f.stack.inboxUrl}/sign-in/passkey/options`, {
    method: 'POST',
    headers: { origin: f.stack.inboxUrl },
  })
  const stranger = other.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  t.regex(stranger, /^family_passkey=/)
  for (const cookie of [sent[0]?.cookie ?? '', stranger, '']) {
    const { status, cookies } = await replay(cookie)
    t.is(status, 422)
    t.false(cookies.includes('family_session='))
  }
  await context.close()
})

onScreen('my passkeys are in my download, without their keys, and go with my account', async (t) => {
  const { f, sink, browser } = t.context
  const { email, visitor, context, page } = await openMember(f, sink, browser)
  await addPasskey(f, page, 'A phone of mine')
  await using mongo = await openAuthDatabase(f)
  const person = await mongo.db.collection('people').findOne({ email })
  const passkeys = mongo.db.collection<{ personId: unknown; publicKey: string }>('passkeys')
  const stored = await passkeys.findOne({ personId: person?._id })
  const zip = Buffer.from(
    await (
      await fetch(`${f.stack.inboxUrl}/settings/your-data/download`, {
        method: 'POST',
        headers: { cookie: visitor.cookie, origin: f.stack.inboxUrl },
      })
    ).arrayBuffer(),
  )
  t.true(zip.includes('you/passkeys.json'))
  t.false(zip.includes(stored?.publicKey ?? 'missing'))
  await page.goto(`${f.stack.inboxUrl}/settings/your-data/delete-family`)
  await page.getByLabel('To confirm').fill('Passkey family')
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await page.waitForURL(/welcome|families/)
  await page.goto(`${f.stack.inboxUrl}/settings/your-data/delete-account`)
  await page.getByLabel('To confirm').fill(email)
  await page.getByRole('button', { name: 'Delete my account' }).click()
  await page.getByText('Account deleted').first().waitFor()
  t.is(await passkeys.countDocuments({ personId: person?._id }), 0)
  await context.close()
})

onScreen('without JavaScript the pages explain that passkeys need it, and offer codes', async (t) => {
  const { f, sink, browser } = t.context
  const { context: signedIn } = await openMember(f, sink, browser)
  const context = await browser.newContext({ javaScriptEnabled: false })
  await context.addCookies(await signedIn.cookies())
  const page = await context.newPage()
  await page.goto(`${f.stack.inboxUrl}/settings/passkeys`)
  t.true(await page.getByText('Passkeys need JavaScript').isVisible())
  t.false(await page.getByRole('button', { name: 'Add passkey' }).isVisible())
  await context.clearCookies()
  await page.goto(`${f.stack.inboxUrl}/sign-in`)
  t.true(await page.getByText('You can sign in with a code instead').isVisible())
  t.true(await page.getByRole('button', { name: 'Send code' }).isVisible())
  await context.close()
  await signedIn.close()
})

test('a browser learns no address and no passkey before it signs in', async (t) => {
  const { f } = t.context
  const answer = await fetch(`${f.stack.inboxUrl}/sign-in/passkey/options`, {
    method: 'POST',
    headers: { origin: f.stack.inboxUrl, host: 'evil.example' },
  })
  const { options } = (await answer.json()) as { options: Record<string, unknown> }
  t.is(options.rpId, new URL(f.stack.inboxUrl).hostname)
  t.deepEqual(options.allowCredentials ?? [], [])
  t.is(options.userVerification, 'required')
})
