import { AuthServiceService } from '@family-inbox/proto/auth/v1/auth'
import type { GrpcServer, Handlers } from '@family-inbox/service-kit/rpc/serve'
import type { Service } from '@family-inbox/service-kit/start/run'
import { serveBackend } from '@family-inbox/service-kit/start/serve-backend'
import { consumeRemovals, parseEndedMembership } from '@family-inbox/workspace-kit/removals'
import type Provider from 'oidc-provider'
import { findBursts } from './assistants/find-bursts.ts'
import { sendAlarms } from './assistants/send-alarms.ts'
import { type Config, environmentToConfig } from './config.ts'
import { type Context, createContext } from './context.ts'
import { createProvider } from './oauth/provider.ts'
import { serveOauth } from './oauth/serve-oauth.ts'
import { endMembership, removeWorkspace, startAccountSweeper, startReviewSweeper } from './removal.ts'
import { addPasskey } from './rpc/add-passkey.ts'
import { admitForm } from './rpc/admit-form.ts'
import { authenticate } from './rpc/authenticate.ts'
import { beginAddPasskey } from './rpc/begin-add-passkey.ts'
import { beginExport } from './rpc/begin-export.ts'
import { beginPasskey } from './rpc/begin-passkey.ts'
import { changeGrant } from './rpc/change-grant.ts'
import { changeToolKey } from './rpc/change-tool-key.ts'
import { confirmSession } from './rpc/confirm-session.ts'
import { countCalls } from './rpc/count-calls.ts'
import { createPerson } from './rpc/create-person.ts'
import { createSetUpCode } from './rpc/create-set-up-code.ts'
import { deleteAccount } from './rpc/delete-account.ts'
import { enterWorkspace } from './rpc/enter-workspace.ts'
import { exportRecords } from './rpc/export-records.ts'
import { finishPasskeySignIn } from './rpc/finish-passkey-sign-in.ts'
import { finishRecoverySignIn } from './rpc/finish-recovery-sign-in.ts'
import { finishSetUp } from './rpc/finish-set-up.ts'
import { finishSignIn } from './rpc/finish-sign-in.ts'
import { getConsent } from './rpc/get-consent.ts'
import { getGrant } from './rpc/get-grant.ts'
import { getOperator } from './rpc/get-operator.ts'
import { getSetUp } from './rpc/get-set-up.ts'
import { getToolKey } from './rpc/get-tool-key.ts'
import { listAuditEntries } from './rpc/list-audit-entries.ts'
import { listGrants } from './rpc/list-grants.ts'
import { listOperators } from './rpc/list-operators.ts'
import { listPasskeys } from './rpc/list-passkeys.ts'
import { listSessions } from './rpc/list-sessions.ts'
import { listToolKeys } from './rpc/list-tool-keys.ts'
import { mailConfirmationCode } from './rpc/mail-confirmation-code.ts'
import { makeRecoverySheet } from './rpc/make-recovery-sheet.ts'
import { mintToolKey } from './rpc/mint-tool-key.ts'
import { recordAuditEntries } from './rpc/record-audit-entries.ts'
import { removePasskey } from './rpc/remove-passkey.ts'
import { resolveSession } from './rpc/resolve-session.ts'
import { revokeGrant } from './rpc/revoke-grant.ts'
import { revokeSessions } from './rpc/revoke-sessions.ts'
import { revokeToolKey } from './rpc/revoke-tool-key.ts'
import { selectWorkspace } from './rpc/select-workspace.ts'
import { setOperator } from './rpc/set-operator.ts'
import { setPasskeyOnly } from './rpc/set-passkey-only.ts'
import { startSignIn } from './rpc/start-sign-in.ts'
import { switchInstallation } from './rpc/switch-installation.ts'
import { switchWorkspace } from './rpc/switch-workspace.ts'
import { updateProfile } from './rpc/update-profile.ts'

export type AuthServer = GrpcServer & { httpPort: number }

export const service: Service<Config> = { name: 'auth', environmentToConfig, start: startAuth }

/** Starts auth: people, sign-in, credentials, OAuth and the record of tool calls. */
export async function startAuth(config: Config): Promise<AuthServer> {
  const ctx = await createContext(config)
  const provider = createProvider(ctx)
  const http = await serveOauth(ctx, provider)
  const removals = { ...ctx, connection: ctx.mailQueue.connection, natsReplicas: config.natsReplicas }
  const grpc = await serveBackend({
    definition: AuthServiceService,
    handlers: handlersOf(ctx, provider),
    context: ctx,
    servers: [http],
    background: [
      startAccountSweeper(ctx),
      startReviewSweeper(ctx),
      sendAlarms(ctx),
      findBursts(ctx),
      consumeRemovals({ ...removals, service: 'auth', handlers: { workspace: (id) => removeWorkspace(ctx, id) } }),
      // A separate consumer: the subject of an existing one cannot be changed.
      consumeRemovals({
        ...removals,
        service: 'auth-membership',
        handlers: { membership: (id) => endMembership(ctx, parseEndedMembership(id)) },
      }),
    ],
  })
  return { ...grpc, httpPort: http.port }
}

function handlersOf(ctx: Context, provider: Provider): Handlers<typeof AuthServiceService> {
  return {
    authenticate: authenticate(ctx),
    recordAuditEntries: recordAuditEntries(ctx),
    startSignIn: startSignIn(ctx),
    finishSignIn: finishSignIn(ctx),
    addPasskey: addPasskey(ctx),
    beginAddPasskey: beginAddPasskey(ctx),
    beginPasskey: beginPasskey(ctx),
    confirmSession: confirmSession(ctx),
    finishPasskeySignIn: finishPasskeySignIn(ctx),
    finishRecoverySignIn: finishRecoverySignIn(ctx),
    listPasskeys: listPasskeys(ctx),
    makeRecoverySheet: makeRecoverySheet(ctx),
    setPasskeyOnly: setPasskeyOnly(ctx),
    mailConfirmationCode: mailConfirmationCode(ctx),
    removePasskey: removePasskey(ctx),
    resolveSession: resolveSession(ctx),
    enterWorkspace: enterWorkspace(ctx),
    admitForm: admitForm(ctx),
    selectWorkspace: selectWorkspace(ctx),
    listSessions: listSessions(ctx),
    revokeSessions: revokeSessions(ctx),
    getConsent: getConsent(ctx, provider),
    listGrants: listGrants(ctx),
    getGrant: getGrant(ctx),
    revokeGrant: revokeGrant(ctx),
    changeGrant: changeGrant(ctx),
    createPerson: createPerson(ctx),
    createSetUpCode: createSetUpCode(ctx),
    getSetUp: getSetUp(ctx),
    finishSetUp: finishSetUp(ctx),
    getOperator: getOperator(ctx),
    switchInstallation: switchInstallation(ctx),
    setOperator: setOperator(ctx),
    listOperators: listOperators(ctx),
    switchWorkspace: switchWorkspace(ctx),
    mintToolKey: mintToolKey(ctx),
    updateProfile: updateProfile(ctx),
    listToolKeys: listToolKeys(ctx),
    getToolKey: getToolKey(ctx),
    revokeToolKey: revokeToolKey(ctx),
    changeToolKey: changeToolKey(ctx),
    listAuditEntries: listAuditEntries(ctx),
    countCalls: countCalls(ctx),
    beginExport: beginExport(ctx),
    exportRecords: exportRecords(ctx),
    deleteAccount: deleteAccount(ctx),
  }
}
