type Deployment = {
  metadata: { name: string; namespace: string }
  labels: Record<string, string>
  pod: object
  replicas?: number
}

/** A Deployment whose pods have its labels. */
export function deployment({ metadata, labels, pod, replicas }: Deployment): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...metadata, labels },
    spec: {
      ...(replicas !== undefined && { replicas }),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: pod },
    },
  }
}
