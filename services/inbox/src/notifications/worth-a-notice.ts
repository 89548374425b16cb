/**
 * The filter for messages people are told of. Not those a machine sent by itself, as RFC 5436 section 2.7.1 asks, nor those
 * from our own sender: a notice that is forwarded back into an inbox must not make another.
 * @param senderAddress the sender of all mail of ours
 */
export function worthANotice(senderAddress: string) {
  const notOurs = { $ne: senderAddress.toLowerCase() }
  return {
    autoSubmitted: { $in: [null, 'no'] },
    'from.address': notOurs,
    'originalSender.address': notOurs,
  }
}
