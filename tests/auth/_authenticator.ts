import { randomText } from '@family-inbox/service-kit/ids/ids'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { openDatabase } from '../_database.ts'
import type { Guest } from '../_family.ts'
import { openWith, type Sink, signIn } from '../app/_app.ts'

type Authenticator = { cdp: CDPSession; id: string }

/** A virtual authenticator that approves every request. */
export async function addAuthenticator(context: BrowserContext, page: Page, isVerified = true): Promise<Authenticator> {
  const cdp = await context.newCDPSession(page)
  await cdp.send('WebAuthn.enable', { enableUI: false })
  const { authenticatorId: id } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: isVerified,
      automaticPresenceSimulation: true,
    },
  })
  return { cdp, id }
}

export async function credentialsOf({ cdp, id }: Authenticator) {
  return (await cdp.send('WebAuthn.getCredentials', { authenticatorId: id })).credentials
}

/** A member of a new family, in a browser with a virtual authenticator. */
export async function openMember(f: Guest, sink: Sink, browser: Parameters<typeof openWith>[1], screen = {}) {
  const email = `${randomText(10)}@passkeys.example`
  const visitor = await signIn(f, sink, email)
  await visitor.submit('/welcome', {
    lovedOne: 'Rosa',
    yourName: 'Ana',
    relationship: 'daughter',
    familyName: 'Passkey family',
    step: '2',
    key: randomText(12),
  })
  const context = await openWith(f, browser, visitor.cookie, screen)
  const page = await context.newPage()
  return { email, visitor, context, page, authenticator: await addAuthenticator(context, page) }
}

/** By keyboard. */
export async function addPasskey(f: Pick<Guest, 'stack'>, page: Page, name: string): Promise<void> {
  await page.goto(`${f.stack.inboxUrl}/settings/passkeys`)
  await page.getByLabel('Name').focus()
  await page.keyboard.type(name)
  await page.getByRole('button', { name: 'Add passkey' }).press('Enter')
  await page.getByText('Passkey added.').waitFor()
}

/** Presses the button, unless the browser has offered the passkey in the email field and used it before. */
export async function signInByPasskey(f: Pick<Guest, 'stack'>, page: Page): Promise<void> {
  await page.goto(`${f.stack.inboxUrl}/sign-in`)
  await page
    .getByRole('button', { name: 'Sign in with a passkey' })
    .click({ timeout: 3000 })
    .catch(() => {})
  await page.waitForURL((url) => !url.pathname.startsWith('/sign-in'))
}

export async function openAuthDatabase(f: Guest) {
  const client = await openDatabase(f.stack, 'auth')
  return { db: client.db(), [Symbol.asyncDispose]: () => client.close() }
}
