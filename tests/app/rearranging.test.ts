import type { OtherMember } from '@family-inbox/ops/demo-seed'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { openDatabase } from '../_database.ts'
import type { Guest } from '../_family.ts'
import { openMailer } from '../_mailer.ts'
import { readUntil } from '../_wait.ts'
import { invitation, newUid } from '../appointments/_invitations.ts'
import { plainMail } from '../inbox/_smtp-client.ts'
import { openAs, openSharedScenes, signIn } from './_app.ts'

const SCREENS = [
  { width: 360, height: 640 },
  { width: 1280, height: 800 },
]

const { test, onScreen } = openSharedScenes('standard', { withMail: true })

/** A new family with two letters to its first loved one. */
async function newScene<Other extends OtherMember = never>(f: Guest, ...others: Other[]) {
  const { people, keys, lovedOnes } = await f.another({ others })
  const [rosa, joe] = lovedOnes
  const subjects = [`Letter ${randomText(8)}`, `Result ${randomText(8)}`]
  const mailer = openMailer(f.stack)
  for (const subject of subjects) await mailer.deliver(rosa?.inboxAddress ?? '', plainMail(subject))
  const read = async (lovedOneId: string) => {
    const { json } = await f.call(keys.owner, 'list_inbox_messages', { lovedOneId })
    return json.result.structuredContent.messages as { id: string; subject: string }[]
  }
  const lovedOneId = rosa?.id ?? ''
  const all = await readUntil(
    () => read(lovedOneId),
    (messages) => subjects.every((subject) => messages.some((one) => one.subject === subject)),
  )
  const [letter = '', result = ''] = subjects
  const messageId = all.find((one) => one.subject === letter)?.id ?? ''
  return { people, keys, lovedOneId, otherId: joe?.id ?? '', messageId, letter, result, read }
}

for (const viewport of SCREENS)
  onScreen(
    `someone moves a letter to another inbox by keyboard at a width of ${viewport.width}, and undoes it`,
    async (t) => {
      const { f, sink, browser } = t.context
      const { people, lovedOneId, otherId, messageId, letter, read } = await newScene(f)
      await using context = await openAs(f, sink, browser, people.owner, { viewport })
      const page = await context.newPage()
      await page.goto(`${f.stack.inboxUrl}/inbox/${lovedOneId}/${messageId}`)
      await page.getByText('More actions').press('Enter')
      await page.getByRole('link', { name: 'About somebody else' }).press('Enter')
      await page.getByRole('heading', { name: 'About somebody else' }).waitFor()
      t.is(await page.evaluate('document.documentElement.scrollWidth'), viewport.width)
      await page.getByRole('radio').first().press(' ')
      await page.getByRole('button', { name: 'Move' }).press('Enter')
      await page.getByText('Moved, with everything that belongs to it.').waitFor()
      await page.getByText('moved this here from').waitFor()
      t.true(page.url().includes(otherId))
      t.true((await read(otherId)).some((one) => one.subject === letter))
      t.false((await read(lovedOneId)).some((one) => one.subject === letter))
      await page.getByRole('button', { name: 'Undo', exact: true }).press('Enter')
      await page.waitForURL(`**/inbox/${lovedOneId}/**`)
      t.is(await page.getByText('moved this here from').count(), 0)
      t.true((await read(lovedOneId)).some((one) => one.subject === letter))
      await page.goto(`${f.stack.inboxUrl}/inbox/${otherId}/${messageId}`)
      t.true(page.url().includes(lovedOneId), 'an old address leads to where it is')
    },
  )

