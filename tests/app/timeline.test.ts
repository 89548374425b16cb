import type { Page } from 'playwright-core'
import { joinFamily } from '../_family.ts'
import { openMailer } from '../_mailer.ts'
import type { SharedStack } from '../_shared-stack.ts'
import { readUntil, until } from '../_wait.ts'
import { pathOf } from '../appointments/_calendar.ts'
import { invitation, newUid } from '../appointments/_invitations.ts'
import { type Agency, joinPipeWorld, type PipeWorld } from '../event-pipe/_pipe.ts'
import { mail } from '../mail-corpus/build-mail.ts'
import { openAs, openScenes, signIn } from './_app.ts'

const { test, onScreen } = openScenes(() => joinPipeWorld())

const DAY_MS = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()
const wordsOf = async (page: Page) => ((await page.locator('main').textContent()) ?? '').replaceAll(/\s+/g, ' ')

/** Posts events and waits until they are on the timeline. */
async function send(
  f: PipeWorld<SharedStack>,
  agency: Agency,
  subject: string,
  events: [string, string, object][],
  about: string,
) {
  const before = (await f.timelineIds({ lovedOneId: about })).length
  for (const [event_type, occurred_at, payload] of events) {
    const { status } = await agency.post(agency.event(subject, { event_type, occurred_at, payload }))
    if (status !== 202) throw new Error(`an event was answered ${status}`)
  }
  await until(async () => (await f.timelineIds({ lovedOneId: about })).length >= before + events.length)
}

onScreen('an empty timeline explains what is missing, until an agency has sent something', async (t) => {
  const { f, sink, browser } = t.context
  const about = f.family.lovedOnes[1]?.id ?? ''
  const url = `${f.stack.inboxUrl}/timeline/${about}`
  await using owner = await openAs(f, sink, browser, f.family.people.owner, { javaScriptEnabled: false })
  const page = await owner.newPage()
  await page.goto(url)
  t.true((await wordsOf(page)).includes('No agency linked yet'))
  await page.getByRole('link', { name: 'Create code' }).click()
  t.true(await page.getByLabel('Jorge Almeida').isChecked())
  const viewer = await signIn(f, sink, f.family.people.viewer)
  t.false((await viewer.get(`/timeline/${about}`)).text.includes('Create code</a>'))

  const agency = await f.addAgency()
  const subject = await f.link(agency, { lovedOneId: about, shared: false })
  await page.goto(url)
  t.true((await wordsOf(page)).includes(`${agency.name} is linked, but sharing is off`))
  await page.getByRole('link', { name: 'See agencies' }).click()
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
  t.true((await wordsOf(page)).includes('A caregiver wrote a note A walk & a “talk”.'))
  await f.share(agency, subject, false)
  await page.goto(url)
  t.false((await wordsOf(page)).includes('walk'), 'events disappear when sharing is off')
})

onScreen('events are listed by day in sentences, with gaps and late arrivals; filters work', async (t) => {
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
    'A caregiver arrived (at home)',
    'A caregiver visited for 45 minutes',
    'Medication given 3 times',
    'Metformin 500 mg given',
    'Blood pressure 128/82 mmHg',
    'Fall detected',
    'sent 9 days later',
  ])
    t.true(words.includes(sentence), `${sentence} in ${words}`)
  t.regex(words, /Nothing was sent between .+ and .+\./)
  t.false(words.includes('CG-1'), 'the caregiver’s id at the agency is not shown')

  await page.getByText('Filter', { exact: true }).click()
  await page.getByLabel('Show').selectOption({ label: 'Visits' })
  await page.getByLabel('Period').selectOption({ label: 'Last 7 days' })
  await page.getByRole('button', { name: 'Apply filters' }).click()
  t.true(page.url().endsWith(`/timeline/${f.lovedOneId}?type=visits&period=week`), page.url())
  const filtered = await wordsOf(page)
  t.true(filtered.includes('A caregiver visited for 45 minutes'))
  t.false(filtered.includes('Metformin') || filtered.includes('Fall detected') || filtered.includes('Nothing was sent'))

  await page.getByRole('link', { name: 'Readings', exact: true }).click()
  await page.goto(`${f.stack.inboxUrl}/timeline/${f.lovedOneId}/readings`)
  const chart = page.getByRole('img', {
    name: /^Blood pressure: 2 readings from .* between 128\/82 mmHg and 140\/91 mmHg/,
  })
  t.is(await chart.count(), 1)
  t.is(await page.locator('polyline').count(), 2)
  await page.getByText('2 readings as a table').click()
  t.deepEqual(await page.locator('tbody tr td:nth-child(2)').allTextContents(), ['128/82 mmHg', '140/91 mmHg'])
})

