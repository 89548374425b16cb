import test from 'ava'
import { parseMessage } from '../parse-message.ts'
import { forwardPrefix, withoutForwardPrefix } from './subject-prefix.ts'

const DESK = 'desk@clinic.example'
const ANA = 'ana@family.example'

function parse(subject: string, text: string, type = 'text/plain') {
  const header = `From: Ana <${ANA}>\nSubject: ${subject}\nMessage-ID: <f@family.example>\nContent-Type: ${type}; charset=utf-8`
  return parseMessage(Buffer.from(`${header}\nContent-Transfer-Encoding: 8bit\n\n${text}`))
}

/** Language, prefix, announcement, then the names of sender, date, subject and recipient. */
const LANGUAGES = [
  'en|Fwd|Forwarded message|From|Date|Subject|To',
  'de|WG|Weitergeleitete Nachricht|Von|Datum|Betreff|An',
  'fr|TR|Message transféré|De|Date|Objet|À',
  'es|RV|Mensaje reenviado|De|Fecha|Asunto|Para',
  'pt|FW|Mensagem reencaminhada|De|Data|Assunto|Para',
  'pt-br|ENC|Mensagem encaminhada|De|Data|Assunto|Para',
  'it|I|Messaggio inoltrato|Da|Data|Oggetto|A',
  'nl|FW|Doorgestuurd bericht|Van|Datum|Onderwerp|Aan',
  'sv|VB|Vidarebefordrat meddelande|Från|Datum|Ämne|Till',
  'no|VS|Videresendt melding|Fra|Dato|Emne|Til',
  'da|VS|Videresendt meddelelse|Fra|Dato|Emne|Til',
  'fi|VL|Edelleenlähetetty viesti|Lähettäjä|Päivämäärä|Aihe|Vastaanottaja',
  'pl|PD|Wiadomość przesłana dalej|Od|Data|Temat|Do',
  'cs|FW|Přeposlaná zpráva|Od|Datum|Předmět|Komu',
  'sk|FW|Preposlaná správa|Od|Dátum|Predmet|Komu',
  'hu|TOV|Továbbított üzenet|Feladó|Dátum|Tárgy|Címzett',
  'hr|Fwd|Proslijeđena poruka|Šalje|Datum|Naslov|Prima',
  'ro|Fwd|Mesaj redirecționat|De la|Dată|Subiect|Către',
  'ru|Fwd|Перенаправленное сообщение|От|Дата|Тема|Кому',
  'uk|Fwd|Переслане повідомлення|Від|Дата|Тема|Кому',
  'tr|İLT|İletilen İleti|Kimden|Tarih|Konu|Kime',
  'et|Fwd|Edastatud sõnum|Saatja|Kuupäev|Teema|Saaja',
  'ja|転送|メッセージを転送|差出人|日時|件名|宛先',
  'zh|转发|转发的邮件|发件人|发送时间|主题|收件人',
  'ko|전달|전달된 메시지|보낸 사람|보낸 날짜|제목|받는 사람',
  'is, which no list names|Fs|Áframsent skeyti|Frá|Dagsetning|Efni|Til manns',
].map((line) => line.split('|') as [string, string, string, string, string, string, string])

for (const [language, prefix, announcement, from, date, subject, to] of LANGUAGES) {
  const sender = `${from}: Lena Berg <${DESK}>`
  const [when, what, whom] = [`${date}: 25.11.2026 09:30`, `${subject}: Visit`, `${to}: ${ANA}`]
  const quote = (lines: string[]) => lines.map((line) => `> ${line}`)
  const programs: Record<string, string[]> = {
    Gmail: [`---------- ${announcement} ---------`, sender, when, what, whom, '', 'Monday at nine.'],
    'Apple Mail': [`${announcement}:`, '', ...quote([sender, what, when, whom, '', 'Monday at nine.'])],
    Thunderbird: [`-------- ${announcement} --------`, what, when, sender, whom, '', '', 'Monday at nine.'],
    'Outlook with a rule': ['________________________________', sender, when, whom, what, '', 'Monday at nine.'],
    'Outlook without a rule': [sender, when, `${whom} <${ANA}>`, what, 'Monday at nine.'],
    Yahoo: [`   ----- ${announcement} ----- ${sender}${whom}${when}${what}`, ' Monday at nine.'],
    IONOS: quote([`---------- ${announcement} ----------`, sender, whom, when, what, '', 'Monday at nine.']),
  }
  test(`the author of a forward is found in ${language}, by ${Object.keys(programs).join(', ')}`, async (t) => {
    for (const [program, lines] of Object.entries(programs)) {
      const found = await parse(`${prefix}: Visit`, ['Please look.', '', ...lines].join('\n'))
      t.deepEqual(found.originalSender, { name: 'Lena Berg', address: DESK }, program)
      t.is(found.preview, 'Please look. Monday at nine.', program)
      t.true(found.forwarded, program)
    }
    t.is(withoutForwardPrefix(`${prefix}: Visit`), 'Visit')
  })
}

