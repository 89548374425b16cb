export async function disposeAll(parts: Iterable<AsyncDisposable>): Promise<void> {
  await Promise.all(Array.from(parts, (part) => part[Symbol.asyncDispose]()))
}
