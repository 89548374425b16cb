import test from 'ava'
import { startTimeline } from '../_timeline.ts'
test('explain', async (t) => {
  await using tl = await startTimeline()
  const rows = tl.circle.rows('care_events')
  const mk = (l: string, i: number) => ({ _id: `${l}-${i}`, workspaceId: 'w', lovedOneId: 'lo', linkId: l, eventType: i % 1000 === 0 ? 'rare' : 'note', occurredAt: new Date(1e12 + Math.floor(i / 5) * 1000), receivedAt: new Date(1e12 + i * 1000) })
  for (const l of ['l1', 'l2', 'l3']) await rows.insertMany(Array.from({ length: 20000 }, (_, i) => mk(l, i)))
  const show = async (name: string, filter: object) => {
    const e: any = await rows.find(filter).sort({ occurredAt: -1, receivedAt: -1, _id: -1 }).limit(21).explain('executionStats')
    const names: string[] = []
    const walk = (s: any) => { names.push(s.stage + (s.indexName ? `(${s.indexName})` : '')); for (const c of [s.inputStage, ...(s.inputStages ?? [])]) if (c) walk(c) }
    walk(e.queryPlanner.winningPlan.queryPlan ?? e.queryPlanner.winningPlan)
    t.log(name, 'keys', e.executionStats.totalKeysExamined, 'docs', e.executionStats.totalDocsExamined, 'n', e.executionStats.nReturned, names.join(' '), 'rejected', e.queryPlanner.rejectedPlans.length)
  }
  const base = (links: string[]) => ({ linkId: { $in: links }, workspaceId: 'w', lovedOneId: 'lo' })
  const past = { occurredAt: { $lte: new Date(1e12 + 2000e3) }, $or: [{ occurredAt: { $lt: new Date(1e12 + 2000e3) } }, { occurredAt: new Date(1e12 + 2000e3), receivedAt: { $lt: new Date(1e12 + 10002e3) } }, { occurredAt: new Date(1e12 + 2000e3), receivedAt: new Date(1e12 + 10002e3), _id: { $lt: 'l2' } }] }
  const span = { occurredAt: { $gte: new Date(1e12 + 1000e3), $lt: new Date(1e12 + 3000e3) } }
  for (const links of [['l1'], ['l1', 'l2'], ['l1', 'l2', 'l3']]) {
    await show(`plain ${links.length}`, { ...base(links), $and: [{}, {}] })
    await show(`page ${links.length}`, { ...base(links), $and: [{}, past] })
    await show(`span ${links.length}`, { ...base(links), $and: [span, {}] })
    await show(`span page ${links.length}`, { ...base(links), $and: [span, past] })
    await show(`type ${links.length}`, { ...base(links), eventType: { $in: ['rare'] }, $and: [{}, {}] })
    await show(`types page ${links.length}`, { ...base(links), eventType: { $in: ['rare', 'x', 'y'] }, $and: [span, past] })
    await show(`type note ${links.length}`, { ...base(links), eventType: { $in: ['note', 'rare'] }, $and: [{}, past] })
  }
  t.pass()
})
