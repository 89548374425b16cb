import { askModel } from './ask-model.ts'
import { QUESTIONS } from './questions.ts'

/** `npm run evals`: how many of the questions a model answers with the right call. Nothing is asked without an address. */
const { EVALS_URL: url, EVALS_MODEL: name = 'default', EVALS_KEY: key } = process.env
if (url === undefined) {
  process.stderr.write(
    'Set EVALS_URL to an address of chat completions, such as http://127.0.0.1:11434/v1/chat/completions, EVALS_MODEL to the name of the model, and EVALS_KEY if it needs one.\n',
  )
  process.exit(2)
}

let right = 0
for (const [index, question] of QUESTIONS.entries()) {
  const { isRight, called } = await askModel({ url, name, key }, question)
  if (isRight) right += 1
  const calls = called.map(([tool, args]) => `${tool} ${JSON.stringify(args)}`).join(', ')
  process.stdout.write(
    `${index + 1} of ${QUESTIONS.length} ${isRight ? 'right' : 'WRONG'}: ${question.asks} (${calls})\n`,
  )
}
process.stdout.write(`${right} of ${QUESTIONS.length} right\n`)
