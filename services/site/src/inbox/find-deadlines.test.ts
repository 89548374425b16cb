import test from 'ava'
import { comingDeadline, findDeadlines } from './find-deadlines.ts'

/** A Monday. */
const WRITTEN = '2026-05-11'
const FRIDAY = ['2026-05-15']
const found = (text: string, writtenOn = WRITTEN) => findDeadlines(text, writtenOn)

test('finds the day by which English mail asks for an answer', (t) => {
  for (const text of [
    'Please let us know by Friday.',
    'They ask for a word by Friday',
    'reply by 15 May',
    'Could you confirm by Friday, 15 May?',
    'Please reply no later than Friday, May 15, 2026, 5 pm.',
    'Kindly respond before\nthe end of business on Friday.',
    'We need to know by Friday at 12:00 whether you come.',
    'Please call us by Fri 15 May.',
    'Please call us by Fri. 15 May.',
    'Dear Ana,\n\nthank you for coming. RSVP by 2026-05-15\n\nKind regards',
    'Please answer by next Friday, 15 May.',
    'We will keep the place free for you. Please tell us by Friday if you want it.',
  ])
    t.deepEqual(found(text), FRIDAY, text)
  t.deepEqual(found('Please reply by tomorrow.'), ['2026-05-12'])
  t.deepEqual(found('Please reply by Sept. 5.', '2026-08-20'), ['2026-09-05'])
})

test('finds it in Spanish, German, French and Portuguese', (t) => {
  for (const text of [
    'Por favor, responda antes del viernes.',
    'Le rogamos que confirme a más tardar el viernes 15 de mayo.',
    'Avísenos antes del próximo viernes, por favor.',
    'Tiene hasta el viernes para responder.',
    'Por favor, antes del viernes.',
    'Bitte bis Freitag.',
    'Bitte geben Sie uns bis Freitag Bescheid.',
    'Wir bitten um Rückmeldung bis zum 15.05.',
    'Bitte antworten Sie spätestens bis Freitag, den 15. Mai 2026.',
    'Senden Sie das Formular bitte bis zum kommenden Freitag zurück.',
    'Merci de répondre avant vendredi.',
    "Veuillez nous faire savoir d'ici vendredi 15 mai si vous venez.",
    'Merci de confirmer au plus tard le 15 mai.',
    'Nous vous prions de répondre jusqu’au vendredi 15 mai.',
    'Por favor, responda até sexta-feira.',
    'Pedimos que confirme até ao dia 15 de maio de 2026.',
    'Aguardamos a sua resposta até sexta.',
    'Por favor, avise até 15/05/2026.',
  ])
    t.deepEqual(found(text), FRIDAY, text)
})

test('a day without a request is no deadline', (t) => {
  for (const text of [
    'We are open until Friday.',
    'Your visit is on Friday, 15 May. It ends by 5 pm.',
    'We will reply by Friday.',
    'You will get our answer by Friday',
    'The results arrive by 15 May. Please wear a mask.',
    'Please note that the office moves by Friday.',
    'Wir melden uns bis Freitag bei Ihnen.',
    'Bitte nehmen Sie die Tabletten bis Freitag.',
    'Rufen Sie uns bitte an: Montag bis Freitag, 8 bis 12 Uhr.',
    'Abierto hasta el viernes.',
    'Le responderemos antes del viernes.',
    'Nous vous répondrons avant vendredi.',
    'Responderemos até sexta-feira.',
    'Please let us know.',
    'Please reply by 5 pm.',
    'Please reply by email before you come.',
    '',
  ])
    t.deepEqual(found(text), [], text)
})

test('what can be read in two ways, or is long ago or far ahead, is no deadline', (t) => {
  for (const text of [
    'Please reply by 5/6/2026.',
    'Please reply by next Friday.',
    'Please reply by Friday week.',
    'Please reply by Monday.',
    'Merci de répondre avant vendredi prochain.',
    'Por favor, confirme antes da sexta dose.',
    'Please reply by 14 April.',
    'Please reply by 14 April 2026.',
    'Please reply by 31 June.',
    'Please reply by 1 March 2027.',
  ])
    t.deepEqual(found(text), [], text)
})

test('what the mail quotes is no deadline', (t) => {
  for (const quoted of [
    'Yes.\n\n> Please let us know by Friday.',
    'Thank you!\n\nOn 10 May 2026, Ana Almeida wrote:\nPlease let us know by Friday.',
    'Danke!\n\nAm 10.05.2026 schrieb Ana Almeida:\n\nBitte geben Sie uns bis Freitag Bescheid.',
    'Obrigado\n\nAna Almeida <ana@example.org> escreveu:\nPor favor, responda até sexta-feira.',
  ])
    t.deepEqual(found(quoted), [], quoted)
  t.deepEqual(found('Please reply by Friday.\n\nOn 10 May Ana wrote:\n> Please reply by 14 May'), FRIDAY)
})

test('the next deadline is the earliest that has not come', (t) => {
  const text = 'Please reply by 15 May. Please return the form by 20 May.'
  const on = (day: string) => ({ locale: 'en-GB', timeZone: 'Europe/Lisbon', now: new Date(`${day}T12:00:00Z`) })
  const writtenAt = new Date('2026-05-11T09:00:00Z')
  t.is(comingDeadline(text, writtenAt, on('2026-05-14')), '2026-05-15')
  t.is(comingDeadline(text, writtenAt, on('2026-05-15')), '2026-05-20')
  t.is(comingDeadline(text, writtenAt, on('2026-05-20')), undefined)
})