test('everyone’s timeline shows each event once across pages, and a forged cursor shows no other family’s events', async (t) => {
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
  const cursor = (id: string) => Buffer.from(JSON.stringify([[id, '', 0]])).toString('base64url')
  const foreign = await stranger.get(`/timeline?page=${cursor(f.lovedOneId)}`)
  t.deepEqual(foreign.text, (await stranger.get(`/timeline?page=${cursor('lo_nobody')}`)).text)
  t.notRegex(foreign.text, /Note \d/)
  for (const nonsense of ['x', '%00', cursor(''), 'W10'])
    t.is((await stranger.get(`/timeline?page=${nonsense}`)).status, 200, nonsense)
})

onScreen('the owner unlinks an agency: its events are refused from then on, and what it sent is gone', async (t) => {
  const { f, sink, browser } = t.context
  const about = f.family.lovedOnes[1]?.id ?? ''
  const agency = await f.addAgency()
  const subject = await f.link(agency, { lovedOneId: about })
  const note: [string, string, object] = [
    'note_added',
    daysAgo(0.1),
    { caregiver_id: 'CG-1', note_text: 'A last walk.' },
  ]
  await send(f, agency, subject, [note], about)
  await using owner = await openAs(f, sink, browser, f.family.people.owner, { javaScriptEnabled: false })
  const page = await owner.newPage()
  await page.goto(`${f.stack.inboxUrl}/care-circle`)
  const unlink = page.getByRole('link', { name: `Unlink ${agency.name}` })
  const path = (await unlink.getAttribute('href')) ?? ''

  const coordinator = await signIn(f, sink, f.family.people.coordinator)
  t.false((await coordinator.get('/care-circle')).text.includes('/unlink'))
  t.is((await coordinator.get(path)).status, 403)
  t.is((await coordinator.submit(path, {})).status, 403)
  const other = await f.another()
  const stranger = await signIn(f, sink, other.people.owner)
  t.is((await stranger.get(path)).status, 404)
  t.is((await stranger.submit(path, {})).status, 404)
  t.is((await agency.post(agency.event(subject))).status, 202)

  await unlink.click()
  t.true((await wordsOf(page)).includes('deleted from the timeline for good'))
  await page.getByRole('button', { name: 'Unlink agency' }).click()
  t.true((await wordsOf(page)).includes('Agency unlinked.'))
  t.false((await wordsOf(page)).includes(agency.name))
  t.is((await agency.post(agency.event(subject))).status, 404)
  await page.goto(`${f.stack.inboxUrl}/timeline/${about}`)
  t.false((await wordsOf(page)).includes('A last walk.'))
  const again = await f.link(agency, { lovedOneId: about, subjectRef: subject })
  t.is(again, subject, 'a new code links the same client again')
})

test('the care circle page works while the pipe service is down', async (t) => {
  await using f = await joinFamily('mortal')
  const viewer = await signIn(f, f.sink, f.family.people.viewer)
  await f.stack.pause('pipe')
  const circle = await viewer.get('/care-circle')
  const timeline = await viewer.getOnce('/timeline')
  f.stack.resume('pipe')
  t.is(circle.status, 200)
  t.true(circle.text.includes('can’t load your care agencies right now') && circle.text.includes('Ana Almeida'))
  t.is(timeline.status, 503)
})

