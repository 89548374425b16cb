/** An SMTP reply code, and text starting with the enhanced status code (RFC 3463). */
export type Refusal = Error & { responseCode: number }

export const refusals = {
  tooManyConnections: () => refusal(421, '4.7.0 Too many connections from your address, try again later'),
  tooManyErrors: () => refusal(421, '4.7.0 Too many errors'),
  unknownRecipient: () => refusal(550, '5.1.1 No such mailbox here'),
  noPostmaster: () => refusal(550, '5.1.1 The operator has not set up a mailbox for postmaster'),
  reportsOnly: () => refusal(550, '5.7.1 This address accepts delivery reports only'),
  tryLater: () => refusal(451, '4.3.0 Temporary failure, try again later'),
  inboxFull: () => refusal(452, '4.2.2 This inbox is full until someone claims it'),
  storageFull: () => refusal(452, '4.2.2 Mailbox full, try again later'),
  tooMuchMail: () => refusal(452, '4.7.28 Too much mail for this address in the last hour, try again later'),
  memoryFull: () => refusal(452, '4.3.1 Too many large messages in progress, try again later'),
  tooSlow: () => refusal(421, '4.4.2 Timed out receiving the message'),
  noMail: () => refusal(421, '4.4.2 No message in the last minutes, connect again'),
  tooLarge: () => refusal(552, '5.3.4 The message is larger than 28 MB'),
  loop: () => refusal(554, '5.4.6 Too many hops, possible mail loop'),
}

export function isRefusal(error: unknown): error is Refusal {
  return error instanceof Error && 'responseCode' in error
}

function refusal(responseCode: number, text: string): Refusal {
  return Object.assign(new Error(text), { responseCode })
}
