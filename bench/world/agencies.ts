import type { Stack } from '@family-inbox/local-stack/run-stack'
import type { DemoFamily } from '@family-inbox/ops/demo-seed'
import { connect } from '@family-inbox/ops/services'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { askOnce, toolRequest } from './tool-request.ts'

export type Agency = { institutionId: string; secret: string; subjectRef: string; lovedOneId: string }

/** Adds agencies as the operator does, each linked to one of the family's loved ones in turn. */
export async function makeAgencies(stack: Stack, family: DemoFamily, count: number): Promise<Agency[]> {
  using services = await connect(stack.target)
  const agencies: Agency[] = []
  for (let index = 0; index < count; index += 1) {
    const lovedOneId = family.lovedOnes[index % family.lovedOnes.length]?.id ?? ''
    const institutionId = `bench-${randomText(8)}`
    const dates = { agreementDate: '2026-01-15', reviewDate: '2026-02-20' }
    const startRequest = { institutionId, name: `Agency ${index}`, namespaces: [], ...dates }
    const { secret } = await services.pipe.addPartner(startRequest)
    await services.pipe.setPartnerActive({ institutionId, active: true, agreementDate: '', reviewDate: '' })
    const subject = { institutionId, subjectRef: `client-${index}` }
    await services.pipe.linkSubject({ ...subject, providerCode: await mintCode(stack, family, lovedOneId) })
    await services.pipe.setFamilyShare({ ...subject, shared: true })
    agencies.push({ ...subject, secret, lovedOneId })
  }
  return agencies
}

async function mintCode(stack: Stack, family: DemoFamily, lovedOneId: string): Promise<string> {
  const address = { origin: stack.apiUrl, host: new URL(stack.apiUrl).host }
  const { text } = await askOnce(address, family.keys.owner, toolRequest('create_provider_code', { lovedOneId }))
  return JSON.parse(text).result.structuredContent.code
}
