import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { type Agency, type PipeWorld, startPipeWorld } from '../event-pipe/_pipe.ts'
import { openAs, openScenes, signIn } from './_app.ts'

const { test, onScreen } = openScenes((env) => startPipeWorld({ env }))

const DAY_MS = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()
const wordsOf = async (page: Page) => ((await page.locator('main').textContent()) ?? '').replaceAll(/\s+/g, ' ')

/** Posts events and waits until they are on the timeline. */
async function send(f: PipeWorld, agency: Agency, subject: string, events: [string, string, object][], about: string) {
  const before = (await f.timelineIds({ lovedOneId: about })).length
  for (const [event_type, occurred_at, payload] of events) {
    const { status } = await agency.post(agency.event(subject, { event_type, occurred_at, payload }))
    if (status !== 202) throw new Error(`an event was answered ${status}`)
  }
  for (const giveUpAt = Date.now() + 30_000; Date.now() < giveUpAt; await sleep(100))
    if ((await f.timelineIds({ lovedOneId: about })).length >= before + events.length) return
  throw new Error('events did not arrive')
}

onScreen('a family sees why its timeline is empty, from no agency to one that has sent something', async (t) => {
  const { f, sink, browser } = t.context
  const about = f.family.lovedOnes[1]?.id ?? ''
  const url = `${f.stack.inboxUrl}/timeline/${about}`
  await using owner = await openAs(f, sink, browser, f.family.people.owner, { javaScriptEnabled: false })
  const page = await owner.newPage()
  await page.goto(url)
  t.true((await wordsOf(page)).includes('No agency is linked yet'))
  await page.getByRole('link', { name: 'Make a code' }).click()
  t.true(await page.getByLabel('Jorge Almeida').isChecked())
  const viewer = await signIn(f, sink, f.family.people.viewer)
  t.false((await viewer.get(`/timeline/${about}`)).text.includes('Make a code</a>'))

  const agency = await f.addAgency()
  const subject = await f.link(agency, { lovedOneId: about, shared: false })
  await page.goto(url)
  t.true((await wordsOf(page)).includes(`${agency.name} is linked, and sharing is switched off`))
  await page.getByRole('link', { name: 'See the agencies' }).click()
  t.true((await wordsOf(page)).includes(`${agency.name} For Jorge Almeida · sharing is off`))
  await f.share(agency, subject, true)
  await page.goto(url)
  t.true((await wordsOf(page)).includes(`${agency.name} shares with you`))

  await send(
    f,
    agency,
    subject,
    [['note_added', daysAgo(0.1), { caregiver_id: 'CG-1', note_text: 'A walk & a “talk”.' }]],
    about,
  )
  await page.goto(url)
  t.true((await wordsOf(page)).includes('A carer wrote a note A walk & a “talk”.'))
  await f.share(agency, subject, false)
  await page.goto(url)
  t.false((await wordsOf(page)).includes('walk'), 'what is not shared any more is not shown any more')
})

