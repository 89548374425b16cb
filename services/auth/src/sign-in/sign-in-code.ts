import { randomInt } from 'node:crypto'
import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { fromService } from '@family-inbox/workspace-kit/outgoing-mail'
import { PRODUCT } from '@family-inbox/workspace-kit/product'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { challengeId, hashCode, type SignInChallenge } from '../models/sign-in-challenge.ts'
import { newSecret } from '../secret.ts'
import { findSignInWay, reviewCodeMac } from './review-code.ts'

/** At 5 tries a code and 20 codes a day, guessing succeeds in a year with 1 in 2,700; with 6 digits, 1 in 27. */
const DIGITS = 8
const CODE_TRIES = 5
const CODE_LIFETIME_MS = 10 * 60_000

type Purpose = {
  /** The session to confirm; absent for a sign-in. */
  sessionId?: string
  /** Whether the address may sign in at all. */
  admitted?: boolean
}

/**
 * Mails none to a reviewer, whose code stays the same. To an address that is not admitted, and to an account that refuses codes, it mails
 * that, and no code fits.
 * @returns the challenge the browser must keep
 */
export async function mailCode(
  ctx: Context,
  email: string,
  { sessionId, admitted = true }: Purpose = {},
): Promise<string> {
  const challenge = newSecret()
  const code = newCode()
  const { reviewMac, isPasskeyOnly } = await findSignInWay(ctx, email)
  const createdAt = new Date()
  await ctx.signInChallenges.insertOne({
    _id: challengeId(challenge),
    email,
    ...(sessionId !== undefined && { sessionId }),
    codeHash: hashCode(challenge, isPasskeyOnly || !admitted ? newSecret() : (reviewMac ?? code)),
    tries: 0,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + CODE_LIFETIME_MS),
  })
  crashPoint('code-stored')
  if (reviewMac !== undefined && admitted) return challenge
  const id = `sign-in-${challengeId(challenge).slice(0, 32)}`
  const mail = { id, address: email }
  const { signUp } = await ctx.readSwitches()
  if (!admitted) await ctx.mailQueue.send(notAdmittedMail({ ...mail, signUp, urls: ctx.config.urls }))
  else if (isPasskeyOnly) await ctx.mailQueue.send(passkeyOnlyMail(mail))
  else await ctx.mailQueue.send(codeMail({ ...mail, code, confirms: sessionId !== undefined }))
  crashPoint('code-queued')
  return challenge
}

/** Counts a try in an atomic update, so that concurrent tries cannot exceed the limit. @returns the proved email */
export async function redeemCode(ctx: Context, challenge: string, typed: string, sessionId?: string): Promise<string> {
  const code = readCode(typed)
  const hashes = [code, reviewCodeMac(ctx.config, code)].map((each) => hashCode(challenge, each))
  const isRight = { $in: ['$codeHash', hashes] }
  const tried = (await ctx.signInChallenges.collection.findOneAndUpdate(
    {
      _id: challengeId(challenge) as never,
      sessionId: sessionId ?? null,
      usedAt: null,
      tries: { $lt: CODE_TRIES },
      $expr: { $gt: ['$expiresAt', '$$NOW'] },
    },
    [{ $set: { tries: { $add: ['$tries', 1] }, usedAt: { $cond: [isRight, '$$NOW', '$$REMOVE'] } } }],
    { returnDocument: 'after' },
  )) as SignInChallenge | null
  if (tried === null) throw newCodeNeeded('This code has expired or was already used.')
  if (tried.usedAt) return tried.email
  const left = CODE_TRIES - tried.tries
  if (left === 0) throw newCodeNeeded('That code wasn’t right either.')
  throw invalidArgument('code', `That code isn’t right. You have ${left === 1 ? '1 try' : `${left} tries`} left.`)
}

function newCodeNeeded(because: string): StatusError {
  return new StatusError('FAILED_PRECONDITION', `${because} Ask for a new one.`, { field: 'code' })
}

export function newCode(): string {
  return String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')
}

export function showCode(code: string): string {
  return `${code.slice(0, DIGITS / 2)} ${code.slice(DIGITS / 2)}`
}

export function readCode(typed: string): string {
  return typed.normalize('NFKC').replaceAll(/[^0-9]/g, '')
}

type Code = {
  /** Derived from the challenge, so queueing the mail twice sends it once. */
  id: string
  address: string
  code: string
  confirms: boolean
}

function passkeyOnlyMail({ id, address }: Pick<Code, 'id' | 'address'>): OutgoingMail {
  return {
    id,
    kind: MailKind.SIGN_IN_CODE,
    workspaceId: '',
    ...fromService({ email: address, name: '' }),
    subject: 'Sign in with your passkey',
    text: [
      `This account of ${PRODUCT} signs in with a passkey only, so there is no code in this email.`,
      'On the sign-in page, choose “Sign in with a passkey”. If you lost your passkeys, choose “Use a recovery code” and enter one from your recovery sheet.',
      'If you didn’t try to sign in, you can ignore this email. Nobody can sign in with it.',
    ].join('\n\n'),
    actionLabel: '',
    actionUrl: '',
  }
}

type NotAdmitted = Pick<Code, 'id' | 'address'> & Pick<Config, 'signUp' | 'urls'>

/**
 * Only the mailbox's owner reads it, so it reveals nothing to whoever typed the address; without it, a member with two addresses would
 * wait for a code that never comes, and its absence would answer faster.
 */
function notAdmittedMail({ id, address, signUp, urls }: NotAdmitted): OutgoingMail {
  return {
    id,
    kind: MailKind.SIGN_IN_CODE,
    workspaceId: '',
    ...fromService({ email: address, name: '' }),
    subject: 'This address can’t sign in',
    text: [
      `Somebody entered this address to sign in to ${PRODUCT} at ${urls.inbox}. It is not in a family there, so there is no code in this email.`,
      signUp === 'closed'
        ? 'This installation isn’t taking new people at the moment. If you are in a family there, sign in with the address your family invited.'
        : 'New people join by invitation. Ask your family to invite this address, or sign in with the address they invited.',
      'If you didn’t try to sign in, you can ignore this email.',
    ].join('\n\n'),
    actionLabel: '',
    actionUrl: '',
  }
}

/** Writes the mail. The subject omits the code: locked phones show subjects. */
function codeMail({ id, address, code, confirms }: Code): OutgoingMail {
  const words = confirms ? CONFIRM : SIGN_IN
  return {
    id,
    kind: MailKind.SIGN_IN_CODE,
    workspaceId: '',
    ...fromService({ email: address, name: '' }),
    subject: words.subject,
    text: [
      words.intro,
      `    ${showCode(code)}`,
      'It works once, within 10 minutes, in the browser where you requested it. We will never ask you for this code.',
      words.unasked,
    ].join('\n\n'),
    actionLabel: '',
    actionUrl: '',
  }
}

const SIGN_IN = {
  subject: 'Your sign-in code',
  intro: `Your sign-in code for ${PRODUCT}:`,
  unasked: 'If you didn’t request it, you can ignore this email. Nobody can sign in without the code.',
}

const CONFIRM = {
  subject: 'Your confirmation code',
  intro: `Your confirmation code for ${PRODUCT}:`,
  unasked:
    'If you didn’t request it, somebody may be using a device you’re signed in on. Sign in and check Settings, Devices.',
}
