import test from 'ava'
import fc from 'fast-check'
import { quoteStart, readNewText } from './new-text.ts'

const CASES: [program: string, text: string, added: string | undefined][] = [
  ['nothing quoted', 'Dear Rosa,\n\nplease come on Monday: 9:00 AM.', undefined],
  [
    'Gmail',
    'Tuesday, please.\n\nOn Mon, Nov 2, 2026 at 9:00 AM Desk <d@c.example> wrote:\n\n> Monday?\n>\n> Desk',
    'Tuesday, please.',
  ],
  [
    'Gmail, wrapped',
    'Yes.\n\nOn Mon, Nov 2, 2026 at 9:00 AM Front Desk of the Riverside Clinic\n<desk@clinic.example> wrote:\n> Monday?',
    'Yes.',
  ],
  ['Apple Mail in German', 'Ja.\n\n> Am 02.11.2026 um 09:00 schrieb Praxis <p@c.example>:\n> \n> Montag?', 'Ja.'],
  ['Thunderbird in French', 'Oui.\n\nLe 02/11/2026 à 09:00, Clinique a écrit :\n> Lundi ?', 'Oui.'],
  ['answers below each question', '> Monday?\n\nNo.\n\n> Tuesday?\n\nYes.', 'No.\n\nYes.'],
  [
    'Outlook',
    'Tuesday.\n\nFrom: Desk <desk@clinic.example>\nSent: Monday, November 2, 2026 9:00 AM\nTo: Ana\nSubject: Visit\n\nMonday?',
    'Tuesday.',
  ],
  [
    'Outlook in Spanish, with a rule',
    'Martes.\n\n________________________________\nDe: Clínica <c@c.example>\nEnviado: lunes, 2 de noviembre de 2026 9:00\nPara: Ana\nAsunto: Visita\n\n¿Lunes?',
    'Martes.',
  ],
  ['nothing but a quote', '> Monday?', ''],
  [
    'a forwarded letter',
    'For you.\n\n---------- Forwarded message ---------\nFrom: Desk <d@c.example>\nDate: Mon, Nov 2, 2026\nSubject: Visit\n\nMonday?',
    undefined,
  ],
  ['a line before a list is no attribution', 'Bring on May 3, 2026:\n- the card', undefined],
]

for (const [program, text, added] of CASES)
  test(`what a letter adds to what it quotes: ${program}`, (t) => t.is(readNewText(text), added))

test('new text has no line that is quoted, and none that the letter has not', (t) => {
  const line = fc.constantFrom<string>(
    '',
    'Yes.',
    '> No.',
    ' > deeper',
    'On Mon, Nov 2, 2026 A <a@b.example> wrote:',
    'Sent: 9:00',
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const added = readNewText(lines.join('\n')) ?? ''
      return added.split('\n').every((one) => !/^\s*>/.test(one) && (one === '' || lines.includes(one)))
    }),
  )
  t.pass()
})

test('a quote below the letter begins where its own words end; answers between quotes have no such place', (t) => {
  const letter = ' Tuesday, please.\n\nOn Mon, Nov 2, 2026 at 9:00 AM Desk <d@c.example> wrote:\n> Monday?'
  t.is(letter.slice(0, quoteStart(letter)), ' Tuesday, please.')
  for (const text of ['Monday.', '> Monday?', '> Monday?\n\nNo.', 'No.\n> Tuesday?\nYes.'])
    t.is(quoteStart(text), undefined, text)
})
