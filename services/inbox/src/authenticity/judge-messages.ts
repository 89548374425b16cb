import type { Authenticity, Envelope } from '../models/message.ts'

/** A mail to judge, or the answer to a DNS question; `code` stands for an error. */
export type ToWorker =
  | { job: number; raw: Uint8Array<ArrayBuffer>; envelope: Envelope }
  | { question: number; answer?: unknown; code?: string }

/** That the thread is ready, a verdict, undefined when there was none to be had, or a DNS question. */
export type FromWorker =
  | { ready: true }
  | { job: number; verdict: Authenticity | undefined }
  | { job: number; question: number; name: string; type: string }
