import type { Exchange } from '../exchange.ts';

/** One way to answer a call. */
export interface Behaviour<Name extends string = string> {
  readonly name: Name;
  /** What the client meets, for the printed list. */
  readonly tells: string;
  readonly run: (exchange: Exchange) => Promise<void>;
}

export function behaviour<const Name extends string>(
  name: Name,
  tells: string,
  run: Behaviour['run'],
): Behaviour<Name> {
  return { name, tells, run };
}

/** Stands in every text that no client may pass on, so that a search finds it wherever it went. */
export const UPSTREAM_TEXT = 'words of the upstream that nobody passes on';
