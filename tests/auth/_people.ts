import { setTimeout as sleep } from 'node:timers/promises'
import type { OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import type { AuthStack } from './_auth.ts'

export type SignedIn = {
  email: string
  /** The secret in the browser's cookie. */
  session: string
  /** A principal for the person, for the session's selected workspace. */
  principal(): Promise<string>
}

export type Member = SignedIn & { workspaceId: string }

let networks = 0

/** A unique address. */
export function newEmail(): string {
  return `${randomText(12)}@family.example`
}

/** The mails to an address; waits until there are `count`. */
export async function mailsTo(s: AuthStack, email: string, count = 1): Promise<OutgoingMail[]> {
  for (let waited = 0; waited < 3000; waited += 5) {
    const mails = s.mails.filter(({ toAddress }) => toAddress === email)
    if (mails.length >= count) return mails
    await sleep(5)
  }
  throw new Error(`fewer than ${count} mails came`)
}

/** The code in a sign-in mail, as a person would copy it. */
export function codeIn(mail: OutgoingMail | undefined): string {
  return /\d{4} \d{4}/.exec(mail?.text ?? '')?.[0] ?? ''
}

/** Requests a code, reads the mail, enters the code. Each person has a network of their own. */
export async function signIn(s: AuthStack, email = newEmail(), userAgent = 'Firefox/140 (Windows)'): Promise<SignedIn> {
  const seen = s.mails.filter(({ toAddress }) => toAddress === email).length
  networks += 1
  const clientAddress = `198.51.${networks >> 8}.${networks & 255}`
  const { challenge } = await s.as.site.startSignIn({ email, clientAddress })
  const code = codeIn((await mailsTo(s, email, seen + 1)).at(-1))
  const { session } = await s.as.site.finishSignIn({ challenge, code, userAgent })
  return { email, session, principal: async () => (await s.as.site.resolveSession({ session })).principal }
}

/** Signs in a new person with a workspace. */
export async function signInMember(s: AuthStack): Promise<Member> {
  const person = await signIn(s)
  const workspaceId = await addWorkspace(s, person)
  await s.as.site.selectWorkspace({ session: person.session, workspaceId })
  return { ...person, workspaceId }
}

export async function addWorkspace(s: AuthStack, person: SignedIn): Promise<string> {
  const request = { name: 'Garcia family', ownerName: 'Ana Garcia', relationship: 'daughter' }
  return (await s.careCircle.createWorkspace(request, { token: await person.principal() })).workspaceId
}
