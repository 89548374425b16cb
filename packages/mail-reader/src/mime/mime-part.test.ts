import test from 'ava'
import { parseStructuredField } from './mime-part.ts'

const parameter = (field: string, name: string) => parseStructuredField(field).parameters.get(name)

test('values and parameters are read in any format', (t) => {
  t.is(parseStructuredField(' Text/HTML (comment) ; charset=UTF-8').value, 'text/html')
  t.is(parameter('text/plain; Charset = "utf-8" ; x=1', 'charset'), 'utf-8')
  t.is(parameter('multipart/mixed; boundary=abc (comment)', 'boundary'), 'abc')
  t.is(parameter('attachment; filename="a; b \\"c\\".pdf"; size=3', 'filename'), 'a; b "c".pdf')
  t.is(parameter('attachment; filename=Invoice(1).pdf', 'filename'), 'Invoice(1).pdf')
  t.is(parameter('attachment; filename="never closed', 'filename'), 'never closed')
})

test('the first of two identical parameters counts', (t) => {
  t.is(parameter('multipart/mixed; boundary=a; boundary=b', 'boundary'), 'a')
})

test('split and percent-encoded parameters are joined (RFC 2231)', (t) => {
  t.is(parameter("attachment; filename*=utf-8'en'%E2%82%AC%20rates.pdf", 'filename'), '€ rates.pdf')
  t.is(parameter("x; filename*1*=%BC.pdf; filename*0*=UTF-8''M%C3", 'filename'), 'Mü.pdf')
  t.is(parameter('x; filename*0="50%41 of "; filename*1="it\'s"', 'filename'), "50%41 of it's")
  t.is(parameter("x; name*=iso-8859-1''caf%E9", 'name'), 'café')
  t.is(parameter("x; filename=fallback.pdf; filename*=UTF-8''best.pdf", 'filename'), 'best.pdf')
})

test('raw UTF-8 and Latin-1 in a parameter are decoded', (t) => {
  t.is(parameter(`x; filename="${Buffer.from('Größe.pdf').toString('latin1')}"`, 'filename'), 'Größe.pdf')
  t.is(parameter('x; filename="Gr\xf6\xdfe.pdf"', 'filename'), 'Größe.pdf')
})

test('names from the object prototype are ordinary names', (t) => {
  t.is(parameter('x; __proto__=1; constructor=2', '__proto__'), '1')
  t.is(parameter('x; y=1', 'constructor'), undefined)
})

test('hostile fields keep their value', (t) => {
  for (const piece of ['a="b\\";', ';a*0*=', '; ', 'a=(', '"', "x*9='", ';\t='])
    t.is(parseStructuredField(`x;${piece.repeat(8000)}`).value, 'x', piece)
})
