import MailComposer from 'nodemailer/lib/mail-composer'

const SENTENCE =
  'The dose of the evening tablet was changed on Monday, and the nurse will check the blood pressure at each visit. '
const BYTES = 10 * 1024

/** A typical mail of ten kilobytes, the same in text and HTML, without a Message-ID. */
export async function tenKilobyteMail(): Promise<string> {
  const compose = (sentences: number) => {
    const text = SENTENCE.repeat(sentences)
    const html = `<html><body><h1>Report</h1><p>${text}</p><p><a href="https://clinic.example/">The clinic</a></p></body></html>`
    const subject = 'Report of the visit on Monday'
    const mail = new MailComposer({
      from: 'Clinic <reports@clinic.example>',
      to: 'care@inbox.example',
      subject,
      text,
      html,
    })
    return mail.compile().build()
  }
  let mail = await compose(1)
  for (let sentences = 2; mail.length < BYTES; sentences += 1) mail = await compose(sentences)
  return mail.toString().replace(/^Message-ID: .*\r\n/m, '')
}
