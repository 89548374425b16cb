import type { Env } from '../config.ts'

/** A server to connect to that somebody else runs, or a binary to start. */
export type Found = { readonly external: string } | { readonly path: string }

/** What a search needs: the environment it may look at, and where its progress lines go. */
export type Search = { readonly env: Env; readonly say: (line: string) => void }

/**
 * Tries one source after the other.
 * @throws one line that says what was tried and `advice` when none of them has the binary
 */
export async function firstThatHas(
  sources: Readonly<Record<string, () => Promise<string | undefined>>>,
  advice: string,
): Promise<Found> {
  const tried: string[] = []
  for (const [name, look] of Object.entries(sources)) {
    try {
      const path = await look()
      if (path) return { path }
      tried.push(`${name}: not there`)
    } catch (error) {
      tried.push(`${name}: ${error instanceof Error ? error.message : error}`)
    }
  }
  throw new Error(`${advice} (tried ${tried.join('; ')})`.replaceAll(/\s+/g, ' '))
}
