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
