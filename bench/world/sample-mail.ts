import type { SendMailOptions } from 'nodemailer'

const PARAGRAPH =
  'Please bring the list of current medication, the insurance card and the last report, and plan about forty minutes. ' +
  'If the pain gets worse before then, or there is any fever, do not wait for the appointment but call the practice at once. '

/** Mail like that of clinics and agencies, with a body of a few kilobytes. One is forwarded. */
export const sampleMail: SendMailOptions[] = [
  mail('Riverside Heart Clinic <appointments@riverside.example>', 'Appointment confirmed: Tuesday 10:30 AM'),
  mail('Lakeside Laboratory <results@lakeside.example>', 'Your lab results are ready'),
  mail('Corner Pharmacy <refills@pharmacy.example>', 'Prescription refill ready for pickup'),
  {
    ...mail('Luis <luis@family.example>', 'Fwd: Invoice for the visit in March'),
    text: `---------- Forwarded message ---------\nFrom: Northside Eye Center <billing@northside.example>\nDate: Mon, 3 Mar 2025 10:00\nSubject: Invoice for the visit in March\nTo: Luis <luis@family.example>\n\n${PARAGRAPH.repeat(8)}`,
  },
]

function mail(from: string, subject: string): SendMailOptions {
  return { from, subject, text: `Dear family,\n\n${PARAGRAPH.repeat(8)}\n\nKind regards` }
}
