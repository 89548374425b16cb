/** Whether an Accept header lists `text/event-stream` at all, other than to refuse it with q=0. Wildcards do not count. */
export function wantsEventStream(accept: string | undefined): boolean {
  return (accept ?? '').split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return type === 'text/event-stream' && !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter))
  })
}
