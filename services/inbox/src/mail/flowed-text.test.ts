import test from 'ava'
import { joinFlowedLines } from './flowed-text.ts'

test('lines that end in a blank flow into the next', (t) => {
  t.is(joinFlowedLines('one \r\ntwo \r\nthree\r\nfour', false), 'one two three\nfour')
})

test('with DelSp the blank itself is not part of the text', (t) => {
  t.is(joinFlowedLines('Kran \nken \nhaus', true), 'Krankenhaus')
})

test('space-stuffing goes, further indentation stays', (t) => {
  t.is(joinFlowedLines(' From me\n  indented', false), 'From me\n indented')
})

test('quotes flow within their depth only', (t) => {
  t.is(joinFlowedLines('> a \n> b\n>> c \n> d \nme', false), '> a b\n>> c\n> d\nme')
})

test('the signature separator neither flows nor is flowed into', (t) => {
  t.is(joinFlowedLines('bye \n-- \nAnna', false), 'bye\n-- \nAnna')
  t.is(joinFlowedLines('> bye \n> -- \n> Anna', false), '> bye\n> -- \n> Anna')
})
