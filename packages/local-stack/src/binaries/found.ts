import type { Env } from '../config.ts'

export type Found = { readonly external: string } | { readonly path: string }

export type Search = { readonly env: Env; readonly say: (line: string) => void }

/** Tries one source after another. @throws one line with `advice` and what was tried */
export async function firstThatHas(
  sources: Readonly<Record<string, () => Promise<string | undefined>>>,
  advice: string,
): Promise<Found> {
  const tried: string[] = []
  for (const [name, look] of Object.entries(sources)) {
    try {
      const path = await look()
      if (path) return { path }
      tried.push(`${name}: not found`)
    } catch (error) {
      tried.push(`${name}: ${error instanceof Error ? error.message : error}`)
    }
  }
  throw new Error(`${advice} (tried ${tried.join('; ')})`.replaceAll(/\s+/g, ' '))
}
