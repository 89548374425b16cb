import { LETTER } from './placeholders.ts'

/** A plain part and the HTML beside it. */
export type Pair = [name: string, plain: string, markup: string]

const PLAIN = `Riverside Cardiology

Dear Ms. Almeida,

Your INR of this morning is 3.4, above the range of 2.0 to 3.0.

Do not take warfarin tonight; the next dose is 2.5 mg on Friday
at 8 in the evening.

Next blood test: Monday at 8:15, Riverside Clinic, 2nd floor. Bring the
yellow card. Call 555-0100 when you bleed.`

const WORDS = `<p>Dear Ms. Almeida,</p><p>Please stop taking warfarin tonight and call us when you bleed.</p>
<p>We see you on Friday morning. Bring the yellow card and all your medicine.</p>`

const LEGAL = `This email and any files sent with it are confidential and intended only for the person or entity to whom they are
addressed. If you are not the intended recipient, you may not copy, forward, disclose or use any part of it. If you have received this
message in error, please delete it and all copies from your system and tell the sender. Email cannot be guaranteed to be free of errors,
and the sender accepts no liability for any that arise from its transmission.`

const ADDRESS = `<p>Riverside Clinic, 12 Main Street, Springfield 62704. Phone 555-0100</p><p>© 2019–2026 Riverside Clinic</p>
<p>You get this because you are a patient of ours. <a href="https://riverside.example/u?id=8391120">Unsubscribe</a> (id 8391120)</p>`

const NAVIGATION = ['Home', 'Appointments', 'Results', 'Medication', 'Messages', 'Your account']
  .map((name) => `<td><a href="https://riverside.example/${name.length}">${name}</a></td>`)
  .join('')

const MAILING_LIST = `Copyright (C) 2026 Riverside Clinic. All rights reserved.

Our mailing address is:
Riverside Clinic, 12 Main Street, Springfield 62704

Want to change how you receive these emails? You can update your preferences or unsubscribe from this list.`

const GERMAN = `<p>Sehr geehrte Frau Almeida,</p><p>bitte nehmen Sie heute Abend kein Marcumar ein und rufen Sie uns an, sobald Sie bluten.
Wir sehen Sie am Freitag in der Praxis. Bringen Sie bitte den gelben Ausweis und Ihre Medikamente mit.</p>`
const SPANISH = `<p>Estimada señora Almeida:</p><p>No tome la warfarina esta noche y llámenos si sangra. La esperamos el viernes por la
mañana en la clínica. Traiga la tarjeta amarilla y sus medicamentos.</p>`
const CHINESE =
  '<p>尊敬的陈女士:</p><p>今晚请不要服用华法林。下一次剂量是星期五晚上八点，请带上黄色卡片到门诊抽血。如有出血请立即打电话给我们。</p>'
const JAPANESE =
  '<p>田中様</p><p>今夜はワルファリンを飲まないでください。次回は金曜日の夜に半分だけ服用し、月曜日の朝に採血へお越しください。黄色い手帳をお持ちください。</p>'
const ARABIC = `<div dir="rtl"><p>السيدة الميدا المحترمة،</p><p>لا تتناولي الوارفارين هذه الليلة. الجرعة القادمة ٢٫٥ ملغ يوم الجمعة الساعة ٨ مساء.
يرجى إحضار البطاقة الصفراء معك إلى العيادة يوم الاثنين.</p></div>`

