import type { CallInFlight } from '../call-in-flight.ts';
import type { Settings } from '../settings.ts';

/** A way to reply to a call, or to fail. */
export interface Behaviour<Name extends string = string> {
  readonly name: Name;
  /** Description for the printed list. */
  readonly about: string;
  readonly run: (inFlight: CallInFlight) => Promise<void>;
  /** Changes to the form of the reply. */
  readonly settings?: Partial<Settings>;
}

export function behaviour<const Name extends string>(
  name: Name,
  about: string,
  run: Behaviour['run'],
  settings: Partial<Settings> = {},
): Behaviour<Name> {
  return { name, about, run, settings };
}
