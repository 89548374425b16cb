import type { Grant } from '@family-inbox/auth/models/grant'
import { hashSecret, newSecret } from '@family-inbox/auth/secret'
import { windowOfCalls } from './mint-keys.ts'
import type { Workspace } from './workspace.ts'

/**
 * Makes many grants like one that a person gave, each with a token of its own.
 * @param token of the grant they are to be like
 * @param used whether each remembers a full window of calls that are over
 * @returns the tokens
 */
export async function mintTokens(workspace: Workspace, token: string, count: number, used = true): Promise<string[]> {
  const grants = workspace.collection<Grant>('auth', 'oauth_grants')
  const pattern = await grants.findOne({ 'accessTokens.hash': hashSecret(token) })
  if (pattern === null) throw new Error('the token’s grant is not where auth should keep it')
  const held = pattern.accessTokens.find(({ hash }) => hash === hashSecret(token)) as Grant['accessTokens'][number]
  const tokens = Array.from({ length: count }, newSecret)
  const rows = tokens.map((secret) => ({
    ...pattern,
    _id: newSecret(),
    calls: used ? windowOfCalls() : [],
    accessTokens: [{ ...held, hash: hashSecret(secret) }],
  }))
  await grants.insertMany(rows)
  return tokens
}