const ATTRIBUTIONS = [
  `On 25/11/2026 09:30, "Lena Berg" <${DESK}> wrote:`,
  `Am 25.11.26, 09:30 schrieb "Lena Berg" <${DESK}>:`,
  `Le 25/11/2026 09:30, « Lena Berg » <${DESK}> a écrit :`,
  `Lena Berg <${DESK}> kirjoitti 25.11.2026 klo 9.30:`,
  `"Lena Berg" <${DESK}>, 25.11.2026 09:30 tarihinde şunu yazdı:`,
  `2026. 11. 25. 9:30 időpontban Lena Berg (${DESK}) ezt írta:`,
  `On 25/11/2026 09:30, "Lena Berg"\n<${DESK}> wrote:`,
]
for (const line of ATTRIBUTIONS)
  test(`Outlook for Mac forwards with “${line.replace('\n', ' (next line) ')}”`, async (t) => {
    const forward = await parse('FW: Visit', `${line}\n\n    Monday at nine.`)
    t.is(forward.originalSender?.address, DESK)
    t.is(forward.preview, 'Monday at nine.')
    t.is((await parse('Re: Visit', `Thank you.\n\n${line}\n\n> Monday at nine.`)).originalSender, undefined)
    t.is((await parse('Visit', `Thank you.\n\n${line}\n\n> Monday at nine.`)).originalSender, undefined)
  })

const LINK = `<a href="mailto:${DESK}">${DESK}</a>`
const MARKUP = {
  'Outlook on the web': `<div>Look</div><hr><div id="x"><font><b>De :</b> Lena &lt;${DESK}&gt;<br><b>Envoyé :</b> lundi 4 août 2026 10:00<br><b>À :</b> Ana<br><b>Objet :</b> Visite</font></div><div>Monday</div>`,
  Outlook: `<p>Look</p><div style="border-top:solid #E1E1E1 1.0pt"><p><b>Von:</b> Lena &lt;${LINK}&gt; <br><b>Gesendet:</b> Montag, 4. August 2026 10:00<br><b>An:</b> Ana<br><b>Betreff:</b> Besuch</p></div><p>Monday</p>`,
  'a table': `<p>Look</p><div>-------- Forwarded Message --------<table><tr><th>Subject: </th><td>Visit</td></tr><tr><th>Date: </th><td>Mon, 4 Aug 2026 10:00:00 +0200</td></tr><tr><th>From: </th><td>Lena <a href="mailto:${DESK}">&lt;${DESK}&gt;</a></td></tr></table><br>Monday</div>`,
  'a quote': `<div>Look</div><blockquote type="cite"><div>Begin forwarded message:</div><br><div><b>From: </b>Lena &lt;${LINK}&gt;<br></div><div><b>Subject: </b><b>Visit</b></div><div><b>Date: </b>4 August 2026 at 10:00</div><br><div>Monday</div></blockquote>`,
}
for (const [kind, html] of Object.entries(MARKUP))
  test(`the author of a forward in HTML is found in ${kind}`, async (t) => {
    const found = await parse('Fwd: Visit', html, 'text/html')
    t.deepEqual(found.originalSender, { name: 'Lena', address: DESK })
    t.is(found.preview, 'Look Monday')
  })

test('a forward that does not name an address has no author', async (t) => {
  const blocks = [
    `From: Lena Berg\nSent: Monday, 4 August 2026 10:00\nTo: Ana <${ANA}>\nSubject: Visit\n\nHello`,
    `Od: Lena\nPoslano: 4. avgust 2026 10:00\nZa: Ana <${ANA}>\nZadeva: Obisk\n\nHello`,
    `Xyz: Lena\nPqr: 4. avgust 2026 10:00\nZut: Ana <${ANA}>\nQuux: Visit\n\nHello`,
    `From: Lena Berg\nSent: Monday\nSubject: Visit\n\nHello\n\nFrom: Other <other@x.example>\nSent: Sunday\nTo: Lena\n`,
    'Please call them today.',
  ]
  for (const block of blocks) {
    const { originalSender, forwarded } = await parse('Fwd: Visit', block)
    t.deepEqual([originalSender, forwarded], [undefined, true], block)
  }
})

test('a letter that lists names and times is no forward', async (t) => {
  const letter = `Doctor: Lena Berg <${DESK}>\nTime: 12.1.2027 10:00\nPlace: House 4\nQuestions: other@clinic.example\n`
  for (const subject of ['Your visit', 'Re: Your visit']) {
    const { originalSender, forwarded } = await parse(subject, letter)
    t.deepEqual([originalSender, forwarded], [undefined, undefined])
  }
})

test('the outermost of several forwards names the author', async (t) => {
  const block = (address: string) =>
    `---------- Forwarded message ---------\nFrom: <${address}>\nDate: Mon, 4 Aug 2026\nSubject: Visit\n\n`
  const found = await parse('Fwd: Fwd: Visit', `${block(DESK)}${block('lab@lab.example')}Hello`)
  t.is(found.originalSender?.address, DESK)
})

test('only what programs write before a subject is removed from it', (t) => {
  t.is(withoutForwardPrefix('Fwd: WG: TR : Visit: Monday'), 'Visit: Monday')
  t.is(withoutForwardPrefix('FW:Visit'), 'Visit')
  t.is(withoutForwardPrefix('Fwd:'), 'Fwd:')
  for (const subject of ['Visit', 'I am: here', 'Reminder: Fwd', 'Re: Fwd: Visit', 'Internal: x'])
    t.is(forwardPrefix(subject), '')
})
