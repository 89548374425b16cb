import test from 'ava'
import { findPlace } from './find-place.ts'

const PLACES: [text: string, place: string][] = [
  [
    'Your visit is on May 14 at 8:15 AM.\nLocation: Suite 200, 12 Oak Street, Dover\nBring your card.',
    'Suite 200, 12 Oak Street, Dover',
  ],
  [
    'We look forward to seeing you.\n\n450 W. Lake Street, Chicago, IL 60606\n(555) 010-0100',
    '450 W. Lake Street, Chicago, IL 60606',
  ],
  ['Ort: Praxis Dr. Weber, Hauptstr. 5', 'Praxis Dr. Weber, Hauptstr. 5'],
  ['Consulta\nRua das Flores 12, 1200-109 Lisboa', 'Rua das Flores 12, 1200-109 Lisboa'],
  ['Lieu : Hôpital Cochin', 'Hôpital Cochin'],
  ['Where are you?\nWe saw 14 people on the way to the Dr. in May.', ''],
  ['Take 2 tablets a day.\nCall 555 0100.', ''],
  [`Location: ${'x'.repeat(300)}`, ''],
]

for (const [text, place] of PLACES)
  test(`the place of “${text.slice(0, 40)}…” is “${place}”`, (t) => t.is(findPlace(text), place))
