import { spawn } from 'node:child_process'

/** Prints, for each path on standard input, how many characters of text Python's own reader shows. */
const PROGRAM = `
import sys, re, email, email.policy
for line in sys.stdin:
    path = line.rstrip("\\n")
    size = 0
    try:
        with open(path, "rb") as file:
            mail = email.message_from_binary_file(file, policy=email.policy.default)
        body = mail.get_body(("plain", "html"))
        if body is not None:
            size = len(re.sub(r"(?s)<style.*?</style>|<[^>]*>|&nbsp;|\\s+", "", body.get_content()))
    except Exception:
        pass
    print(size, path, flush=True)
`

/** The reference for which mail has a text: the standard library of Python. Empty without a python3. */
export async function readByPython(files: readonly string[]): Promise<Map<string, number>> {
  const child = spawn('python3', ['-c', PROGRAM], { stdio: ['pipe', 'pipe', 'ignore'] })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  child.stdin.on('error', () => {})
  child.stdin.end(files.map((file) => `${file}\n`).join(''))
  await new Promise((resolve) => child.once('error', resolve).once('close', resolve))
  const lines = printed.split('\n').filter((line) => line !== '')
  return new Map(lines.map((line) => [line.slice(line.indexOf(' ') + 1), Number.parseInt(line, 10)]))
}