test('medication is listed as the agency told it, each once across pages, and for no other family', async (t) => {
  const { f, sink } = t.context
  const about = f.family.lovedOnes[1]?.id ?? ''
  const agency = await f.addAgency()
  const subject = await f.link(agency, { lovedOneId: about })
  const dose = { dose_amount: 2.5, dose_unit: 'mg', administered_by: 'CG-1', scheduled_at: daysAgo(40) }
  const doses = Array.from({ length: 45 }, (_, index): [string, string, object] => [
    'med_administered',
    daysAgo(1 + index / 10),
    { ...dose, medication_name: `Pill ${index}` },
  ])
  await send(f, agency, subject, doses, about)
  const luis = await signIn(f, sink, f.family.people.coordinator)
  const seen: string[] = []
  let path = `/timeline/${about}/medication`
  while (path !== '') {
    const { status, text } = await luis.get(path)
    t.is(status, 200)
    t.regex(text, new RegExp(`2\\.5 mg</bdi></p>\\s*<p class="hint">Planned for .* reported by <bdi>${agency.name}`))
    t.notRegex(text, /CG-1/)
    seen.push(...[...text.matchAll(/<strong><bdi>(Pill \d+)/g)].map(([, name = '']) => name))
    // Only the newest page has the week beside it.
    t.is(text.includes('med-week'), seen.length <= 40)
    path = (/href="([^"]+)" rel="next"/.exec(text)?.[1] ?? '').replaceAll('&#38;', '&')
  }
  t.deepEqual(
    seen,
    doses.map((_, index) => `Pill ${index}`),
  )
  const stranger = await signIn(f, sink, (await f.another()).people.owner)
  t.is((await stranger.get(`/timeline/${about}/medication`)).status, 404)
})

test('what comes next has appointments and mail nobody has taken, also while the pipe service is down', async (t) => {
  await using f = await joinFamily('mortal')
  const { sink } = f
  const { id, inboxAddress } = f.family.lovedOnes[0] ?? { id: '', inboxAddress: '' }
  const { deliver } = openMailer(f.stack)
  await deliver(inboxAddress, invitation({ uid: newUid(), summary: 'Heart check' }))
  await deliver(inboxAddress, mail({ Subject: 'Can you come?', 'Message-ID': `<${newUid()}>` }, 'On Monday.'))
  const owner = await signIn(f, sink, f.family.people.owner)
  const read = () => owner.get('/inbox/next')
  const isWhole = ({ text }: { text: string }) => pathOf(text, 'Heart check') !== '' && text.includes('Can you come?')
  const { text } = await readUntil(read, isWhole)
  t.false(text.includes('can’t load'))
  t.is((await owner.get(pathOf(text, 'Heart check'))).status, 200)

  const [, letter = ''] = /href="([^"?]+)[^"]*"><bdi>Invitation: Heart check/.exec(text) ?? []
  t.is((await owner.submit(`${letter}/status`, { act: 'take' })).status, 303)
  t.false((await read()).text.includes('Invitation: Heart check'), 'someone has taken it')

  await f.stack.pause('pipe')
  const [page, inbox] = await Promise.all([read(), owner.get('/')])
  f.stack.resume('pipe')
  for (const { status, text: words } of [page, inbox]) {
    t.is(status, 200)
    t.true(isWhole({ text: words }) && words.includes('can’t load the timeline right now'))
  }
  const stranger = await signIn(f, sink, (await f.another()).people.owner)
  t.false((await stranger.get('/inbox/next')).text.includes('Heart check'))
  t.is((await stranger.get(`/inbox/next?for=${id}`)).status, 404)
})
