import type { MailRecipient } from '@family-inbox/proto/carecircle/v1/care_circle'
import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { describeDone } from '@family-inbox/workspace-kit/describe-done'
import { toMailName } from '@family-inbox/workspace-kit/mail-name'
import { deriveMailId, fromService } from '@family-inbox/workspace-kit/outgoing-mail'
import type { AlarmKind } from '../models/alarm-marks.ts'
import type { AuditEntry } from '../models/audit-entry.ts'
import { MOST_READS, MOST_WRITES } from './find-bursts.ts'

export type Alarm = {
  kind: AlarmKind
  dueAt: Date
  credentialId: string
  workspaceId: string
  workspaceName: string
  person: MailRecipient
  /** As its person, or the app itself, named it. */
  assistant: string
  /** Where its person can pause it. */
  path: string
  firstWrite: Pick<AuditEntry, 'tool' | 'outcome'> | undefined
}

/** The same id at every attempt. Says nothing of what was read or written. */
export function alarmMail(inboxUrl: string, alarm: Alarm, recipient: MailRecipient): OutgoingMail {
  const { kind, dueAt, credentialId, workspaceId, person } = alarm
  const isOwn = recipient.personId === person.personId
  const assistant = toMailName(alarm.assistant) || 'An assistant'
  const whose = isOwn ? 'your assistant' : `the assistant of ${toMailName(person.name) || 'a member'}`
  const where = toMailName(alarm.workspaceName) || 'your family'
  return {
    id: deriveMailId('alarm', [credentialId, kind, dueAt.getTime(), recipient.personId]),
    kind: MailKind.ALARM,
    workspaceId,
    ...fromService(recipient),
    subject: `${assistant} ${SUBJECTS[kind]}`,
    text: [
      `“${assistant}”, ${whose} in ${where}, ${WORDS[kind](alarm)}`,
      isOwn
        ? 'If you expected this, you don’t need to do anything. If this was not you, pause the assistant now. Its next call is then refused.'
        : `If you expected this, you don’t need to do anything. If not, ask ${toMailName(person.name) || 'the member'}, or pause all assistants of the family now. Their next call is then refused.`,
      `Every call it made: ${inboxUrl}/settings/agent-activity`,
      'This email is about the safety of your family’s mail, so it comes whatever you chose for notifications.',
    ].join('\n\n'),
    actionLabel: isOwn ? 'Pause it here' : 'Pause all assistants here',
    actionUrl: `${inboxUrl}${isOwn ? alarm.path : '/settings/assistants'}`,
  }
}

const SUBJECTS: Record<AlarmKind, string> = {
  connected: 'was connected',
  first_write: 'wrote for the first time',
  burst: 'made unusually many calls',
  new_network: 'was used from a new network',
}

const WORDS: Record<AlarmKind, (alarm: Alarm) => string> = {
  connected: () =>
    'was connected. It chose this name, which we have not checked. It can read what its person can read, and write if its person allowed that.',
  first_write: ({ firstWrite }) =>
    firstWrite === undefined
      ? 'wrote for the first time.'
      : `wrote for the first time: it ${describeDone({ ...firstWrite, calls: 1, messages: 1 })}.`,
  burst: () =>
    `made unusually many calls: within ten minutes it read more than ${MOST_READS} times, or wrote more than ${MOST_WRITES} times.`,
  new_network: () =>
    'was used from a network it was never used from before. That is normal when you travel, or when the company behind the assistant moves it. We mention new networks at most once a week for each assistant.',
}
