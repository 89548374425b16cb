export function withLock(dir: string, work: () => Promise<void>): Promise<void>
