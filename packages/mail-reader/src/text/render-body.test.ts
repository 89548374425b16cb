import test from 'ava'
import { joinFlowedLines } from './render-body.ts'

test('lines ending in a space are joined with the next', (t) => {
  t.is(joinFlowedLines('one \r\ntwo \r\nthree\r\nfour', false), 'one two three\nfour')
})

test('with DelSp, the space is removed', (t) => {
  t.is(joinFlowedLines('Kran \nken \nhaus', true), 'Krankenhaus')
})

test('space-stuffing is removed and other indentation kept', (t) => {
  t.is(joinFlowedLines(' From me\n  indented', false), 'From me\n indented')
})

test('lines are joined only within the same quote depth', (t) => {
  t.is(joinFlowedLines('> a \n> b\n>> c \n> d \nme', false), '> a b\n>> c\n> d\nme')
})

test('the signature separator is never joined', (t) => {
  t.is(joinFlowedLines('bye \n-- \nAnna', false), 'bye\n-- \nAnna')
  t.is(joinFlowedLines('> bye \n> -- \n> Anna', false), '> bye\n> -- \n> Anna')
})
