#!/usr/local/bin/node
// Replaces Mailpit, whose pages Go cannot build from its module. It takes mail at port 1025, keeps the last 500 in memory, and shows them as text
// at port 8025 of the pod. `mailpit readyz` says whether it listens.
const { createServer: createHttpServer } = require('node:http')
const { connect, createServer } = require('node:net')
const process = require('node:process')

const SMTP_PORT = 1025
const PAGES_PORT = 8025
const KEPT = 500
const kept = []

if (process.argv[2] === 'readyz') {
  connect(SMTP_PORT, '127.0.0.1', () => process.exit(0)).on('error', () => process.exit(1))
} else {
  createServer(takeMail).listen(SMTP_PORT)
  createHttpServer((_, response) => response.end(kept.join('\n\n'))).listen(PAGES_PORT, '127.0.0.1')
}

function takeMail(socket) {
  let unread = ''
  let mail
  socket.on('error', () => {})
  socket.write('220 mailpit\r\n')
  socket.on('data', (chunk) => {
    const lines = (unread + chunk).split('\r\n')
    unread = lines.pop()
    for (const line of lines) {
      if (mail === undefined) answer(line.slice(0, 4).toUpperCase())
      else if (line !== '.') mail.push(line)
      else keep()
    }
  })

  function answer(command) {
    if (command === 'DATA') mail = []
    if (command === 'EHLO') socket.write('250-mailpit\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n')
    else if (command === 'QUIT') socket.end('221 Bye\r\n')
    else socket.write(command === 'DATA' ? '354 Go ahead\r\n' : '250 OK\r\n')
  }

  function keep() {
    kept.push(mail.join('\n'))
    if (kept.length > KEPT) kept.shift()
    mail = undefined
    socket.write('250 OK\r\n')
  }
}
