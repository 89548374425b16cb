import { startStack } from './stack.ts'

// Starts everything once, so that the modules of every service are compiled and kept: on a fresh checkout the first tests
// would otherwise wait for that, each for itself.
await using _stack = await startStack()
