// Creates the demo family from inside a cluster's network, and prints it as JSON.
// Usage: node _seed-inside.ts <JSON of a target>
import process from 'node:process'
import { seedFamily } from '@family-inbox/ops/demo-seed'

const family = await seedFamily(JSON.parse(process.argv[2] ?? ''))
process.stdout.write(JSON.stringify(family), () => process.exit(0))
