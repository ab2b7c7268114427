import type { CallInFlight } from '../call-in-flight.ts';

/** One way to answer a call. */
export interface Behaviour<Name extends string = string> {
  readonly name: Name;
  /** What the client meets, for the printed list. */
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

/** Stands in every text that no client may pass on, so that a search finds it wherever it went. */
export const UPSTREAM_TEXT = 'words of the upstream that nobody passes on';
