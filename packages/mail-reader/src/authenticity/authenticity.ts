/** Results in the terms of RFC 8601, such as pass, fail, none or temperror. */
export type Authenticity = {
  spf: string
  dkim: string
  dmarc: string
  arc: string
  /** Whether the From domain authenticates the whole mail. Absent on old rows. */
  aligned?: boolean
  /** The domains that sealed a valid ARC chain, the first one first. */
  arcSealers?: string[]
  arcFirstDmarc?: string
  /** The last of them, if all are known forwarders. */
  forwarder?: string
}

/** The sender, name and address that the SMTP connection gave. */
export type SmtpEnvelope = {
  sender: string
  helo: string
  peer: string
  /** Set for mail that came from a mailbox and not by SMTP: only what its server found counts, and nothing without its id. */
  fetched?: { authservId?: string }
}

/** Rejects with an error carrying a Node.js DNS `code`, such as ENOTFOUND. */
export type ResolveDns = (name: string, type: string) => Promise<unknown>
