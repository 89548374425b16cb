import {
  DeliveryState,
  type DeliveryTestSeen,
  type GetDeliveryTestResponse,
  type StartDeliveryTestResponse,
} from '@family-inbox/proto/inbox/v1/inbox'
import { domainOf } from '@family-inbox/workspace-kit/same-sender'
import { type Finding, ok, problem, skipped, warning } from './finding.ts'
import { dmarcToAdd } from './mail-checks.ts'

export type SentTest = StartDeliveryTestResponse

/** What became of a mail that the installation sent to itself. @param waitedMs how long it was waited for */
export function judgeDelivery(sent: SentTest, state: GetDeliveryTestResponse, waitedMs: number): Finding[] {
  const seconds = Math.round(waitedMs / 1000)
  if (state.seen !== undefined && state.arrivedAt !== undefined) return judgeArrived(sent, state.seen)
  const server = 'mail server'
  if (state.delivery === DeliveryState.FAILED)
    return [problem(server, 'The mail server refused the test mail.', 'Look at the log of inbox, and run the doctor.')]
  if (state.delivery === DeliveryState.QUEUED)
    return [problem(server, `The mail server did not take the test mail within ${seconds} seconds.`, 'Run the doctor.')]
  return [
    ok(server, 'The mail server took the test mail.'),
    problem(
      'arrival',
      `It did not come to ${sent.address} within ${seconds} seconds, so nobody knows what receivers see.`,
      `The mail of ${sent.mailDomain} must come here by its MX record: run the doctor. Without an MX record, send a mail to a mailbox that you have elsewhere, and look for "dkim=pass" in its original.`,
    ),
  ]
}

function judgeArrived(
  { senderAddress, mailDomain }: SentTest,
  { peer, spf, dkim, dmarc }: DeliveryTestSeen,
): Finding[] {
  const domain = domainOf(senderAddress)
  return [
    ok('mail server', 'The mail server took the test mail.'),
    ok('arrival', `It came back here, from ${peer}.`),
    judgeSpf(spf, mailDomain, peer),
    judgeDkim(dkim),
    judgeDmarc(dmarc, domain),
  ]
}

function judgeSpf(result: string, mailDomain: string, peer: string): Finding {
  const todo = `Add the SPF record that your mail provider names, for ${mailDomain}.`
  if (result === 'pass') return ok('SPF', `Receivers see that ${mailDomain} lets ${peer} send its mail.`)
  if (isUndecided(result)) return undecided('SPF')
  if (result === 'fail' || result === 'softfail' || result === 'permerror')
    return problem('SPF', `Receivers see that ${mailDomain} does not let ${peer} send its mail (${result}).`, todo)
  return warning('SPF', `Receivers cannot see who may send the mail of ${mailDomain} (${result}).`, todo)
}

function judgeDkim(result: string): Finding {
  if (result === 'pass') return ok('DKIM', 'Receivers see a valid signature.')
  if (isUndecided(result)) return undecided('DKIM')
  if (result === 'none')
    return warning(
      'DKIM',
      'Receivers see no signature.',
      'Turn on DKIM at your mail provider, or set DKIM_SELECTOR and add the record that npm run -s ops -- dkim prints.',
    )
  return problem(
    'DKIM',
    `Receivers see a signature that is not valid (${result}).`,
    'Compare the record in DNS with the one that npm run -s ops -- dkim prints, or your mail provider names.',
  )
}

function judgeDmarc(result: string, domain: string): Finding {
  if (result === 'pass') return ok('DMARC', `Receivers believe that the mail is from ${domain}.`)
  if (isUndecided(result)) return undecided('DMARC')
  if (result === 'none')
    return warning('DMARC', `${domain} has no DMARC record, so others can send in its name.`, dmarcToAdd(domain))
  return problem(
    'DMARC',
    `Receivers do not believe that the mail is from ${domain} (${result}). Many refuse it or take it for junk.`,
    `SPF must pass for a domain that belongs to ${domain}, or DKIM must be signed for it.`,
  )
}

function isUndecided(result: string): boolean {
  return result === 'temperror'
}

function undecided(check: string): Finding {
  return skipped(check, 'DNS gave no answer, so this time nobody knows.')
}
