import type { MailList } from './read-list.ts'

/** Whose inbox it is, in words; with one loved one it is theirs. */
export function inboxTitle({ household, query }: Pick<MailList, 'household' | 'query'>): string {
  const { lovedOnes } = household
  const one = query.lovedOne ?? (lovedOnes.length === 1 ? lovedOnes[0] : undefined)
  return one ? `${one.name}’s inbox` : 'Everyone’s inbox'
}
