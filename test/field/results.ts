import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Cuts, Latency } from './measures.ts';
import type { Peer, PeerId } from './peers.ts';

/** The latest results of all measurements. A measurement that was never made is absent. */
export interface Results {
  readonly latency?: LatencyResults;
  readonly peers: Partial<Record<PeerId, PeerResults>>;
}

/** The latencies of all peers, which are measured in one run because they depend on the machine. */
export interface LatencyResults {
  readonly day: string;
  readonly machine: string;
  /** The load averages of the machine before and after the measurement. */
  readonly loads?: readonly [number, number];
  readonly clients: readonly number[];
  /** The latencies of requests that are sent to the upstream directly, by the number of clients. */
  readonly direct: readonly Latency[];
  readonly peers: Partial<Record<PeerId, LoadResults>>;
}

export interface LoadResults {
  /** By the number of clients. */
  readonly latencies: readonly Latency[];
  readonly memoryMb: number;
}

/** The results that do not depend on the machine. */
export interface PeerResults extends Pick<Peer, 'name' | 'version' | 'command'> {
  readonly upstreamCuts?: Cuts;
  readonly clientCuts?: Cuts;
  readonly replies?: Replies;
}

export interface Replies {
  readonly wrong: { readonly delivered: number; readonly count: number };
  /** The share of protected pixels that were unchanged. Undefined if the edit failed. */
  readonly mask?: number | undefined;
  readonly hasTransparency: boolean;
}

const FILE = 'test/field/results.json';

export function readResults(): Results {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : { peers: {} };
}

/** Changes the results. Reads them again first, because another run may have written other results meanwhile. */
export function changeResults(change: (results: Results) => Results): Results {
  const results = change(readResults());
  writeFileSync(FILE, `${JSON.stringify(results, undefined, 2)}\n`);
  return results;
}

/** Adds the cuts of an earlier run to those of a new run. */
export function addCuts(
  earlier: PeerResults | undefined,
  found: Partial<PeerResults>,
): Partial<PeerResults> {
  const sum = (one: Cuts | undefined, other: Cuts) => ({
    made: (one?.made ?? 0) + other.made,
    twice: (one?.twice ?? 0) + other.twice,
  });
  const { upstreamCuts, clientCuts } = found;
  return {
    ...found,
    ...(upstreamCuts && { upstreamCuts: sum(earlier?.upstreamCuts, upstreamCuts) }),
    ...(clientCuts && { clientCuts: sum(earlier?.clientCuts, clientCuts) }),
  };
}
