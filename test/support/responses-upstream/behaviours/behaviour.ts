import type { CallInFlight } from '../call-in-flight.ts';

/** One way to reply to a call, or to fail. */
export interface Behaviour<Name extends string = string> {
  readonly name: Name;
  /** A description for the printed list. */
  readonly about: string;
  readonly run: (inFlight: CallInFlight) => Promise<void>;
}

export function behaviour<const Name extends string>(
  name: Name,
  about: string,
  run: Behaviour['run'],
): Behaviour<Name> {
  return { name, about, run };
}

/** Part of every text that a client must not pass on. Tests search for it. */
export const UPSTREAM_TEXT = 'text of the upstream that is never passed on';
