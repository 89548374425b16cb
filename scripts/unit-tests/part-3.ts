// A third of the unit tests, in one worker: starting one for each file would cost several times as much as the tests.
import { declareTestsOf } from '../testing/rules.ts'
import { sharesWorker, testFiles } from '../testing/tiers.ts'

await declareTestsOf(
  testFiles()
    .filter(sharesWorker)
    .filter((_, index) => index % 3 === 2),
)
