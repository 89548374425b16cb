import type { ToolName } from '@family-inbox/workspace-kit/tool-catalogue'

/** What a person asks, and the calls that answer it, the deciding one last. `$name` is something that an earlier answer gives. */
export type Question = { asks: string; calls: [tool: ToolName, args: object][] }

const circle: Question['calls'][number] = ['list_loved_ones', {}]
const mail = (args: object): Question['calls'][number] => ['list_inbox_messages', { lovedOneId: '$rosa', ...args }]
const events = (args: object): Question['calls'][number] => ['list_care_events', { lovedOneId: '$rosa', ...args }]
const read: Question['calls'][number] = ['get_inbox_message', { lovedOneId: '$rosa', messageId: '$message' }]

/** Written before the descriptions of the tools were. */
export const QUESTIONS: readonly Question[] = [
  { asks: 'Is the connection to the family inbox working?', calls: [['ping', {}]] },
  { asks: 'Check that you can still reach the server.', calls: [['ping', {}]] },
  { asks: 'Are you connected?', calls: [['ping', {}]] },
  { asks: 'Who am I signed in as?', calls: [['get_user_profile', {}]] },
  { asks: 'Which family workspace are you in?', calls: [['get_user_profile', {}]] },
  { asks: 'What is my role here, and under which email?', calls: [['get_user_profile', {}]] },
  { asks: 'On whose behalf do you act?', calls: [['get_user_profile', {}]] },
  { asks: 'Who do we look after?', calls: [circle] },
  { asks: 'What is Mum’s inbox address, the one we give to the clinic?', calls: [circle] },
  { asks: 'List the people our family cares for.', calls: [circle] },
  { asks: 'Does Dad have an inbox address yet?', calls: [circle] },
  { asks: 'Which loved ones are there, and what are their ids?', calls: [circle] },
  { asks: 'Who else is in the care circle?', calls: [['list_family_members', {}]] },
  { asks: 'Has Luis accepted his invitation?', calls: [['list_family_members', {}]] },
  { asks: 'What is the email of my sister in the circle?', calls: [['list_family_members', {}]] },
  { asks: 'Who is the owner of this family?', calls: [['list_family_members', {}]] },
  { asks: 'Which members can only read?', calls: [['list_family_members', {}]] },
  { asks: 'How is Marta related to us?', calls: [['list_family_members', {}]] },
  { asks: 'What mail came for Rosa?', calls: [circle, mail({})] },
  { asks: 'Any new messages today?', calls: [circle, mail({ since: '$today' })] },
  { asks: 'Find the letter about the INR.', calls: [circle, mail({ query: 'INR' })] },
  { asks: 'Search for mail from the pharmacy.', calls: [circle, mail({ from: 'pharmacy' })] },
  { asks: 'Show me the unread mail of my mother.', calls: [circle, mail({ unread: true })] },
  { asks: 'Which mail is still open and nobody has taken?', calls: [circle, mail({ status: 'open' })] },
  { asks: 'Which letters has Ana marked as done?', calls: [circle, mail({ status: 'done' })] },
  { asks: 'List the bills and invoices that arrived.', calls: [circle, mail({ category: 'billing' })] },
  { asks: 'Find the latest test results in the inbox.', calls: [circle, mail({ category: 'results' })] },
  { asks: 'Which messages have an attachment?', calls: [circle, mail({ hasAttachment: true })] },
  {
    asks: 'What did the insurance send last month?',
    calls: [circle, mail({ category: 'insurance', since: '$last month' })],
  },
  { asks: 'Look for the words "walking frame" in her mail.', calls: [circle, mail({ query: '"walking frame"' })] },
  { asks: 'Mail from Dr. Osei since March, please.', calls: [circle, mail({ from: 'Osei', since: '$March' })] },
  {
    asks: 'Was there a message before Christmas about the ramp?',
    calls: [circle, mail({ query: 'ramp', until: '$Christmas' })],
  },
  { asks: 'Give me a preview of the newest mail.', calls: [circle, mail({ limit: 1 })] },
  {
    asks: 'Did the clinic write about the appointment?',
    calls: [circle, mail({ query: 'appointment', from: 'clinic' })],
  },
  { asks: 'Which sender wrote most often this week?', calls: [circle, mail({ since: '$Monday' })] },
  { asks: 'Is there any mail whose sender is not verified?', calls: [circle, mail({})] },
  { asks: 'Read me the message from the laboratory.', calls: [circle, mail({ from: 'laboratory' }), read] },
  { asks: 'What does the whole text of that message say?', calls: [read] },
  { asks: 'Open the care plan letter and read it.', calls: [circle, mail({ query: 'care plan' }), read] },
  { asks: 'What are the names and sizes of the attachments of this message?', calls: [read] },
  { asks: 'What were the earlier messages of this conversation?', calls: [read] },
  { asks: 'What notes did my family write on this message?', calls: [read] },
  { asks: 'What became of the reply you proposed to that message?', calls: [read] },
  { asks: 'What is new in their answer, without the quoted text?', calls: [read] },
  { asks: 'What did the care agency report yesterday?', calls: [circle, events({ since: '$yesterday' })] },
  { asks: 'When was the last visit of the caregiver?', calls: [circle, events({ types: ['visit_ended'] })] },
  {
    asks: 'Did she get her medication this morning?',
    calls: [circle, events({ types: ['med_administered'], since: '$today' })],
  },
  {
    asks: 'What was her blood pressure at the last reading of vital signs?',
    calls: [circle, events({ types: ['vital_recorded'] })],
  },
  { asks: 'List the notes that the agency’s nurse added.', calls: [circle, events({ types: ['note_added'] })] },
  { asks: 'Has she had a fall?', calls: [circle, events({ types: ['fall_detected'] })] },
  { asks: 'Is any agency sharing events with us?', calls: [circle, events({})] },
  {
    asks: 'How many visits were there last week?',
    calls: [circle, events({ since: '$last week', until: '$this week' })],
  },
  {
    asks: 'Invite my brother Tom as a viewer, tom@almeida.example.',
    calls: [['invite_family_member', { email: 'tom@almeida.example', role: 'viewer' }]],
  },
  {
    asks: 'Add aunt Clara to the circle so that she can reply, too: clara@almeida.example.',
    calls: [['invite_family_member', { email: 'clara@almeida.example', role: 'coordinator' }]],
  },
  {
    asks: 'Send an invitation by email to our neighbor.',
    calls: [['invite_family_member', { email: '$neighbor', role: 'viewer' }]],
  },
  {
    asks: 'The home care agency needs a code to link to Mum.',
    calls: [circle, ['create_provider_code', { lovedOneId: '$rosa' }]],
  },
  { asks: 'Create a provider code for Dad.', calls: [circle, ['create_provider_code', { lovedOneId: '$jorge' }]] },
  {
    asks: 'Answer the clinic that we come on Tuesday.',
    calls: [
      circle,
      mail({ from: 'clinic' }),
      ['reply_to_inbox_message', { messageId: '$message', body: 'We come on Tuesday.' }],
    ],
  },
  {
    asks: 'Reply to the pharmacy and thank them.',
    calls: [
      circle,
      mail({ from: 'pharmacy' }),
      ['reply_to_inbox_message', { messageId: '$message', body: 'Thank you.' }],
    ],
  },
  {
    asks: 'Write back to the sender of this message.',
    calls: [['reply_to_inbox_message', { messageId: '$message', body: '$text' }]],
  },
]
