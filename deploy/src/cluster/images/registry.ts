import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'

/** The images of a cluster. Layers are files, which are served where they were made. */
export type Images = {
  /** The digest of an image by its name and tag, such as `library/nats:2.12.1-alpine`. */
  tags: Record<string, string>
  /** Manifests and configurations by digest. */
  documents: Record<string, string>
  layers: Record<string, { path: string; size: number }>
}

/** Serves images by the distribution protocol of OCI, to read. @param file the images, as JSON */
export async function startRegistry(file: string, address: string): Promise<Server> {
  const images: Images = JSON.parse(await readFile(file, 'utf8'))
  const [host = '', port] = address.split(':')
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', `http://${address}`)
    const [, name, kind, reference = ''] = /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(pathname) ?? []
    if (pathname === '/v2/') response.end('{}')
    else if (kind === undefined) response.writeHead(404).end()
    else answer(images, reference.includes(':') ? reference : (images.tags[`${name}:${reference}`] ?? ''), response)
  })
  server.listen(Number(port), host)
  await once(server, 'listening')
  return server
}

function answer({ documents, layers }: Images, digest: string, response: ServerResponse): void {
  const document = documents[digest]
  const layer = layers[digest]
  const type = document?.includes(MANIFEST) ? MANIFEST : 'application/octet-stream'
  const size = document === undefined ? layer?.size : Buffer.byteLength(document)
  if (size === undefined) {
    response.writeHead(404).end()
    return
  }
  response.writeHead(200, { 'content-type': type, 'content-length': size, 'docker-content-digest': digest })
  if (response.req.method === 'HEAD') response.end()
  else if (document !== undefined) response.end(document)
  else if (layer) pipeline(createReadStream(layer.path), response, () => response.destroy())
}
