import { mock } from 'node:test'

/** A Tuesday. Import this file first: times then stand still for everything in this process. */
mock.timers.enable({ apis: ['Date'], now: new Date('2026-05-12T14:05:00Z') })
