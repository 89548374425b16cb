import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import test from 'ava'
import { findLink, optionalPlainLine, requirePlainLine } from './plain-words.ts'

/** Names of people and families in 22 languages, with the dots that they have. */
const NAMES = {
  English: [
    "St. Mary's",
    'J.R.',
    'J.R.R. Tolkien',
    'J.R.Ewing',
    'Dr.Smith',
    'Mary-Jo O’Brien Jr.',
    'The A. and B. Family',
  ],
  Spanish: ['Ma. Teresa Núñez', 'Sra. Gª. López', 'D. José M.ª Ruiz'],
  Portuguese: ['Família Gonçalves', 'D. Inês de A. Sá', 'Sr.João'],
  French: ['Mme. Lefèvre', 'M. et Mme Dupont', 'St.-Pierre'],
  German: [
    'Dipl.-Ing. Weiß',
    'Dipl.Ing. Groß',
    'Dr.med. Müller',
    'Dr. rer. nat. Jäger',
    'Univ.-Prof. Dr. Öz',
    'M.Sc. Maier',
  ],
  Italian: ["Dott.ssa D'Angelo", 'Sig.ra Rossi', 'Avv. De Luca'],
  Dutch: ['Mw. van der Berg', 'Drs. J.P. de Boer'],
  Polish: ['Łukasz Żółć', 'dr hab. n. med. Nowak'],
  Czech: ['MUDr. Dvořák, Ph.D.', 'Ing. Jiří Šťastný, CSc.'],
  Russian: ['А.С.Пушкин', 'А. С. Пушкин', 'Л.Н. Толстой'],
  Ukrainian: ['Т.Г.Шевченко', 'Сім’я Коваль'],
  Greek: ['Κων/νος Παπαδόπουλος', 'Δρ. Γ. Νικολάου'],
  Turkish: ['Şükrü Çağ', 'Av. İpek Ö.'],
  Arabic: ['د.أحمد', 'د. فاطمة الزهراء', 'أم محمد'],
  Hebrew: ['ד״ר כהן', 'משפ. לוי'],
  Persian: ['می\u200cنا', 'دکتر رضا'],
  Hindi: ['डॉ. शर्मा', 'श्री.राम'],
  Bengali: ['মো. রহিম', 'Md. Rahim'],
  Thai: ['น.ส.สมหญิง', 'ด.ช. สมชาย'],
  Vietnamese: ['Nguyễn Thị Ánh', 'TP.Hồ'],
  Chinese: ['王小明', '约翰·史密斯', 'Y.Li', 'Dr.Li'],
  Japanese: ['田中 太郎', 'ジョン・スミス', 'お元気ですか。みんな待っています。'],
  Korean: ['김민수', '이.영희'],
}

for (const [language, names] of Object.entries(NAMES))
  test(`names in ${language} stay allowed`, (t) => {
    for (const name of names) t.is(findLink(name), undefined, name)
  })

test('ordinary sentences stay allowed', (t) => {
  const notes = [
    'See you on 12.05.2026 at 10.30. Call 912.345.678, e.g. in the morning.',
    'Welcome! Bring the papers (p. 3) etc. We paid 1.200,50 for it...',
    'I miss you.Please come soon.',
    'Temos o dia livre. Vem. com amor',
  ]
  for (const note of notes) t.is(findLink(note), undefined, note)
})

test('links, domains and addresses are found, however they are written', (t) => {
  const links = [
    'Confirm at https://bank.example/now',
    'hTTp:// evil',
    'Visit bank.com',
    'Visit Bank.Com today',
    'your-bank.co.uk',
    'www.bank',
    'BANK.COM.Please',
    'security@bank.example',
    'security＠bank．example',
    'bank。com',
    'bank․com',
    'b\u200dank.c\u200dom',
    'ｂａｎｋ．ｃｏｍ',
    'bank[.]com',
    'bank (dot) com',
    'bank .com',
    'банк.рф',
    'xn--bcher-kva.example',
    't.me/bank',
    'x.com',
    '10.0.0.1',
    'mailto:a',
    'ftp://x',
    'dr.li/pay',
    'evil.example',
    'Your Bank (bank.com)',
    '“bank.com”',
    'bank.com:8080',
    '_bank.com',
    '-bank.com',
  ]
  for (const link of links) t.not(findLink(link), undefined, link)
})

test('the refusal names the field and what to leave out', (t) => {
  const error = t.throws<StatusError>(() => requirePlainLine('message', 'Pay at bank.com now', 500))
  t.true(error instanceof StatusError)
  t.like(error, { status: 'INVALID_ARGUMENT', detail: { field: 'message', found: 'bank.com' } })
  t.regex(error?.message ?? '', /^message must not contain links, domains or email addresses\. Leave out “bank\.com”/)
  t.is(optionalPlainLine('message', '  ', 500), '')
})
