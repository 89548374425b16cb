import test from 'ava'
import { type Category, categorize } from './category.ts'

const cases: [category: Category, subject: string, text?: string][] = [
  ['appointment', 'Reminder: your appointment on Tuesday'],
  ['appointment', 'Hello', 'We have scheduled a check-up for Maria on May 4.'],
  ['appointment', 'Terminerinnerung'],
  ['appointment', 'Confirmación de su cita médica'],
  ['results', 'Your lab results are ready'],
  ['results', 'New message', 'The blood work came back: A1c is 5.4.'],
  ['results', 'Vos résultats'],
  ['medication', 'Prescription refill ready for pickup'],
  ['medication', 'Hi', 'Please take 20 mg in the morning.'],
  ['medication', 'Ihr Rezept'],
  ['billing', 'Your bill from Mercy Hospital'],
  ['billing', 'Invoice 4711 for your appointment'],
  ['billing', 'Rechnung'],
  ['insurance', 'Explanation of Benefits: claim processed'],
  ['insurance', 'Your Medicare coverage'],
  ['insurance', 'Schreiben Ihrer Krankenkasse'],
  ['care_plan', 'Updated care plan for Maria'],
  ['care_plan', 'Discharge instructions'],
  ['other', 'Photos from Sunday', 'The garden is lovely.'],
  ['other', 'Hi from Bill', 'Bill here. As a result of the rain we stayed in.'],
  ['other', ''],
]

for (const [category, subject, text = ''] of cases) {
  test(`"${subject}" "${text}" is about ${category}`, (t) => {
    t.is(categorize({ subject, text, automated: false, invitation: false }), category)
  })
}

test('the subject counts more than the body', (t) => {
  const text = 'Bring your prescription and your insurance card.'
  t.is(categorize({ subject: 'Appointment tomorrow', text, automated: false, invitation: false }), 'appointment')
})

test('automated mail is filed as automated unless it is clearly about health', (t) => {
  const machine = { automated: true, invitation: false }
  t.is(categorize({ ...machine, subject: 'Newsletter', text: 'Manage payment options.' }), 'automated')
  t.is(categorize({ ...machine, subject: 'Your prescription is ready', text: '' }), 'medication')
  t.is(categorize({ ...machine, subject: 'Notice', text: 'Your refill is ready at the pharmacy.' }), 'medication')
})

test('a calendar invitation is an appointment', (t) => {
  t.is(categorize({ subject: 'Dr. Weber', text: '', automated: false, invitation: true }), 'appointment')
})
