export type MethodDefinition = {
  path: string
  requestStream: boolean
  responseStream: boolean
  // biome-ignore lint/suspicious/noExplicitAny: the element type of each method is recovered by RequestOf and ResponseOf
  requestSerialize(value: any): Buffer
  requestDeserialize(value: Buffer): unknown
  // biome-ignore lint/suspicious/noExplicitAny: as above
  responseSerialize(value: any): Buffer
  responseDeserialize(value: Buffer): unknown
}

export type Definition = Record<string, MethodDefinition>

export type RequestOf<M extends MethodDefinition> = ReturnType<M['requestDeserialize']>
export type ResponseOf<M extends MethodDefinition> = ReturnType<M['responseDeserialize']>