/** Only the HTML is a letter. */
export const placeholders: Pair[] = [
  ...[
    'Please view in HTML',
    'This is an HTML message.',
    'HTML version',
    'Please enable HTML to view this message.',
    'To view this email as a web page, go here.',
    'This message requires an HTML capable client.',
    '-',
    '.',
    '\u00a0',
    '\u200b \u200b',
    '***',
    'Your blood test J',
    'Riverside Cardiology',
    'Dear Ms. Almeida,',
    'Your INR of this morning is 3.4, above the range of 2.0 to 3.0.',
    'Riverside Cardiology: Dear Ms. Almeida, your INR of this morning is 3.4.',
    'Bitte aktivieren Sie die HTML-Ansicht, um diese Nachricht zu lesen.',
    'Este mensaje está en formato HTML.',
    '此邮件为HTML格式，请使用支持HTML的邮件客户端查看。',
    'このメールはHTML形式です。',
    'هذه الرسالة بتنسيق HTML',
    'Sent from my iPhone',
    'Get Outlook for Android: https://aka.ms/AAb9ysg',
    '[image: logo.png]',
    'https://riverside.example/m/8f3c',
    'Your letter: https://riverside.example/m/8f3c',
    'Read it here <https://riverside.example/2026/11/25/3.4>',
    'View this email in your browser https://mail.example/v/12345',
    'null',
    '(no text version)',
    'Ten e-mail wymaga klienta obsługującego HTML.',
    'html 형식의 메일입니다.',
    'यह ईमेल HTML में है',
    'Thư này ở định dạng HTML',
    'If you cannot see this message, copy https://a.example/a?b=98765 into your browser.',
    '--\nDr. Weber\nRiverside Cardiology\nTel. 555-0100',
    'Reference 48213-7: please view this message in HTML.',
    `${LEGAL}\n\nRiverside Clinic, 12 Main Street, Springfield 62704\n© 2026`,
  ].map((plain): Pair => [plain.slice(0, 60), plain, LETTER]),
  ['the first half', PLAIN.slice(0, PLAIN.indexOf('Do not')), LETTER],
  ['long legal text', LEGAL, LETTER],
  ['a letter of words, title only', 'Your medicine', WORDS],
  ['a letter of words, first line', 'Dear Ms. Almeida,', WORDS],
  ['a letter of words and legal text', LEGAL, `${WORDS}<p>${LEGAL}</p>`],
  ['a letter of words before a footer', 'Please view in HTML', `${WORDS}${ADDRESS}`],
  ['the footer of a mailing list', MAILING_LIST, `${WORDS}${MAILING_LIST.replace(/^.+$/gm, '<p>$&</p>')}`],
  [
    'the footer of a mailing list, below a short letter',
    `View this email in your browser: https://list.example/1\n\n${MAILING_LIST}`,
    `<p>Stop taking warfarin tonight and call us.</p>${MAILING_LIST.replace(/^.+$/gm, '<p>$&</p>')}`,
  ],
  ['a letter of three words', 'HTML version', '<p>Stop warfarin tonight.</p>'],
  ['a link alone', 'HTML only', '<p><a href="https://riverside.example/l/1">Open your letter</a></p>'],
  [
    'a letter in small print',
    'Riverside Cardiology has news for you',
    `<h1>Riverside Cardiology has news for you</h1><div style="font-size:11px">${LETTER}</div>`,
  ],
  ['a letter in a footer', 'Please view in HTML', `<footer>${WORDS}</footer>`],
  ['the title and the footer', 'Riverside Cardiology\n\n12 Main Street, Springfield 62704', `${LETTER}${ADDRESS}`],
  [
    'a title above small print',
    'Your medicine',
    `<p style="font-size:24px">Your medicine</p><div style="font-size:10px">${WORDS}</div>`,
  ],
  [
    'a table of values is missing',
    'Your results are here. Please see the table below and call us.',
    '<p>Your results are here. Please see the table below and call us.</p><table><tr><td>INR</td><td>3.4</td></tr><tr><td>Potassium</td><td>5.9</td></tr></table>',
  ],
  ['German', 'Falls Sie diese Nachricht nicht lesen können, öffnen Sie sie bitte im Browser.', GERMAN],
  ['Spanish', 'Active la vista en HTML para leer el mensaje.', SPANISH],
  ['Chinese', '如果您看不到此邮件，请在浏览器中打开。', CHINESE],
  ['Chinese, the name', '尊敬的陈女士:', CHINESE],
  ['Japanese', 'このメールを表示するにはHTMLメールに対応したソフトが必要です。', JAPANESE],
  ['Arabic', 'يرجى فتح هذه الرسالة في متصفح يدعم HTML', ARABIC],
  ['other alphabets', 'Для просмотра этого письма включите HTML.', GERMAN],
]

