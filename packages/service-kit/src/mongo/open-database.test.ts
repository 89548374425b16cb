import test from 'ava'
import mongoose from 'mongoose'
import { createLogger } from '../observability/logger.ts'
import { retryUnreachable } from './open-database.ts'

const logger = createLogger('test', 'error')
const { MongoNetworkError, MongoServerError, MongoServerSelectionError } = mongoose.mongo

test('a start survives a database that answers and is gone again', async (t) => {
  const problems = [
    new MongoNetworkError('connection closed'),
    new MongoServerSelectionError('no primary', {} as never),
  ]
  let attempts = 0
  await retryUnreachable(async () => {
    attempts++
    const problem = problems.shift()
    if (problem) throw problem
  }, logger)
  t.is(attempts, 3)
})

test('what a database refuses ends the start', async (t) => {
  const refused = new MongoServerError({ message: 'not authorized', code: 13 })
  await t.throwsAsync(
    retryUnreachable(() => Promise.reject(refused), logger),
    { is: refused },
  )
})
