import type { Grant } from '@family-inbox/auth/models/grant'
import { hashSecret, newSecret } from '@family-inbox/auth/secret'
import { windowOfCalls } from './mint-keys.ts'
import type { Workspace } from './workspace.ts'

/**
 * Creates many copies of a grant, each with its own token.
 * @param token of the grant to copy
 * @param used whether each has a full window of past calls
 * @returns the tokens
 */
export async function mintTokens(workspace: Workspace, token: string, count: number, used = true): Promise<string[]> {
  const grants = workspace.collection<Grant>('auth', 'oauth_grants')
  const pattern = await grants.findOne({ 'accessTokens.hash': hashSecret(token) })
  if (pattern === null) throw new Error('auth’s database does not have the token’s grant')
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
