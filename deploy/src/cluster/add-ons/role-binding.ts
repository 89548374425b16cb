const GROUP = 'rbac.authorization.k8s.io'

/** Gives an account or a user a role in the whole cluster. */
export function roleBinding(role: string, subject: object): object {
  return {
    apiVersion: `${GROUP}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: `cluster:${role}` },
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: role },
    subjects: [subject],
  }
}

type Rule = { apiGroups: string[]; resources: string[]; verbs: string[] }

/** A role in the whole cluster with these rules, for one account. */
export function accountWithRole(metadata: { name: string; namespace: string }, role: string, rules: Rule[]): object[] {
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: `${GROUP}/v1`, kind: 'ClusterRole', metadata: { name: role }, rules },
    roleBinding(role, { kind: 'ServiceAccount', ...metadata }),
  ]
}