onScreen('what happened is told in sentences, day by day, with silences and late news; filters hold', async (t) => {
  const { f, sink, browser } = t.context
  const agency = await f.addAgency()
  const subject = await f.link(agency)
  const by = { caregiver_id: 'CG-1' }
  const dose = { medication_name: 'Metformin', dose_amount: 500, dose_unit: 'mg', administered_by: 'CG-1' }
  const pressure = { vital_type: 'blood_pressure', value: 128, secondary_value: 82, unit: 'mmHg', recorded_by: 'CG-1' }
  const at = daysAgo(0.05)
  await send(
    f,
    agency,
    subject,
    [
      ['visit_started', at, { ...by, scheduled_start: at, actual_start: at, location: 'at home' }],
      ['visit_ended', at, { ...by, actual_end: at, duration_minutes: 45 }],
      ...[1, 2, 3].map((): [string, string, object] => ['med_administered', at, dose]),
      ['vital_recorded', at, pressure],
      ['vital_recorded', daysAgo(9), { ...pressure, value: 140, secondary_value: 91 }],
      ['fall_detected', daysAgo(9), {}],
    ],
    f.lovedOneId,
  )
  await using context = await openAs(f, sink, browser, f.family.people.viewer, { javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${f.stack.inboxUrl}/timeline/${f.lovedOneId}`)
  const words = await wordsOf(page)
  for (const sentence of [
    'A carer arrived (at home)',
    'A carer visited for 45 minutes',
    'Medication was given 3 times',
    'Metformin 500 mg was given',
    'Blood pressure 128/82 mmHg',
    'Something we have no words for yet: fall detected',
    'sent 9 days later',
  ])
    t.true(words.includes(sentence), `${sentence} in ${words}`)
  t.regex(words, /Nothing was sent between .+ and .+\./)
  t.false(words.includes('CG-1'), 'nobody’s number at the agency is shown')

  await page.getByText('Choose what is shown').click()
  await page.getByLabel('Show').selectOption({ label: 'Visits' })
  await page.getByLabel('From').selectOption({ label: 'The last 7 days' })
  await page.getByRole('button', { name: 'Show' }).click()
  t.true(page.url().endsWith(`/timeline/${f.lovedOneId}?type=visits&period=week`), page.url())
  const filtered = await wordsOf(page)
  t.true(filtered.includes('A carer visited for 45 minutes'))
  t.false(filtered.includes('Metformin') || filtered.includes('fall detected') || filtered.includes('Nothing was sent'))

  await page.getByRole('link', { name: 'Measurements', exact: true }).click()
  await page.goto(`${f.stack.inboxUrl}/timeline/${f.lovedOneId}/measurements`)
  const chart = page.getByRole('img', {
    name: /^Blood pressure: 2 measurements from .* between 128\/82 mmHg and 140\/91 mmHg/,
  })
  t.is(await chart.count(), 1)
  t.is(await page.locator('polyline').count(), 2)
  await page.getByText('2 measurements as a table').click()
  t.deepEqual(await page.locator('tbody tr td:nth-child(2)').allTextContents(), ['128/82 mmHg', '140/91 mmHg'])
})

test('a long timeline of everyone is read page after page, each event once, and a made-up address shows nothing foreign', async (t) => {
  const { f, sink } = t.context
  const events = (offset: number) =>
    Array.from({ length: 55 }, (_, index): [string, string, object] => [
      'note_added',
      daysAgo(20 + index + offset),
      { caregiver_id: 'CG-1', note_text: `Note ${offset} ${index}.` },
    ])
  for (const [index, { id }] of f.family.lovedOnes.entries()) {
    const agency = await f.addAgency()
    const subject = await f.link(agency, { lovedOneId: id })
    await send(f, agency, subject, events(index / 2), id)
  }
  const viewer = await signIn(f, sink, f.family.people.viewer)
  const seen: string[] = []
  let path = '/timeline?type=notes'
  while (path !== '') {
    const { status, text } = await viewer.get(path)
    t.is(status, 200)
    seen.push(...[...text.matchAll(/Note [\d.]+ \d+\./g)].map(([words]) => words))
    path = (/href="([^"]+)" rel="next"/.exec(text)?.[1] ?? '').replaceAll('&#38;', '&')
  }
  t.is(seen.length, 110)
  t.is(new Set(seen).size, 110)

  const other = await f.another()
  const stranger = await signIn(f, sink, other.people.owner)
  const place = (id: string) => Buffer.from(JSON.stringify([[id, '', 0]])).toString('base64url')
  const foreign = await stranger.get(`/timeline?page=${place(f.lovedOneId)}`)
  t.deepEqual(foreign.text, (await stranger.get(`/timeline?page=${place('lo_nobody')}`)).text)
  t.notRegex(foreign.text, /Note \d/)
  for (const nonsense of ['x', '%00', place(''), 'W10'])
    t.is((await stranger.get(`/timeline?page=${nonsense}`)).status, 200, nonsense)
})

test('while the pipe is away the care circle is still shown', async (t) => {
  const { f, sink } = t.context
  const viewer = await signIn(f, sink, f.family.people.viewer)
  await f.stack.pause('pipe')
  const circle = await viewer.get('/care-circle')
  const timeline = await viewer.get('/timeline')
  f.stack.resume('pipe')
  t.is(circle.status, 200)
  t.true(circle.text.includes('cannot be told right now') && circle.text.includes('Ana Almeida'))
  t.is(timeline.status, 503)
})
