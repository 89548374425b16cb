import { Category } from '@family-inbox/proto/inbox/v1/inbox'

/** Categories in menu order: `name` goes in URLs and forms, `label` on pages. */
export const CATEGORY_WORDS: readonly { category: Category; name: string; label: string }[] = [
  { category: Category.APPOINTMENT, name: 'appointment', label: 'Appointments' },
  { category: Category.RESULTS, name: 'results', label: 'Results' },
  { category: Category.MEDICATION, name: 'medication', label: 'Medication' },
  { category: Category.BILLING, name: 'billing', label: 'Bills' },
  { category: Category.INSURANCE, name: 'insurance', label: 'Insurance' },
  { category: Category.CARE_PLAN, name: 'care-plan', label: 'Care plan' },
  { category: Category.AUTOMATED, name: 'automated', label: 'Automated' },
  { category: Category.OTHER, name: 'other', label: 'Other' },
]

export function categoryOf(name: string): Category {
  return CATEGORY_WORDS.find((words) => words.name === name)?.category ?? Category.UNSPECIFIED
}

export function categoryWords(category: Category): { name: string; label: string } {
  return CATEGORY_WORDS.find((words) => words.category === category) ?? { name: 'other', label: 'Other' }
}
