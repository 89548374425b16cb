import type { SendMailOptions } from 'nodemailer'
import { demoPdf } from './demo-pdf.ts'

type DemoMail = Omit<SendMailOptions, 'to'> & { lovedOne: 0 | 1; daysAgo: number }

const REPORT = demoPdf([
  'Lakeside Laboratory',
  '118 Lakeside Avenue, Madison, WI 53703',
  '',
  'Report for Dr. Osei, Riverside Heart Clinic',
  '',
  'Potassium        4.4 mEq/L     (3.5 to 5.1)',
  'Creatinine       1.0 mg/dL     (0.6 to 1.1)',
  'Prothrombin time 2.6           (2.0 to 3.0, set by your doctor)',
  'Hemoglobin       12.9 g/dL     (12.0 to 15.5)',
  '',
  'All values are within range. Please keep the dose of warfarin as it is.',
  'The next test is due in four weeks. Call (608) 555-0142 to choose a time.',
])

const INVOICE = demoPdf([
  'Northside Eye Center',
  '2210 Northside Drive, Madison, WI 53704',
  '',
  'Invoice 2041',
  '',
  'Eye examination with dilation        $146.20',
  'Paid by Harbor Insurance            -$100.00',
  'Your share                            $46.20',
  '',
  'Please pay within 30 days, by check or at the front desk.',
  'Questions about this invoice: (608) 555-0119',
])

/** Invented mail like a family gets from clinics, pharmacies and agencies. */
export const demoMail: DemoMail[] = [
  {
    lovedOne: 0,
    daysAgo: 9,
    from: 'Riverside Heart Clinic <appointments@riverside-heart.example>',
    subject: 'Appointment confirmed: Tuesday 10:30 AM with Dr. Osei',
    text: 'Your appointment with Dr. Osei is confirmed for Tuesday at 10:30 AM, Building C, second floor.\n\nPlease bring the list of current medication and arrive 15 minutes early.\n\nIf you cannot come, call us at least one day before.',
  },
  {
    lovedOne: 0,
    daysAgo: 6,
    from: 'Lakeside Laboratory <results@lakeside-lab.example>',
    subject: 'Your lab results are ready',
    text: 'The results of the blood test are ready.\n\nPotassium 4.4 mEq/L, creatinine 1.0 mg/dL, INR 2.6. All values are within the range your doctor set.\n\nThe full report is attached.',
    attachments: [
      {
        filename: 'report.pdf',
        content: REPORT,
        contentType: 'application/pdf',
      },
    ],
  },
  {
    lovedOne: 0,
    daysAgo: 4,
    from: 'Corner Pharmacy <refills@corner-pharmacy.example>',
    subject: 'Prescription refill ready for pickup',
    text: 'The refill of Metoprolol 50 mg (30 tablets) is ready for pickup until Friday.\n\nOne tablet each morning. Please ask us before combining it with anything new.',
  },
  {
    lovedOne: 0,
    daysAgo: 2,
    from: 'Sunrise Home Care <plan@sunrise-homecare.example>',
    subject: 'Updated care plan from Monday',
    html: '<h2>Care plan</h2><p>From Monday, visits are at <b>8:30 AM</b> and <b>5:00 PM</b>.</p><ul><li>Help with the morning wash</li><li>A 15-minute walk, weather permitting</li><li>Check of the pill box on Sundays</li></ul><p>Questions? Reply to this email.</p>',
  },
  {
    lovedOne: 1,
    daysAgo: 5,
    from: 'Harbor Insurance <claims@harbor-insurance.example>',
    subject: 'Your claim was approved',
    text: 'The claim for the walker was approved. We pay $84.00 directly to the supplier; your share is $21.00.',
  },
  {
    lovedOne: 1,
    daysAgo: 1,
    from: 'Northside Eye Center <billing@northside-eye.example>',
    subject: 'Invoice 2041 for the visit in March',
    text: 'Your invoice for $46.20 is attached. It is due within 30 days.',
    attachments: [
      {
        filename: 'invoice-2041.pdf',
        content: INVOICE,
        contentType: 'application/pdf',
      },
    ],
  },
]