for (const viewport of SCREENS)
  onScreen(
    `someone puts two conversations together by keyboard at a width of ${viewport.width}, takes one out, and undoes both`,
    async (t) => {
      const { f, sink, browser } = t.context
      const { people, lovedOneId, messageId, result } = await newScene(f)
      await using context = await openAs(f, sink, browser, people.owner, { viewport })
      const page = await context.newPage()
      await page.goto(`${f.stack.inboxUrl}/inbox/${lovedOneId}/${messageId}`)
      const putTogether = async () => {
        await page.getByText('More actions').press('Enter')
        await page.getByRole('link', { name: 'Put with another conversation' }).press('Enter')
        await page.getByRole('button', { name: 'Put together' }).press('Enter')
        await page.getByText('There is a problem').waitFor()
        t.is(await page.evaluate('document.documentElement.scrollWidth'), viewport.width)
        await page.getByRole('main').getByLabel('Search').fill(result)
        await page.getByRole('main').getByRole('button', { name: 'Search' }).press('Enter')
        await page.getByText('Found conversations').waitFor()
        await page.getByRole('radio', { name: result }).press(' ')
        await page.getByRole('button', { name: 'Put together' }).press('Enter')
        await page.getByText('They are one conversation now, for everyone.').waitFor()
      }
      await putTogether()
      await page.getByText('put this with another conversation').first().waitFor()
      await page.getByRole('button', { name: 'Undo', exact: true }).press('Enter')
      await page.getByText('Undone. It is as it was.').waitFor()
      t.is(await page.getByText('put this with another conversation').count(), 0)
      await putTogether()
      await page.getByText('More actions').press('Enter')
      await page.getByRole('button', { name: 'Take out of this conversation' }).press('Enter')
      await page.getByText('It is a conversation of its own now, for everyone.').waitFor()
      await page.getByText('took this out of another conversation').waitFor()
      await page.getByRole('button', { name: 'Undo', exact: true }).press('Enter')
      await page.getByText('Undone. It is as it was.').waitFor()
      await page.getByText('More actions').press('Enter')
      await page.getByRole('button', { name: 'Take out of this conversation' }).waitFor()
    },
  )

test('a viewer is offered none of it, a stranger finds nothing, and an assistant has no tool for it', async (t) => {
  const { f, sink } = t.context
  const { people, keys, lovedOneId, otherId, messageId, letter } = await newScene(f, 'viewer')
  const viewer = await signIn(f, sink, people.viewer)
  const stranger = await signIn(f, sink, (await f.another()).people.owner)
  const path = `/inbox/${lovedOneId}/${messageId}`
  const opened = (await viewer.get(path)).text
  for (const words of ['About somebody else', 'Put with another conversation']) t.false(opened.includes(words), words)
  for (const page of ['somebody-else', 'together']) {
    t.is((await viewer.get(`${path}/${page}`)).status, 403, page)
    t.is((await stranger.get(`${path}/${page}`)).status, 404, page)
  }
  const forms = {
    'somebody-else': { to: otherId },
    together: { with: messageId },
    'take-out': {},
    'rearranged/undo': {},
  }
  for (const [form, fields] of Object.entries(forms)) {
    t.is((await viewer.submit(`${path}/${form}`, fields)).status, 403, form)
    const answer = await stranger.submit(`${path}/${form}`, fields)
    t.is(answer.status, 404, form)
    t.false(answer.text.includes(letter))
  }
  const { json } = await f.post(keys.owner, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const tools = (json.result.tools as { name: string }[]).map(({ name }) => name)
  t.deepEqual(
    tools.filter((name) => /move|join|take|rearrange/.test(name)),
    [],
  )
})

test('the appointment of a moved letter is in the other calendar only, an old link leads to the letter, and moving back undoes both', async (t) => {
  const { f, sink } = t.context
  const { people, keys, lovedOnes, workspaceId } = await f.another()
  const [rosa, joe] = lovedOnes.map(({ id }) => id) as [string, string]
  const summary = `Scan ${randomText(6)}`
  await openMailer(f.stack).deliver(lovedOnes[0]?.inboxAddress ?? '', invitation({ uid: newUid(), summary }))
  await using mongo = await openDatabase(f.stack, 'care-circle')
  const owners = () => mongo.db().collection('appointments').distinct('lovedOneId', { workspaceId })
  const untilOf = (lovedOneId: string) => readUntil(owners, (found) => found.join() === lovedOneId)
  await untilOf(rosa)
  const { json } = await f.call(keys.owner, 'list_inbox_messages', { lovedOneId: rosa })
  const messageId = json.result.structuredContent.messages[0].id
  const ana = await signIn(f, sink, people.owner)
  t.is((await ana.submit(`/inbox/${rosa}/${messageId}/somebody-else`, { to: joe })).status, 303)
  await untilOf(joe)
  const { status, headers } = await ana.get(`/inbox/${rosa}/${messageId}`)
  t.deepEqual([status, headers.location], [303, `/inbox/${joe}/${messageId}`])
  t.is((await ana.submit(`/inbox/${joe}/${messageId}/somebody-else`, { to: rosa })).status, 303)
  await untilOf(rosa)
})
