import anyTest, { type TestFn } from 'ava'
import { untilToolAnswered } from '../_outcome.ts'
import type { SharedStack } from '../_shared-stack.ts'
import { joinPipeWorld, type PipeWorld } from '../event-pipe/_pipe.ts'

const test = anyTest as TestFn<PipeWorld<SharedStack>>
const MOST_CALLS = 4
const AN_HOUR_MS = 3_600_000

// biome-ignore lint/suspicious/noExplicitAny: results of every tool
type Data = any
/** A call, with arguments from what earlier calls returned. */
type Step = [tool: string, args?: (...earlier: Data[]) => object]
/** What a person asks, the fewest calls that answer it, and what the last result must say. */
type Task = { calls: Step[]; answer: RegExp }

const idOf = (name: string, { lovedOnes }: Data) => lovedOnes.find((one: Data) => one.name.startsWith(name)).id
const about =
  (name: string, more: object = {}) =>
  (circle: Data) => ({ lovedOneId: idOf(name, circle), ...more })
const found = (subject: string, { messages }: Data) => messages.find((one: Data) => one.subject.startsWith(subject))
const addressIn = (sender: string) => /<(.+)>$/.exec(sender)?.[1] ?? sender

const circle: Step = ['list_loved_ones']
const mailOf = (name: string, more?: object): Step => ['list_inbox_messages', about(name, more)]
const eventsOf = (name: string, more?: object): Step => ['list_care_events', about(name, more)]
const open = (name: string, subject: string): Step => [
  'get_inbox_message',
  (people, mail) => ({ ...about(name)(people), messageId: found(subject, mail).id }),
]
const replyTo = (subject: string, body: string): Step => [
  'reply_to_inbox_message',
  (_people, mail) => {
    const { id, sender, replyTo = addressIn(sender) } = found(subject, mail)
    return { messageId: id, body, expectedTo: replyTo, idempotencyKey: subject }
  },
]

const TASKS: Record<string, Task> = {
  'Which family is this, and who am I?': {
    calls: [['get_user_profile']],
    answer: /"role":"owner".*The Almeida family/,
  },
  'Does the connection work?': { calls: [['ping']], answer: /"authMethod":"key"/ },
  'Who else looks after them?': { calls: [['list_family_members']], answer: /Luis Almeida.*Marta Duarte/ },
  'Which address do we give the clinic for Rosa?': { calls: [circle], answer: /"Rosa Almeida","inboxAddress":"[^"]+@/ },
  'What is new for Rosa?': { calls: [circle, mailOf('Rosa')], answer: /^\{"untrusted".*Updated care plan/ },
  'Only the latest mail, please.': {
    calls: [circle, mailOf('Rosa', { limit: 1 })],
    answer: /Updated care plan.*nextCursor/,
  },
  'And the mail before that?': {
    calls: [
      circle,
      mailOf('Rosa', { limit: 1 }),
      ['list_inbox_messages', (people, page) => about('Rosa', { limit: 1, cursor: page.nextCursor })(people)],
    ],
    answer: /Prescription refill/,
  },
  'When is the appointment with Dr. Osei?': { calls: [circle, mailOf('Rosa')], answer: /Tuesday at 10:30 AM/ },
  'Until when is the refill ready?': { calls: [circle, mailOf('Rosa')], answer: /until Friday/ },
  'What was the INR?': { calls: [circle, mailOf('Rosa'), open('Rosa', 'Your lab')], answer: /INR 2\.6/ },
  'Did the laboratory attach the report?': {
    calls: [circle, mailOf('Rosa'), open('Rosa', 'Your lab')],
    answer: /"filename":"report\.pdf"/,
  },
  'What does the care plan say about walks?': {
    calls: [circle, mailOf('Rosa'), open('Rosa', 'Updated')],
    answer: /A 15-minute walk/,
  },
  'What do we pay for the walker?': { calls: [circle, mailOf('Jorge')], answer: /your share is \$21\.00/ },
  'Is the sender of the invoice verified?': {
    calls: [circle, mailOf('Jorge'), open('Jorge', 'Invoice')],
    answer: /"authenticity":"(?:not_verified|unknown)"/,
  },
  'What did the caregiver write?': {
    calls: [circle, eventsOf('Rosa', { types: ['note_added'] })],
    answer: /A walk in the garden\./,
  },
  'What was reported in the last hour?': {
    calls: [circle, eventsOf('Rosa', { since: new Date(Date.now() - AN_HOUR_MS).toISOString() })],
    answer: /note_added/,
  },
  'Does an agency report about Jorge?': { calls: [circle, eventsOf('Jorge')], answer: /"pipeAvailable":false/ },
  'Tell the care agency that Monday is fine.': {
    calls: [circle, mailOf('Rosa'), replyTo('Updated', 'Monday is fine.')],
    answer: /"to":"plan@sunrise-homecare\.example","status":"queued"/,
  },
  'Invite our neighbor to read along.': {
    calls: [
      [
        'invite_family_member',
        () => ({ email: `neighbor.${crypto.randomUUID()}@example.org`, role: 'viewer', relationship: 'neighbor' }),
      ],
    ],
    answer: /"role":"viewer","status":"invited"/,
  },
  'Get a code for the agency that comes to Jorge.': {
    calls: [circle, ['create_provider_code', about('Jorge')]],
    answer: /"code":"[^"]+","lovedOneId"/,
  },
}

test.before(async (t) => {
  const world = await joinPipeWorld('standard', { withMail: true })
  t.context = world
  const agency = await world.addAgency()
  const { json } = await agency.post(agency.event(await world.link(agency)))
  await world.untilOnTimeline([json.event_id])
})
test.after.always((t) => t.context?.[Symbol.asyncDispose]?.())

test('twenty tasks have a script', (t) => {
  t.is(Object.keys(TASKS).length, 20)
})

for (const [task, { calls, answer }] of Object.entries(TASKS))
  test(`at most four calls answer: ${task}`, async (t) => {
    t.true(calls.length <= MOST_CALLS)
    const { call, family } = t.context
    const results: Data[] = []
    let text = ''
    for (const [tool, argsFrom = () => ({})] of calls) {
      const answered = await untilToolAnswered(() => call(family.keys.owner, tool, argsFrom(...results)))
      const { result } = answered.json
      t.falsy(result.isError, result.content[0].text)
      results.push(result.structuredContent)
      text = result.content[0].text
    }
    t.regex(text, answer)
  })
