import { newId } from '@family-inbox/service-kit/ids/ids'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import type { Context } from '../context.ts'
import type { Person } from '../models/person.ts'

/** @param email normalized by `requireEmail`; look-alike addresses are different people */
export async function findOrCreatePerson(ctx: Context, email: string): Promise<Person> {
  const known = await ctx.people.findOne({ email }).lean()
  return known ?? create(ctx, { _id: newId('per'), email, name: '', createdAt: new Date() })
}

async function create(ctx: Context, person: Person): Promise<Person> {
  try {
    await ctx.people.insertOne(person)
    return person
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
    return findOrCreatePerson(ctx, person.email) // a concurrent request has created the person
  }
}
