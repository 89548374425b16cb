import { safeFileName } from '@family-inbox/service-kit/export-files'

/** What is in the download, for whoever opens it years later. */
export const READ_ME = {
  path: 'Read me.txt',
  text: [
    'Everything your family had in Family Care Inbox when this was made, as far as you could read it.',
    '',
    'mail/          one folder for each loved one, in it one for each message: message.eml is the mail exactly as it',
    '               arrived and opens in any mail program, message.json is what the inbox showed of it, and attachments/',
    '               holds its files. replies.json holds what your family answered, addresses.json the private addresses.',
    'care-circle/   the household, its people, loved ones, invitations and codes for agencies.',
    'timeline/      what care agencies reported.',
    'assistants/    your tool keys and connected apps, without their secrets, and what assistants did. The owner’s download',
    '               holds what everyone’s assistants did.',
    'you/           your name and address, and the devices you signed in with.',
    '',
    'It holds health information. Keep it where only the right people find it.',
    '',
  ].join('\r\n'),
}

const MAIL_FOLDER = /^mail\/([^/]+)\//

/** Names the folders of mail after the people they are about; two of the same name are told apart by a number. */
export function toReadablePaths(lovedOnes: { id: string; name: string }[]): (path: string) => string {
  const folders = new Map<string, string>()
  for (const { id, name } of lovedOnes) {
    const folder = safeFileName(name)
    const taken = [...folders.values()].map((one) => one.toLowerCase())
    let unique = folder
    for (let number = 2; taken.includes(unique.toLowerCase()); number += 1) unique = `${folder} (${number})`
    folders.set(id, unique)
  }
  return (path) =>
    path.replace(MAIL_FOLDER, (whole, id: string) => (folders.has(id) ? `mail/${folders.get(id)}/` : whole))
}
