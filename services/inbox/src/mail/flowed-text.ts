/**
 * Joins the soft line breaks of `format=flowed` text and removes space-stuffing (RFC 3676 4). Never joins different
 * quote depths or the signature separator `-- `.
 * @param deleteSpace DelSp=yes: the space that marks a soft break is not part of the text
 */
export function joinFlowedLines(text: string, deleteSpace: boolean): string {
  const paragraphs: string[] = []
  const pieces: string[] = []
  let depth = -1
  for (const line of text.split(/\r?\n/)) {
    const { quote, content } = splitQuote(line)
    const soft = pieces.length > 0
    if (soft && (quote.length !== depth || content === '-- ')) paragraphs.push(pieces.splice(0).join('').trimEnd())
    if (pieces.length === 0 && quote) pieces.push(`${quote} `)
    depth = quote.length
    const flows = content.endsWith(' ') && content !== '-- '
    pieces.push(flows && deleteSpace ? content.slice(0, -1) : content)
    if (!flows) paragraphs.push(pieces.splice(0).join(''))
  }
  if (pieces.length > 0) paragraphs.push(pieces.join(''))
  return paragraphs.join('\n')
}

function splitQuote(line: string): { quote: string; content: string } {
  const quote = /^>*/.exec(line)?.[0] ?? ''
  const rest = line.slice(quote.length)
  return { quote, content: rest.startsWith(' ') ? rest.slice(1) : rest }
}
