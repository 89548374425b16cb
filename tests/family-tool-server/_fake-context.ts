import { Admission, type AuthenticateResult, CredentialKind } from '@family-inbox/proto/auth/v1/auth'
import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { environmentToConfig } from '../../services/gateway/src/config.ts'
import type { Context } from '../../services/gateway/src/context.ts'
import { createRateLimit } from '../../services/gateway/src/http/rate-limit.ts'

const KEY = { kty: 'OKP', crv: 'Ed25519', kid: 'gateway-1', service: 'gateway', x: 'eA', d: 'ZA' }

const caller = {
  principal: 'principal',
  personId: 'p_1',
  workspaceId: 'ws_1',
  credentialId: 'key_1',
  kind: CredentialKind.TOOL_KEY,
  scopes: [],
  scopesEnforced: false,
}

/** A context without services: every credential is admitted, and calls are answered immediately. */
export function fakeContext(): Context {
  const addresses = ['AUTH', 'CARE_CIRCLE', 'INBOX', 'SANDBOX', 'PIPE'].map((name) => [`${name}_ADDRESS`, 'dns:///x:1'])
  const keys = { SERVICE_KEY: JSON.stringify(KEY), SERVICE_KEYS: JSON.stringify({ keys: [KEY] }) }
  const config = environmentToConfig({ ...keys, ...Object.fromEntries(addresses) })
  const admitted = { admission: Admission.ADMITTED, caller, retryAfterSec: 0 } as AuthenticateResult
  const absent = async () => {
    throw new StatusError('NOT_FOUND', 'Nothing here has this id.')
  }
  const fake = {
    config,
    logger: { error() {}, info() {}, warn() {} },
    loadShedder: { admits: () => true },
    rateLimit: createRateLimit(),
    authenticate: async () => admitted,
    recordCall: async () => {},
    requireMember: async () => ({ personId: 'p_1', workspaceId: 'ws_1', role: Role.OWNER }),
    careCircle: {
      getProfile: async () => ({ name: 'Ana', email: 'ana@example.org', role: Role.OWNER }),
      listLovedOnes: async () => ({ lovedOnes: [{ id: 'lo_1', name: 'Rosa' }] }),
      listMembers: async () => ({ members: [] }),
      listCareEvents: async () => ({ events: [], pipeAvailable: false, nextPageToken: '' }),
      inviteMember: async () => ({ invitationId: 'inv_1', expiresAt: new Date(0) }),
      createProviderCode: async () => ({ code: 'ABCD1234', expiresAt: new Date(0) }),
    },
    inbox: {
      listInboxAddresses: async () => ({ addresses: [] }),
      listInboxMessages: async () => ({ messages: [], nextPageToken: '' }),
      getInboxMessage: absent,
      replyToMessage: absent,
    },
    sandbox: { startWorkspace: absent, noteRefusedStart: async () => {} },
  }
  return fake as unknown as Context
}
