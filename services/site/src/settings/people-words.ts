import type { ActDetail } from '@family-inbox/proto/auth/v1/auth'
import { counted, repeated } from '@family-inbox/workspace-kit/describe-done'
import type { ActName, AddressClass } from '@family-inbox/workspace-kit/people-acts'

/** `done` completes a sentence about a person's day. */
type ActWords = { label: string; done: (count: number) => string; countsMessages?: true }

const moved = (verb: string, where: string) => (count: number) =>
  `${counted(verb, 'a message', 'messages')(count)} ${where}`

export const ACT_WORDS: Readonly<Record<ActName, ActWords>> = {
  open_message: {
    label: 'Opening messages',
    done: counted('opened', 'a message', 'messages'),
    countsMessages: true,
  },
  preview_attachment: { label: 'Looking at files', done: counted('looked at', 'a file', 'files') },
  download_attachment: { label: 'Downloading files', done: counted('downloaded', 'a file', 'files') },
  print_message: { label: 'Printing messages', done: counted('printed', 'a message', 'messages') },
  open_emergency_sheet: {
    label: 'Opening emergency sheets',
    done: counted('opened', 'an emergency sheet', 'emergency sheets'),
  },
  print_emergency_sheet: {
    label: 'Printing emergency sheets',
    done: counted('printed', 'an emergency sheet', 'emergency sheets'),
  },
  use_emergency_link: {
    label: 'Using links to emergency sheets',
    done: repeated('opened an emergency sheet with a link'),
  },
  restore_message: { label: 'Putting messages back', done: counted('put back', 'a message', 'messages') },
  move_to_junk: { label: 'Moving messages to Junk', done: moved('moved', 'to Junk') },
  move_to_deleted: { label: 'Moving messages to Deleted', done: moved('moved', 'to Deleted') },
  move_to_inbox: { label: 'Moving messages to another inbox', done: moved('moved', 'to another inbox') },
  join_conversations: {
    label: 'Putting conversations together',
    done: counted('put', 'a conversation with another', 'conversations with others'),
  },
  take_out_message: { label: 'Taking messages out of conversations', done: moved('took', 'out of a conversation') },
  undo_rearrangement: {
    label: 'Undoing that',
    done: counted('put', 'a conversation back as it was', 'conversations back as they were'),
  },
  delete_reply: { label: 'Deleting replies', done: counted('deleted', 'a reply', 'replies') },
  delete_for_good: { label: 'Deleting messages for good', done: moved('deleted', 'for good') },
  block_sender: { label: 'Blocking senders', done: counted('blocked', 'a sender', 'senders') },
  add_mailbox: { label: 'Adding mailboxes', done: counted('added', 'a mailbox', 'mailboxes') },
  create_calendar_address: {
    label: 'Creating calendar addresses',
    done: counted('created', 'a calendar address', 'calendar addresses'),
  },
  create_emergency_link: {
    label: 'Creating links to emergency sheets',
    done: counted('created', 'a link to an emergency sheet', 'links to emergency sheets'),
  },
  download_export: { label: 'Downloading all data', done: repeated('downloaded all data') },
  take_back_mail: { label: 'Taking mail back', done: moved('took back', 'before it was sent') },
  write_message: { label: 'Writing messages', done: counted('wrote', 'a new message', 'new messages') },
  forward_message: { label: 'Forwarding messages', done: counted('forwarded', 'a message', 'messages') },
  invite_person: { label: 'Inviting people', done: counted('invited', 'a person', 'people') },
  change_role: { label: 'Changing roles', done: counted('changed', 'a role', 'roles') },
  remove_person: { label: 'Removing people', done: counted('removed', 'a person', 'people') },
  leave_family: { label: 'Leaving the family', done: repeated('left the family') },
}

const ADDRESSES: Readonly<Record<AddressClass, string>> = {
  member: 'to a member of the family',
  address_book: 'to an address in the address book',
  other: 'to an address outside the address book',
}

/** Whom or what an act was about, such as "Luis Martin, viewer"; empty if that is not known. */
export function detailWords(
  { personId, lovedOneId, word }: ActDetail,
  nameOf: ReadonlyMap<string, string>,
  lovedOnes: readonly { id: string; name: string }[],
): string {
  const person = personId && (nameOf.get(personId) ?? 'a former member')
  const lovedOne = lovedOnes.find(({ id }) => id === lovedOneId)?.name
  const what = word && (Object.hasOwn(ADDRESSES, word) ? ADDRESSES[word as AddressClass] : word)
  return [person, lovedOne, what].filter(Boolean).join(', ')
}
