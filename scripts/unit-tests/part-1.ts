import { declareTestsOf } from '../testing/rules.ts'
import { filesOfUnitPart } from '../testing/tiers.ts'

await declareTestsOf(filesOfUnitPart(1))
