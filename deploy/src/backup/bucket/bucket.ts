import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { get as httpsGet } from 'node:https'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { S3Client, S3Errors } from '@bradenmacdonald/s3-lite-client'
import type { BucketSettings } from '../settings.ts'
import { explain, isPassing } from './bucket-error.ts'

/** Four are in memory at a time. */
const PART_BYTES = 8 * 1024 * 1024
/** S3 takes 10,000. */
const MOST_PARTS = 9000
const PAUSES_MS = [500, 2000, 8000]

export type Stored = { name: string; bytes: number }

/** A folder in an S3-compatible bucket. Names are those of files in it; errors say what to do. */
export type Bucket = {
  /** `s3://bucket/folder/`. */
  address: string
  /** A folder in it. */
  below(name: string): Bucket
  list(): Promise<Stored[]>
  /** The object is there whole or as it was. Each part carries its SHA-256, which the storage checks. */
  put(name: string, file: string): Promise<void>
  /** The file is there whole or not at all. @returns false when there is no such object */
  get(name: string, file: string): Promise<boolean>
  remove(name: string): Promise<void>
  /** Ends uploads that a killed process left, which cost space and are not listed. */
  abortUnfinished(isOurs: (name: string) => boolean): Promise<void>
  /** Whether what is replaced or deleted stays as an earlier version. False where the key may not ask. */
  keepsVersions(): Promise<boolean>
}

export function openBucket({ name: bucket, folder, ...settings }: BucketSettings): Bucket {
  const { endpoint: endPoint, region, accessKey, secretKey } = settings
  const client = new PatientClient({ endPoint, region, accessKey, secretKey, bucket })
  const address = `s3://${bucket}/${folder}`
  const explained = async <T>(work: () => Promise<T>, of = address): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw explain(error, of, endPoint)
    }
  }
  const aboutBucket = async (query: Record<string, string>) =>
    (await client.makeRequest({ method: 'GET', objectName: '', query, returnBody: true })).text()

  return {
    address,
    below: (name) => openBucket({ name: bucket, folder: `${folder}${name}/`, ...settings }),
    list: () =>
      explained(async () => {
        const found: Stored[] = []
        for await (const { key, size } of client.listObjects({ prefix: folder }))
          found.push({ name: key.slice(folder.length), bytes: size })
        return found.filter(({ name }) => !name.includes('/'))
      }),
    put: (name, file) => explained(() => upload(client, folder + name, file), address + name),
    get: (name, file) => explained(() => download(client, folder + name, file), address + name),
    remove: (name) => explained(() => client.deleteObject(folder + name), address + name),
    abortUnfinished: (isOurs) =>
      unlessRefused(async () => {
        for (const { key, uploadId } of uploadsIn(await aboutBucket({ prefix: folder, uploads: '' }))) {
          if (!key.startsWith(folder) || !isOurs(key.slice(folder.length))) continue
          await client.makeRequest({ method: 'DELETE', objectName: key, query: { uploadId }, statusCode: 204 })
        }
      }, undefined),
    keepsVersions: () =>
      unlessRefused(async () => (await aboutBucket({ versioning: '' })).includes('<Status>Enabled</Status>'), false),
  }
}

/** Repeats a request that fails for a moment: a part of an upload, and not all of it. */
class PatientClient extends S3Client {
  override async makeRequest(request: Parameters<S3Client['makeRequest']>[0]): Promise<Response> {
    return patiently(() => super.makeRequest(request))
  }
}

async function patiently<T>(request: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES_MS) {
    try {
      return await request()
    } catch (error) {
      if (!isPassing(error)) throw error
      await sleep(pause)
    }
  }
  return request()
}

async function upload(client: S3Client, key: string, file: string): Promise<void> {
  const { size } = await stat(file)
  const partSize = Math.max(PART_BYTES, Math.ceil(size / MOST_PARTS))
  const stream = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>
  await client.putObject(key, stream, { size, partSize })
  const stored = await client.statObject(key)
  if (stored.size !== size) throw new Error(`${key} has ${stored.size} of ${size} bytes`)
}

async function download(client: S3Client, key: string, file: string): Promise<boolean> {
  const part = `${file}.part`
  try {
    await patiently(async () => pipeline(await read(client, key), createWriteStream(part, PRIVATE)))
    await rename(part, file)
    return true
  } catch (error) {
    if (error instanceof S3Errors.ServerError && error.code === 'NoSuchKey') return false
    throw error
  } finally {
    await rm(part, { force: true })
  }
}

/** Not with `fetch`: where the storage closes the connection while our disk is slower, Node.js 24.21 ends the process (nodejs/undici#5360). */
async function read(client: S3Client, key: string): Promise<IncomingMessage> {
  const url = await client.presignedGetObject(key, { expirySeconds: 3600 })
  const asked = url.startsWith('https:') ? httpsGet(url) : httpGet(url)
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  if (answer.statusCode === 200) return answer
  const [, code = 'UnrecognizedError'] = /<Code>([^<]+)<\/Code>/.exec(await text(answer)) ?? []
  throw new S3Errors.ServerError(answer.statusCode ?? 0, code, '')
}

const PRIVATE = { mode: 0o600 }

/** The answer when the storage does not know the question, or the key may not ask it. */
async function unlessRefused<T>(ask: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await ask()
  } catch {
    return otherwise
  }
}

/** Of an answer to ListMultipartUploads. Our names need no escape in XML. */
function uploadsIn(xml: string): { key: string; uploadId: string }[] {
  const textOf = (upload: string, tag: string) => new RegExp(`<${tag}>([^<]+)</${tag}>`).exec(upload)?.[1] ?? ''
  return [...xml.matchAll(/<Upload>.*?<\/Upload>/gs)].map(([upload]) => ({
    key: textOf(upload, 'Key'),
    uploadId: textOf(upload, 'UploadId'),
  }))
}
