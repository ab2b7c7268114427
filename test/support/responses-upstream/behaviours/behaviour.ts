import type { CallInFlight } from '../call-in-flight.ts';

/** A way to reply to a call, or to fail. */
export interface Behaviour<Name extends string = string> {
  readonly name: Name;
  /** Description for the printed list. */
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
