export type Category =
  | 'appointment'
  | 'results'
  | 'medication'
  | 'billing'
  | 'insurance'
  | 'care_plan'
  | 'automated'
  | 'other'

type Facts = {
  subject: string
  text: string
  automated: boolean
  invitation: boolean
}
type Rule = { category: Exclude<Category, 'automated' | 'other'>; words: RegExp }

/** The first rule wins a tie: a bill for a prescription is a bill, and most clinic mail mentions an appointment. */
const RULES: Rule[] = [
  rule('insurance', [
    'insurances?|insurer|explanation of benefits|eob|claims?|coverage|deductible|premiums|premium (?:due|payment|notice)|policy (?:number|holder)',
    'medicare|medicaid|prior authori[sz]ation|health plan|benefits? (?:statement|summary)',
    'kranken(?:kasse|versicherung)|versicherung|assurance maladie|mutuelle|seguro (?:médico|de salud)|aseguradora',
  ]),
  rule('billing', [
    'invoices?|bills|billing|(?:your|the|this|an?|new|final|medical|hospital) bill|bill (?:for|from|is|of)|statement of account|account statement|billing statement|receipts?|co-?pay(?:ment)?',
    'payments?|amount due|balance due|past due|overdue|refund|rechnung(?:en)?|mahnung|facture|factura|recibo|pago',
  ]),
  rule('results', [
    '(?:lab|test|blood|imaging|biopsy|screening|scan)(?:oratory)? (?:results?|reports?|work)|results? (?:are|is) (?:ready|available|in)',
    'results|pathology|radiology|x-?rays?|mri|ct scan|ultrasound|biopsy|mammogram|a1c|hba1c|cholesterol|specimen',
    'befunde?|laborwerte|laborergebnisse?|résultats?|analyses? (?:de sang|médicales?)|resultados?|análisis',
  ]),
  rule('medication', [
    'medications?|medicines?|meds|prescriptions?|prescribed|refills?|pharmac(?:y|ist)|dos(?:e|es|age)|rx|tablets?|pills?',
    '\\d+ ?(?:mg|mcg|µg)|insulin|antibiotics?|side effects?|rezept|medikamente?|apotheke|ordonnance|médicaments?|pharmacie',
    'receta|medicamentos?|medicación|farmacia',
  ]),
  rule('care_plan', [
    'care ?plans?|plan of care|treatment plan|discharge (?:summary|instructions?|plan(?:ning)?)|care (?:team|conference|summary|notes?)',
    'home care|rehab(?:ilitation)?|physical therapy|therapy plan|pflegeplan|pflegegrad|behandlungsplan|plan de soins|plan de cuidados',
  ]),
  rule('appointment', [
    'appointments?|appt|(?:re)?schedul(?:e|ed|ing)|check-?in for|check-?up|consultation|follow-?up visit|office visit|telehealth',
    'upcoming visit|visit (?:reminder|on|with|is)|reminder for your visit|booking|booked|termine?|terminerinnerung|sprechstunde',
    'rendez-vous|rdv|consultation|cita(?: médica)?|consulta',
  ]),
]

const SUBJECT_WEIGHT = 3
const MAX_BODY_CHARS = 2000

/** Repetition does not count, so a footer does not decide. Automated mail needs a score above 1. */
export function categorize(facts: Facts): Category {
  const body = facts.text.slice(0, MAX_BODY_CHARS)
  let best: Category = 'other'
  let bestScore = facts.automated ? 1 : 0
  for (const { category, words } of RULES) {
    const invited = category === 'appointment' && facts.invitation ? SUBJECT_WEIGHT : 0
    const score = countWords(facts.subject, words) * SUBJECT_WEIGHT + countWords(body, words) + invited
    if (score > bestScore) {
      best = category
      bestScore = score
    }
  }
  return best === 'other' && facts.automated ? 'automated' : best
}

function rule(category: Rule['category'], words: string[]): Rule {
  return { category, words: new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join('|')})(?![\\p{L}\\p{N}])`, 'giu') }
}

function countWords(text: string, words: RegExp): number {
  const found = new Set<string>()
  for (const [word] of text.matchAll(words)) {
    found.add(word.toLowerCase())
    if (found.size === 3) break
  }
  return found.size
}
