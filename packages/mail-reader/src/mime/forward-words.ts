/** Names of header fields as mail programs translate them. Word order, dates and addresses find the rest. */
const NAMES = {
  from: 'from|von|de|expéditeur|da|mittente|van|afzender|från|avsändare|fra|avsender|afsender|lähettäjä|od|nadawca|odesílatel|odosielateľ|feladó|šalje|pošiljatelj|pošiljalac|expeditorul|expeditor|de la|от|отправитель|от кого|від|від кого|відправник|подател|kimden|gönderen|saatja|remetente|remitente|nuo|no|από|dari|từ|差出人|送信者|送信元|发件人|寄件者|寄件人|보낸 사람|보낸사람|מאת|من|จาก',
  to: 'to|an|à|a|para|pour|destinataire|destinataires|destinatario|destinatari|destinatarul|per|aan|till|til|mottagare|mottaker|modtager|vastaanottaja|do|dla|adresat|komu|příjemce|pre|príjemca|címzett|prima|primatelj|za|către|catre|кому|получатель|одержувач|до|kime|alıcı|saaja|kam|kepada|đến|προς|宛先|送信先|收件人|收件者|받는 사람|받는사람|אל|إلى|ถึง',
  cc: 'cc|kopie|kopie (cc)|kopio|kopi|kopia|kópia|kopija|másolat|másolatot kap|dw|копия|копія|copie|copie à|copia|cópia|bilgi|抄送|副本|参照|참조|bcc',
  replyTo:
    'reply-to|reply to|antwort an|répondre à|responder a|rispondi a|antwoord aan|svara till|svar til|svar-til|vastaus|vastausosoite|odpověď na|odgovori na|odgovor na|odpowiedź-do|odpowiedz do|odpovedať-pre|válaszcím|răspuns către|răspunde la|ответ-кому|ответить|кому відповісти|відповісти|yanıt adresi|yanıtla|vasta|返信先|回复|回覆|회신',
  date: 'date|sent|datum|gesendet|envoyé|envoyé le|le|fecha|enviado|enviado el|enviado em|enviada|enviada em|data|inviato|verzonden|skickat|dato|sendt|päivämäärä|päiväys|lähetetty|data wysłania|wysłano|odesláno|odoslané|dátum|elküldve|küldve|poslano|dată|trimis|trimis la|дата|отправлено|відправлено|надіслано|tarih|gönderilen|gönderilme tarihi|gönderme tarihi|kuupäev|saadetud|ημερομηνία|tanggal|ngày|日付|日時|送信日時|日期|发送时间|發送時間|寄件日期|날짜|보낸 날짜|תאריך|التاريخ|วันที่',
  subject:
    'subject|betreff|objet|sujet|asunto|oggetto|onderwerp|ämne|emne|aihe|temat|předmět|věc|predmet|tárgy|naslov|assunto|subiect|subiectul|тема|konu|teema|θέμα|perihal|chủ đề|件名|主题|主題|제목|נושא|الموضوع|หัวเรื่อง',
} as const

export type FieldKind = keyof typeof NAMES

/** Which field a name means, in lower case. */
export const KINDS: ReadonlyMap<string, string> = new Map(
  Object.entries(NAMES).flatMap(([kind, names]) => names.split('|').map((name) => [name, kind])),
)

/** Words that announce a forward, and no answer, in the languages of the programs above. */
export const SAYS_FORWARD =
  /forward|fwd|weitergeleitet|transf[ée]r|réexpédi|transmis|reenviad|reencaminhad|encaminhad|inoltrat|doorgestuur|vidarebefordr|videresend|välitet|edelleenlähetet|przekazan|przesłan|przekazyw|přeposl|přeposíl|preposlan|továbbított|proslijeđ|prosleđ|redirecționat|transmis|переадрес|пересыл|пересл|пересил|перенаправл|i̇let|ilet|edastat|转发|轉寄|轉發|転送|전달/iu
/** How answers announce what they quote. Some programs forward with it, too. */
export const SAYS_ORIGINAL =
  /original message|original appointment|ursprüngliche nachricht|message d.origine|mensaje original|mensagem original|messaggio originale|oorspronkelijk bericht|ursprungligt meddelande|opprinnelig melding|oprindelig meddelelse|alkuperäinen viesti|wiadomość oryginalna|původní zpráva|pôvodná správa|eredeti üzenet|izvorna poruka|mesaj original|исходное сообщение|оригінальне повідомлення|özgün ileti|algne kiri/iu