/** The plain part is the letter, though the HTML says more, or other things. */
export const letters: Pair[] = [
  ['the same', PLAIN, LETTER],
  ['the same below navigation and above a footer', PLAIN, `<table><tr>${NAVIGATION}</tr></table>${LETTER}${ADDRESS}`],
  [
    'with a preheader that nobody sees',
    PLAIN,
    `<div style="display:none">Win 1000 dollars by 24.12.2026 at 9:30, now! ${LEGAL}</div>${LETTER}`,
  ],
  ['with white on white', PLAIN, `${LETTER}<p style="color:#fff">${LEGAL} 17:30, 12.5 mg</p>`],
  ['with legal text', PLAIN, `${LETTER}<p>${LEGAL}</p>`],
  [
    'with legal text in small print',
    'Your visit is on 3 May at 9:30.',
    `<p>Your visit is on 3 May at 9:30.</p><p style="font-size:10px">${LEGAL}</p>`,
  ],
  [
    'with a footer',
    'Your visit is on 3 May at 9:30.',
    `<p>Your visit is on <b>3 May</b> at 9:30.</p><footer>${ADDRESS}${LEGAL}</footer>`,
  ],
  ['with an address below', 'Your visit is on 3 May.', `<p>Your visit is on 3 May.</p>${ADDRESS}`],
  ['with navigation', 'Your visit is on 3 May.', `<table><tr>${NAVIGATION}</tr></table><p>Your visit is on 3 May.</p>`],
  [
    'with numbers in addresses and styles',
    'Your visit is on 3 May.',
    '<style>p{margin:17px 4.5em}</style><p style="width:640px">Your <a href="https://riverside.example/v/2026-05-04/17:45?u=8391">visit</a> is on 3 May.</p><img src="https://t.example/p/99.gif" width="1" height="1" alt="20:15">',
  ],
  [
    'with entities',
    'Für Rosa: 5 µg täglich, ½ Tablette – “gut”',
    '<p>F&uuml;r Rosa: 5&nbsp;&micro;g t&#228;glich, &frac12; Tablette &ndash; &ldquo;gut&rdquo;</p>',
  ],
  [
    'with a numbered list',
    'Bring:\n- the card\n- your medicine\n- a towel',
    '<p>Bring:</p><ol><li>the card</li><li>your medicine</li><li>a towel</li></ol>',
  ],
  [
    'with buttons',
    'Your visit is on 3 May at 9:30.\n\nPlease bring the yellow card and all your medicine.\n\nYour clinic',
    '<p><a href="https://a.example/w">View in browser</a></p><p>Your visit is on 3 May at 9:30.</p><p><a href="https://a.example/c">Add it to your calendar</a></p><p><a href="https://a.example/m">Move or cancel</a></p><p>Please bring the yellow card and all your medicine.</p><p>Your clinic</p>',
  ],
  [
    'of a mailing list',
    `Your visit is on 3 May.\n\n${MAILING_LIST}`,
    `<p>Your visit is on 3 May.</p>${MAILING_LIST.replace(/^.+$/gm, '<p>$&</p>')}`,
  ],
  ['of one word', 'Thanks', '<div>Thanks</div>'],
  ['of other wording', 'The plain words.', '<p>The <b>rich</b> words.</p>'],
  [
    'that is more than the HTML',
    PLAIN,
    '<img src="cid:letter"><p>Riverside Cardiology</p><p><a href="https://riverside.example">View in browser</a></p>',
  ],
  [
    'beside a picture of it',
    'Please come on Friday and bring the yellow card and all your medicine with you.',
    '<h1>Riverside Cardiology</h1><img src="cid:letter">',
  ],
  ['beside empty HTML', 'Please view in HTML', '<p> </p>'],
  [
    'an answer and its quote',
    `See you then.\n\n${PLAIN.replace(/^(?=.)/gm, '> ')}`,
    `<div>See you then.</div><blockquote>${LETTER}</blockquote>`,
  ],
  [
    'in Chinese',
    '今晚请不要服用华法林。星期五晚上八点。',
    '<p>今晚请<b>不要</b>服用华法林。</p><p>星期五晚上八点。</p>',
  ],
  [
    'in Arabic',
    'لا تتناولي الوارفارين هذه الليلة. الجرعة ٢٫٥ ملغ.',
    '<p dir="rtl">لا تتناولي الوارفارين هذه الليلة.</p><p>الجرعة ٢٫٥ ملغ.</p>',
  ],
]
