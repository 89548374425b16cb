import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, rename } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Decrypter, Encrypter } from 'age-encryption'
import { create, extract } from 'tar'

/**
 * Packs a folder into one encrypted file, which `age --decrypt` and `tar xz` open, too (age-encryption.org/v1). The file is there
 * whole or not at all.
 */
export async function seal(folder: string, file: string, recipient: string): Promise<void> {
  const encrypter = new Encrypter()
  encrypter.addRecipient(recipient)
  const packed = Readable.from(create({ cwd: folder, gzip: true, portable: true }, ['.']))
  const sealed = await encrypter.encrypt(Readable.toWeb(packed) as ReadableStream<Uint8Array>)
  const part = `${file}.part`
  await pipeline(sealed as AsyncIterable<Uint8Array>, createWriteStream(part, { mode: 0o600 }))
  await toDisk(part)
  await rename(part, file)
}

/** Opens such a file into a folder. @throws when the key is another one, or a byte has changed */
export async function unseal(file: string, identity: string, folder: string): Promise<void> {
  const decrypter = new Decrypter()
  decrypter.addIdentity(identity)
  const sealed = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>
  const packed = await decrypter.decrypt(sealed).catch((error) => {
    throw new Error(`${file} cannot be opened with this key: ${error.message}.`)
  })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await pipeline(packed as AsyncIterable<Uint8Array>, extract({ cwd: folder, strict: true }))
}

async function toDisk(path: string): Promise<void> {
  await using file = await open(path, 'r+')
  await file.sync()
}
