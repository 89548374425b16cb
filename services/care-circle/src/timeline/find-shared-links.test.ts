import type { ListSharedLinksRequest, ListSharedLinksResponse } from '@family-inbox/proto/pipe/v1/pipe'
import test from 'ava'
import { findSharedLinks } from './find-shared-links.ts'

const LINKS = [
  { linkId: 'lnk_1', institutionName: 'Sunrise', lovedOneId: 'lo_rosa' },
  { linkId: 'lnk_2', institutionName: 'Sunrise', lovedOneId: 'lo_jorge' },
  { linkId: 'lnk_3', institutionName: 'Harbor', lovedOneId: 'lo_maria' },
]

type ListLinks = (request: ListSharedLinksRequest) => ListSharedLinksResponse

const find = (listLinks: ListLinks, lovedOneIds = ['lo_rosa', 'lo_jorge']) => {
  const pipe = { listSharedLinks: async (request: ListSharedLinksRequest) => listLinks(request) }
  return findSharedLinks({ pipe } as never, 'ws_1', lovedOneIds, undefined)
}

test('one call finds the links of all loved ones, and leaves out those that were not asked for', async (t) => {
  const asked: string[] = []
  const links = await find(({ lovedOneId }) => {
    asked.push(lovedOneId)
    return { links: LINKS, ofAll: true }
  })
  t.deepEqual(links, LINKS.slice(0, 2))
  t.deepEqual(asked, [''])
})

test('a pipe of the version before is asked for each loved one, and does not need to name them', async (t) => {
  const links = await find((request) => ({
    links: LINKS.filter(({ lovedOneId }) => lovedOneId === request.lovedOneId).map((link) => ({
      ...link,
      lovedOneId: '',
    })),
  }))
  t.deepEqual(links, LINKS.slice(0, 2))
})

test('for a single loved one, pipe is asked about nobody else', async (t) => {
  const asked: string[] = []
  const links = await find(
    ({ lovedOneId }) => {
      asked.push(lovedOneId)
      return { links: LINKS.slice(0, 1) }
    },
    ['lo_rosa'],
  )
  t.deepEqual(links, LINKS.slice(0, 1))
  t.deepEqual(asked, ['lo_rosa'])
})
