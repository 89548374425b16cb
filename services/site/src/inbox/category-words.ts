import { Category } from '@family-inbox/proto/inbox/v1/inbox'

/** A category as it stands in addresses and forms, and in words. In the order they are offered. */
export const CATEGORY_WORDS: readonly { category: Category; name: string; label: string }[] = [
  { category: Category.APPOINTMENT, name: 'appointment', label: 'Appointments' },
  { category: Category.RESULTS, name: 'results', label: 'Results' },
  { category: Category.MEDICATION, name: 'medication', label: 'Medication' },
  { category: Category.BILLING, name: 'billing', label: 'Bills' },
  { category: Category.INSURANCE, name: 'insurance', label: 'Insurance' },
  { category: Category.CARE_PLAN, name: 'care-plan', label: 'Care plan' },
  { category: Category.AUTOMATED, name: 'automated', label: 'Automatic mail' },
  { category: Category.OTHER, name: 'other', label: 'Other' },
]

/** The category of a name from an address or a form; unspecified for a name there is none of. */
export function categoryOf(name: string): Category {
  return CATEGORY_WORDS.find((words) => words.name === name)?.category ?? Category.UNSPECIFIED
}

export function categoryWords(category: Category): { name: string; label: string } {
  return CATEGORY_WORDS.find((words) => words.category === category) ?? { name: 'other', label: 'Other' }
}
