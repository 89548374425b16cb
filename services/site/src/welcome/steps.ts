/** The four short steps to a family’s inbox; the last is the guide that gets the first mail there. */
export const STEPS = ['Who you care for', 'You', 'Your family', 'First mail'] as const
