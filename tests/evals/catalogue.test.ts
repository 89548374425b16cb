import test from 'ava'
import { describeFamilyTool } from '../../services/gateway/src/mcp/family/methods.ts'
import { tools } from '../../services/gateway/src/mcp/family/tools/index.ts'
import { QUESTIONS } from './questions.ts'

/** A plain retrieval scorer stands for a model that knows nothing but the catalogue: BM25 over names and descriptions. */
const MOST_MISSED = 6
const [K, B] = [1.2, 0.75]

/** What every question has. */
const COMMON = new Set(
  'a an and are as at be by did do does for from get had has have her him his how i in is it its me my not of on or our please she that the their them there they this to us was we were what when where which who whom whose with you your'.split(
    ' ',
  ),
)

const documents = tools.map((tool) => {
  const { name, title, description, inputSchema } = describeFamilyTool(tool)
  return { name, words: wordsIn([name, title, description, ...wordsOf(inputSchema)].join(' ')) }
})
const averageLength = documents.reduce((sum, { words }) => sum + words.length, 0) / documents.length

test('the words of the catalogue lead a plain search to the right tool for 54 of 60 questions', (t) => {
  t.is(QUESTIONS.length, 60)
  const missed = QUESTIONS.flatMap(({ asks, calls }) => {
    const [best] = documents.toSorted((one, other) => score(other, asks) - score(one, asks))
    return best?.name === calls.at(-1)?.[0] ? [] : `${asks} – ${best?.name}`
  })
  for (const one of missed) t.log(one)
  t.true(missed.length <= MOST_MISSED, `${missed.length} missed`)
})

test('every argument of a question is one that its tool takes', (t) => {
  for (const { asks, calls } of QUESTIONS)
    for (const [name, args] of calls) {
      const { shape } = tools.find((tool) => tool.name === name)?.input ?? { shape: {} }
      for (const argument of Object.keys(args)) t.true(argument in shape, `${asks} ${name} ${argument}`)
    }
})

function score({ words }: { words: string[] }, question: string): number {
  return [...new Set(wordsIn(question))].reduce((sum, word) => {
    const times = words.filter((one) => one === word).length
    const having = documents.filter((other) => other.words.includes(word)).length
    const rarity = Math.log(1 + (documents.length - having + 0.5) / (having + 0.5))
    return sum + (rarity * times * (K + 1)) / (times + K * (1 - B + (B * words.length) / averageLength))
  }, 0)
}

/** Without the commonest endings. */
function wordsIn(text: string): string[] {
  const words =
    text
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z]+/g) ?? []
  return words.filter((word) => !COMMON.has(word)).map((word) => word.replace(/(?:ing|ed|es|s)$/, '').replace(/e$/, ''))
}

/** The names of arguments, what they may be, and their descriptions. */
function wordsOf({ properties = {} }: { properties?: object }): string[] {
  return Object.entries(properties).flatMap(([name, { description = '', enum: values = [] }]) => [
    name,
    description,
    ...values,
  ])
}
