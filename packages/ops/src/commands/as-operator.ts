import { type Io, print } from '../io.ts'
import { connect, type Services } from '../services.ts'
import { findTarget } from '../target.ts'

export async function asOperator(
  io: Io,
  json: boolean | undefined,
  call: (services: Services) => Promise<object>,
): Promise<void> {
  using services = await connect(findTarget(io.env))
  print(io, await call(services), json)
}

type Page<Row> = { rows: Row[]; nextPageToken: string }

export async function readAllPages<Row>(read: (pageToken: string) => Promise<Page<Row>>): Promise<Row[]> {
  const all: Row[] = []
  let pageToken = ''
  do {
    const { rows, nextPageToken } = await read(pageToken)
    all.push(...rows)
    pageToken = nextPageToken
  } while (pageToken !== '')
  return all
}
