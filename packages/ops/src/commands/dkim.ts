import type { Command } from 'commander'
import { ownRecord } from '../doctor/dkim-check.ts'
import { readSetUp } from '../doctor/set-up.ts'
import { realWorld } from '../doctor/world.ts'
import { type Io, JSON_OPTION, print } from '../io.ts'

export function addDkimCommand(program: Command, io: Io): void {
  program
    .command('dkim')
    .description('Print the DNS record of the key that signs outgoing mail. Needs DKIM_SELECTOR.')
    .option(...JSON_OPTION)
    .action(async ({ json }) => {
      const { name, value } = await ownRecord(readSetUp(io.env), realWorld(io.env))
      // A text of DNS has at most 255 characters; the form of a provider splits them itself.
      const pieces = value.match(/.{1,250}/g) ?? []
      const zoneLine = `${name}. IN TXT (${pieces.map((piece) => `"${piece}"`).join(' ')})`
      if (json) print(io, { name, type: 'TXT', value, zoneLine }, true)
      else io.out(`Name:  ${name}\nType:  TXT\nValue: ${value}\n\nIn a zone file:\n${zoneLine}\n`)
    })
}
